/**
 * Decides who may change rates, addresses and settings, end a warning, or send a PIN to the key in the card. These
 * callers may: a person with the card's PIN, a caller with the console's token, and a command of a user who can read the
 * service's data folder. Other programs on the machine may not.
 */
import type { FiscalCode } from "../fiscal/codes.js";
import { CallError } from "../http/call-errors.js";
import type { EndpointCall } from "../http/endpoint-router.js";
import type { EnterPin } from "../http/pin.js";
import type { Trust } from "../http/trust.js";
import type { PermitRefusal } from "./records/permit.js";

/** Decides whether a caller has the permission: by a secret, or by the field `pin` of the body. @throws CallError 403 */
export type Permit = (call: EndpointCall) => Promise<void>;

interface Permits {
  readonly enterPin: EnterPin;
  /** Whether a caller has the secret in the data folder, or the console's token. */
  readonly holdsSecret: Trust;
}

export function permitOf({ enterPin, holdsSecret }: Permits): Permit {
  return async ({ request, response, body }) => {
    if (holdsSecret(request)) return;
    const { pin } = body as { readonly pin?: unknown };
    if (typeof pin !== "string" || pin === "") throw refusal("1500", null);
    const { code, pinTriesLeft = null } = await enterPin(() => pin, request, response);
    if (code !== "0100") throw refusal(code, pinTriesLeft);
  };
}

const REASONS: Readonly<Record<string, string>> = {
  "1500":
    'This needs the card\'s PIN, such as {"pin": "..."}, the console\'s token, or the command tillseal as the user of the service',
  "1300":
    "There is no card in the reader that could check the PIN: insert it, or use the command tillseal as the user of the service",
  "2100": "The PIN is wrong, or it was not sent because one attempt is left: enter it in the console",
  "2110": "The card is locked after too many wrong PINs. Use the command tillseal as the user of the service",
};

function refusal(code: FiscalCode, pinTriesLeft: number | null): CallError {
  const reason = REASONS[code] ?? "The card could not check the PIN. Try again in a moment";
  return new CallError(403, reason, [], { code, pinTriesLeft } satisfies Omit<PermitRefusal, "message">);
}
