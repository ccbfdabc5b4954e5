/** Maps a card's refusal to the REST interface's codes (protocol facts, section 1, "What they become"). */
import type { ErrorCode } from "../fiscal/codes.js";
import type { SignOutcome } from "../secure-element/secure-element.js";
import { FiscalError } from "./fiscal-error.js";

/** The card refused, and nothing was signed. */
type CardRefusal = Exclude<SignOutcome, { kind: "signed" | "unknown" | "applet-lost" }>;

/** `certain`: the card was not asked to sign, or cannot have signed. Any other refusal may be an old answer of the card. */
const REFUSALS: Record<CardRefusal["kind"], readonly [code: ErrorCode, message: string, certain?: "certain"]> = {
  "pin-required": ["1500", "The card's session has ended: verify the PIN again", "certain"],
  "pin-refused": ["1500", "The card's session has ended: verify the PIN again"],
  "lock-refused": ["2110", "Card locked: no PIN attempts are left"],
  locked: ["2110", "Card locked: no PIN attempts are left", "certain"],
  "limit-reached": ["2210", "Secure Element locked: the amount limit is reached, an audit is needed"],
  disabled: ["2210", "Secure Element locked: the tax authority has disabled signing, ask it"],
  "counter-at-end": [
    "2210",
    "Secure Element locked: the card's invoice counter is used up, ask the tax authority for a new card",
  ],
  refused: ["2210", "Secure Element locked: the card refuses to sign"],
  "too-many-categories": ["2310", "The items have more tax categories than the card accepts"],
  "bad-data": ["2310", "The card refused the invoice's tax data"],
  "time-outside-certificate": ["2809", "The time of the invoice is outside the validity of the card's certificate"],
  "no-card": ["1300", "Smart card is not present", "certain"],
  unreachable: ["2220", "Cannot connect to the Secure Element", "certain"],
  unsupported: ["2230", "The card's protocol is not supported", "certain"],
};

export function isCertain({ kind }: CardRefusal): boolean {
  return REFUSALS[kind][2] === "certain";
}

export function refusalError(refusal: CardRefusal): FiscalError {
  const [code, message] = REFUSALS[refusal.kind];
  return FiscalError.of(code, "", "reason" in refusal ? `${message}: ${refusal.reason}` : message);
}
