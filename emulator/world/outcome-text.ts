/** Texts for people about the outcome of an audit or a directive. */
import type { BytesOutcome, EndAuditOutcome } from "../../src/secure-element/secure-element.js";

type Outcome = (BytesOutcome | EndAuditOutcome)["kind"];

const TEXTS: Readonly<Record<Outcome, string>> = {
  ok: "done",
  accepted: "the card has accepted the proof",
  refused: "the card refuses it",
  "bad-proof": "the proof is for another audit of the card",
  "no-audit-open": "no audit is open",
  "pin-required": "the PIN is not verified",
  "no-card": "there is no card in the reader",
  unreachable: "the card does not answer",
  unsupported: "the card is of a kind that the service does not know",
};

export function outcomeText(outcome: Outcome): string {
  return TEXTS[outcome];
}

export function isDone(outcome: Outcome): boolean {
  return outcome === "ok" || outcome === "accepted";
}
