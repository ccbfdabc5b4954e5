/** Handles POST /api/v3/pin (docs/interface.md, "Endpoints"; protocol facts, section 4, "PIN"). */
import type { Request, RequestHandler, Response } from "express";
import { type AnswerForm, refusedPinStatus } from "../fiscal/answer-form.js";
import type { FiscalCode } from "../fiscal/codes.js";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { isObject, JsonNumber } from "../schema/decimal.js";
import type { GuardedOutcome, VerifyPin } from "../secure-element/pin-guard.js";
import type { Caller, SecureElement } from "../secure-element/secure-element.js";
import { bodyText, isJson, parseJson } from "./body.js";
import { sameHost } from "./guard.js";
import { note } from "./request-facts.js";
import { sendJsonText, sendPlainText } from "./respond.js";

export const PIN_CODES: Record<GuardedOutcome["kind"], FiscalCode> = {
  verified: "0100",
  "wrong-pin": "2100",
  // The answer's header `Warning` says that the PIN was not sent to the card.
  "last-attempt": "2100",
  locked: "2110",
  "no-card": "1300",
  unreachable: "2220",
  busy: "2220",
  unsupported: "2230",
};

/**
 * Gives a PIN to the card, under the rules of the PIN guard, and sets the answer's headers.
 * @param pin returns the PIN; called only if there is a card, because a missing card is reported first
 * @returns `pinTriesLeft`: number of attempts that are left; undefined if the card did not report it
 * @throws what `pin` throws
 */
export type EnterPin = (
  pin: () => string,
  request: Request,
  response: Response,
) => Promise<{ readonly code: FiscalCode; readonly pinTriesLeft: number | undefined }>;

/** @param verified called after a right PIN, because sales in doubt can be settled then */
export function pinEntry(
  secureElement: SecureElement,
  verify: VerifyPin,
  verified: (by: Caller) => Promise<void>,
): EnterPin {
  return async (pin, request, response) => {
    // A missing card is reported before a wrong PIN (protocol facts, section 4, "Gate order").
    const { state } = secureElement;
    const card = state.kind === "ready" ? state : await secureElement.refresh(request);
    const answer = card.kind === "ready" ? await verify(pin(), senderOf(request, response)) : card;
    const { kind } = answer;
    if (kind === "busy") response.setHeader("Retry-After", answer.retryAfter);
    if (kind === "verified") await verified(request);
    const unclear = kind === "unreachable" && "unclear" in answer ? `${answer.reason}${PULL}` : undefined;
    const warning = kind === "last-attempt" ? LAST_ATTEMPT : unclear;
    if (warning !== undefined) response.setHeader("Warning", `299 - "${warning}"`);
    return {
      code: PIN_CODES[kind],
      pinTriesLeft: kind === "wrong-pin" ? answer.pinTriesLeft : undefined,
    };
  };
}

export function postPin(enterPin: EnterPin, form: AnswerForm): RequestHandler {
  return async (request, response) => {
    const { code } = await enterPin(() => pinOf(request), request, response);
    note(request, { code });
    response.status(code === "2100" || code === "2110" ? refusedPinStatus(form) : 200);
    if (isJson(request)) sendJsonText(response, JSON.stringify(code));
    else sendPlainText(response, code);
  };
}

const LAST_ATTEMPT =
  "The PIN was not sent to the card, because one attempt is left. Enter the PIN in the console of tillseal";

const PULL = ": pull it out and put it in";

/** Finds out who sends the PIN. A person sends it if the request has the console's origin; a POS sends no origin. */
function senderOf(request: Request, response: Response) {
  const { origin, host = "" } = request.headers;
  const person = origin !== undefined && sameHost(origin, host, request.protocol);
  return { gone: hungUp(response), person, by: request };
}

/**
 * Makes a signal that aborts when the caller disconnects before the answer. Aborting after the answer would have no
 * effect, and would cost 7 % of a PIN request's time.
 */
function hungUp(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** Matches texts to read as JSON. It does not match a number, because a PIN may begin with 0. */
const JSON_VALUE = /^([[{"]|(null|true|false)$)/;

/** Clients send `{"pin":"1234"}`, `"1234"`, `1234` or `0123`, as any content type. @throws FiscalError without a PIN */
function pinOf(request: Request): string {
  const text = bodyText(request).trim();
  const pin = JSON_VALUE.test(text) ? fromJson(parsed(text)) : text;
  if (pin === "") throw FiscalError.of("2800", "pin", "pin is required");
  return pin;
}

/** Parses JSON. The refusal does not quote the parser's error, because that could contain the PIN's digits. */
function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw FiscalError.of("2806", "body", "The body is not JSON");
  }
}

function fromJson(value: unknown): string {
  if (typeof value === "string") return value.trim();
  if (value instanceof JsonNumber) return value.text;
  if (value === null) return "";
  const pins = isObject(value) ? Object.entries(value).filter(([name]) => name.toLowerCase() === "pin") : undefined;
  if (pins && pins.length > 1) throw FiscalError.of("2805", "pin", "pin occurs more than once");
  const [, pin = null] = pins?.[0] ?? [];
  if (!pins || typeof pin === "boolean" || Array.isArray(pin) || isObject(pin)) {
    throw FiscalError.of("2806", "pin", "pin must be a text of digits");
  }
  return fromJson(pin);
}
