/** What an unexpected error means for the sale: the event in place of an effect's result. */
import type { Effect, Event } from "./state.js";

/** What was thrown. */
export interface Exception {
  readonly why: unknown;
  /** Its message. */
  readonly reason: string;
  /** Whether the ledger threw it. */
  readonly ofLedger: boolean;
}

/** The card may have acted before the error: then nothing is known, and the card is asked. */
export function eventOfException(
  { effect }: Exclude<Effect, { effect: "reply" }>,
  { why, reason, ofLedger }: Exception,
): Event {
  switch (effect) {
    case "sign":
      return { event: "unknown", reason };
    case "read-last-invoice":
      return { event: "last-invoice-read", answer: { answer: "not-reached", reason } };
    case "read-amounts":
      return { event: "amounts-read", amounts: undefined };
    case "pass-gates":
      return { event: "refused", why };
    case "use-key":
      return { event: "key-used" };
    case "start-audit":
      return { event: "audit-not-started", reason };
    case "end-audit":
      return { event: "proof-answered", answer: { outcome: "unknown", reason } };
    case "write-intent":
      return ofLedger ? { event: "ledger-failed", why } : { event: "refused", why };
    default:
      return { event: "ledger-failed", why };
  }
}
