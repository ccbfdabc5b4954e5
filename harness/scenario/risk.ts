/**
 * Finds what a request could do to a card that is not proven to be emulated: cost a PIN attempt, or sign a real
 * receipt. A request is a risk unless it is known to be harmless.
 */

import { PROFILE_SCHEMA } from "../../emulator/card/profile.js";
import { parseJson } from "../../src/http/body.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import type { HttpRequest } from "./http-call.js";

export type Risk =
  | "pin"
  /** The request sends, or may send, a PIN that is not the card's. */
  | "wrong-pin"
  | "receipt"
  /** We do not know what a service does with the request. */
  | "unknown";

/** What the user allows against a service that is not proven to be an emulator. */
export interface Allowed {
  /** Digits of the PIN of that service's card. */
  readonly pin?: string;
  readonly riskLockingTheCard: boolean;
  readonly issueRealReceipts: boolean;
}

/** The PIN of the emulated card in a scenario without `given`. Another service gets the PIN of `--pin` instead. */
const EMULATED_PIN = PROFILE_SCHEMA.properties.pin.default;
/** Matches the right PIN in a form that clients send, and nothing else that a service could try as a PIN. */
const RIGHT_PIN_BODY = new RegExp(
  `^\\s*(?:("?)${EMULATED_PIN}\\1|\\{\\s*"pin"\\s*:\\s*("?)${EMULATED_PIN}\\2\\s*\\})\\s*$`,
  "i",
);

/** Matches four digits of any script, because a PIN has four digits. */
const FOUR_DIGITS = /(?<!\p{Nd})\p{Nd}{4}(?!\p{Nd})/u;

export function riskOf(request: HttpRequest): Risk | undefined {
  const { method, path, body } = request;
  const text = Buffer.from(body ?? "").toString("utf8");
  if (mayHoldPin(request)) return "wrong-pin";
  if (["GET", "HEAD", "OPTIONS"].includes(method)) return body ? "unknown" : undefined;
  const endpoint = method === "POST" ? path.toLowerCase().replace(/\/$/, "") : "";
  if (endpoint === `${API_PREFIX}/pin`) return RIGHT_PIN_BODY.test(text) ? "pin" : "wrong-pin";
  if (endpoint === `${API_PREFIX}/test-invoice`) return text === "" ? "receipt" : "unknown";
  return endpoint === `${API_PREFIX}/invoices` ? riskOfInvoice(text) : "unknown";
}

/** Returns why we must not send a request, or undefined if we may send it. */
export function refusalOf(request: HttpRequest, allowed: Allowed): string | undefined {
  switch (riskOf(request)) {
    case "pin":
      return allowed.pin === undefined ? "it sends the PIN of the card; --pin gives it" : undefined;
    case "wrong-pin":
      return allowed.riskLockingTheCard
        ? undefined
        : "it may send a wrong PIN, and the card may be a real one; --risk-locking-the-card allows it";
    case "receipt":
      return allowed.issueRealReceipts
        ? undefined
        : "it may issue a receipt that counts, on a card that may be a real one; --issue-real-receipts allows it";
    case "unknown":
      return allowed.riskLockingTheCard && allowed.issueRealReceipts
        ? undefined
        : "what the service does with it is not known; --risk-locking-the-card and --issue-real-receipts together allow it";
    case undefined:
      return undefined;
  }
}

/** Replaces the emulated card's PIN in the request by the PIN of the service's card. */
export function withPin(request: HttpRequest, pin: string): HttpRequest {
  const text = Buffer.from(request.body ?? "").toString("utf8");
  return { ...request, body: Buffer.from(text.replace(EMULATED_PIN, () => pin)) };
}

/** Whether the address or a header may hold a PIN. A RequestId in its usual place does not count. */
function mayHoldPin({ path, headers }: HttpRequest): boolean {
  const address = unescaped(path).replace(/^\/api\/v3\/invoices\/[^/?]+$/i, "");
  const values = Object.entries(headers).filter(([name]) => name.toLowerCase() !== "requestid");
  return [address, ...values.flat()].some((text) => FOUR_DIGITS.test(text));
}

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** @returns undefined if the invoice has exactly one type, Training, spelt as in the specification; else its risk */
function riskOfInvoice(text: string): Risk | undefined {
  let invoice: unknown;
  try {
    // parseJson throws if a name occurs twice with different values.
    invoice = parseJson(text);
  } catch {
    return "unknown";
  }
  if (typeof invoice !== "object" || invoice === null || Array.isArray(invoice)) return "unknown";
  const fields = Object.entries(invoice);
  if (fields.some(([name]) => /pin/i.test(name))) return "unknown";
  const types = fields.filter(([name]) => name.toLowerCase() === "invoicetype");
  const isTraining = types.length === 1 && types[0]?.[0] === "invoiceType" && types[0][1] === "Training";
  return isTraining ? undefined : "receipt";
}
