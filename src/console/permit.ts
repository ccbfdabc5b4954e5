/**
 * Decides who may change rates, addresses and settings, end a warning, or send a PIN to the key in the card. These
 * callers may: a person with the card's PIN, a caller with the console's token, and a command of a user who can read the
 * service's data folder. Other programs on the machine may not.
 */
import type { Request, Response } from "express";
import type { EnterPin } from "../http/pin.js";
import type { Trust } from "../http/trust.js";
import type { PermitRefusal } from "./records/permit.js";

/**
 * Decides whether the caller has the permission. If not, the function answers the request with {@link PermitRefusal}.
 * @param pin the request's field `pin`, which is not checked yet
 */
export type Permit = (request: Request, response: Response, pin: unknown) => Promise<boolean>;

interface Permits {
  readonly enterPin: EnterPin;
  /** Whether a caller has the secret in the data folder, or the console's token. */
  readonly holdsSecret: Trust;
}

export function permitOf({ enterPin, holdsSecret }: Permits): Permit {
  return async (request, response, pin) => {
    if (holdsSecret(request)) return true;
    if (typeof pin !== "string" || pin === "") return refuse(response, { code: "1500", pinTriesLeft: null });
    const { code, pinTriesLeft = null } = await enterPin(() => pin, request, response);
    return code === "0100" || refuse(response, { code, pinTriesLeft });
  };
}

const DETAILS: Readonly<Record<string, string>> = {
  "1500":
    'This needs the card\'s PIN, such as {"pin": "..."}, the console\'s token, or the command tillseal as the user of the service',
  "1300":
    "There is no card in the reader that could check the PIN: insert it, or use the command tillseal as the user of the service",
  "2100": "The PIN is wrong, or it was not sent because one attempt is left: enter it in the console",
  "2110": "The card is locked after too many wrong PINs. Use the command tillseal as the user of the service",
};

function refuse(response: Response, refusal: Pick<PermitRefusal, "code" | "pinTriesLeft">): false {
  const details = DETAILS[refusal.code] ?? "The card could not check the PIN. Try again in a moment";
  const record: PermitRefusal = { ...refusal, details };
  response.status(403).json(record);
  return false;
}
