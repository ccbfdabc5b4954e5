/** Reads what a command sets, in the form that the store keeps (protocol facts, section 8; docs/authority-api.md). */
import type { EpochMs } from "../base/epoch-ms.js";
import { messageOf } from "../base/thrown.js";
import { sentParameters, sentRateGroups } from "../config/sent-environment.js";
import type { StoredParameters } from "../config/sent-environments.js";
import { rootProblems } from "../fiscal/environment-rules.js";
import { timeServerOf } from "../fiscal/time-server.js";
import { type NewCommand, type NewSent, NO_END } from "../ledger/authority-ledger.js";
import { MOST_FILE_VALUES, parseJson } from "../schema/validator.js";
import { COMMAND_TYPE, PAST_RATES, UNREADABLE } from "./tax-authority.js";

/** Maximum number of characters of a message, because it goes into the store and into the log. */
const LONGEST_MESSAGE = 500;

const RESTORED = "restored ";

/** Makes the id of a command that a restore has made of the values in a backup. No authority knows it. */
export function restoredId(at: number, index: number): string {
  return `${RESTORED}${at} ${index}`;
}

export function isRestored(commandId: string): boolean {
  return commandId.startsWith(RESTORED);
}

/** A payload that is not valid. The message says to people what is wrong; it names the first of several errors. */
export class PayloadError extends Error {
  override readonly name = "PayloadError";

  constructor(message: string) {
    super(message.slice(0, LONGEST_MESSAGE));
  }
}

/** Payload of a command of the type {@link PAST_RATES}. The times are those of the sales, in ms since the epoch. */
export interface PastRates {
  readonly from: EpochMs;
  readonly until: EpochMs;
  /** JSON. */
  readonly group: string;
}

const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}$/;

/**
 * @param command a command that the service executes without the card
 * @param timeZone the zone in force, if the authority has sent it; an unknown zone does not replace it
 * @throws PayloadError
 */
export function contentOf(
  { commandId, uid, type, payload, receivedAt, fromFile }: NewCommand,
  timeZone: string | undefined,
): readonly NewSent[] {
  const source = !fromFile ? "authority" : isRestored(commandId) ? "backup" : "file";
  const fileUntil = fromFile ? NO_END : null;
  const one = (name: NewSent["name"], key: string, value: unknown): NewSent => {
    return { uid, name, key, value: JSON.stringify(value), receivedAt, source, fileUntil };
  };
  switch (type) {
    case COMMAND_TYPE.taxRates:
      return inPayload(payload, sentRateGroups).map((group) =>
        one("rates", `${fromFile ? "file " : ""}${group.groupId}`, group),
      );
    case PAST_RATES: {
      const { from, until, group } = inPayload(payload, pastRates);
      return inPayload(group, sentRateGroups).map((rates) => {
        return { ...one("rates", `file ${rates.groupId}`, rates), receivedAt: from, fileUntil: until };
      });
    }
    case COMMAND_TYPE.timeServer: {
      // An address or a host name, which is kept as the authority sent it.
      const server = textIn(payload);
      if (timeServerOf(server)) return [one("timeServer", "", server)];
      throw new PayloadError(`the payload is not a time server: ${server.slice(0, 100)}`);
    }
    case COMMAND_TYPE.verificationUrl: {
      const address = textIn(payload);
      const [wrong] = rootProblems(address, "the address");
      if (wrong === undefined) return [one("verificationRoot", "", address)];
      throw new PayloadError(wrong);
    }
    case COMMAND_TYPE.configuration: {
      const kept = timeZone === undefined ? {} : { keptTimeZone: timeZone };
      const parameters: StoredParameters = { ...inPayload(payload, sentParameters), ...kept };
      return [one("parameters", "", parameters)];
    }
    case UNREADABLE:
      throw new PayloadError(`the command has no usable ${payload}`);
    default:
      throw new PayloadError(`this service does not know commands of type ${type}`);
  }
}

/** Reads bytes from base64, which may be plain text or a JSON string. @throws PayloadError */
export function bytesIn(payload: string): Uint8Array {
  const text = textIn(payload);
  if (!BASE64.test(text.trimEnd())) throw new PayloadError("the payload is not base64");
  return Buffer.from(text, "base64");
}

function inPayload<T>(payload: string, read: (content: unknown) => T): T {
  const content = jsonIn(payload);
  try {
    return read(content);
  } catch (error) {
    throw new PayloadError(messageOf(error));
  }
}

function pastRates(content: unknown): PastRates {
  const { from, until, group } = content as PastRates;
  const areTimes = [from, until].every((time) => Number.isSafeInteger(time) && time >= 0 && time < NO_END);
  if (!areTimes || typeof group !== "string") throw new Error("the payload has no group or no times");
  return { from, until, group };
}

/** Returns the content of a payload that is a JSON string, or else the payload's text itself. */
function textIn(payload: string): string {
  const text = payload.trim();
  if (!text.startsWith('"')) return text;
  const content = jsonIn(text);
  return typeof content === "string" ? content.trim() : text;
}

function jsonIn(payload: string): unknown {
  try {
    return parseJson(payload, MOST_FILE_VALUES);
  } catch (error) {
    throw new PayloadError(`the payload ${error instanceof RangeError ? error.message : "is not JSON"}`);
  }
}
