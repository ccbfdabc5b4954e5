/**
 * Reads what a command of the authority sets, in the form in which the store keeps it (protocol facts, section 8). This
 * code is pure.
 */

import type { StoredParameters } from "../config/sent-environments.js";
import { type NewCommand, type NewSent, NO_END } from "../ledger/authority-ledger.js";
import { PayloadError, parametersIn, ratesIn, timeServerIn, verificationRootIn } from "./payloads.js";
import { COMMAND_TYPE, UNREADABLE } from "./tax-authority.js";

/**
 * @param command a command that the service executes without the card
 * @param timeZone the zone in force, if the authority has sent it; an unknown zone does not replace it
 * @throws PayloadError
 */
export function contentOf(
  { uid, type, payload, receivedAt, fromFile }: NewCommand,
  timeZone: string | undefined,
): readonly NewSent[] {
  const one = (name: NewSent["name"], key: string, value: unknown): NewSent => {
    return { uid, name, key, value: JSON.stringify(value), receivedAt, fileUntil: fromFile ? NO_END : null };
  };
  switch (type) {
    case COMMAND_TYPE.taxRates:
      return ratesIn(payload).map((group) => one("rates", `${fromFile ? "file " : ""}${group.groupId}`, group));
    case COMMAND_TYPE.timeServer:
      return [one("timeServer", "", timeServerIn(payload))];
    case COMMAND_TYPE.verificationUrl:
      return [one("verificationRoot", "", verificationRootIn(payload))];
    case COMMAND_TYPE.configuration:
      return [one("parameters", "", storedParameters(payload, timeZone))];
    case UNREADABLE:
      throw new PayloadError(`the command has no usable ${payload}`);
    default:
      throw new PayloadError(`this service does not know commands of type ${type}`);
  }
}

/** @param keptTimeZone the zone in force, which stays if the new one is unknown */
function storedParameters(payload: string, keptTimeZone: string | undefined): StoredParameters {
  return { ...parametersIn(payload), ...(keptTimeZone === undefined ? {} : { keptTimeZone }) };
}
