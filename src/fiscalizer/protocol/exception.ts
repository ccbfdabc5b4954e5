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
  { kind: effect }: Exclude<Effect, { kind: "reply" }>,
  { why, reason, ofLedger }: Exception,
): Event {
  switch (effect) {
    case "sign":
      return { kind: "unknown", reason };
    case "read-last-invoice":
      return { kind: "last-invoice-read", answer: { kind: "not-reached", reason } };
    case "read-amounts":
      return { kind: "amounts-read", amounts: undefined };
    case "pass-gates":
      return { kind: "refused", why };
    case "use-key":
      return { kind: "key-used" };
    case "start-audit":
      return { kind: "audit-not-started", reason };
    case "end-audit":
      return { kind: "proof-answered", answer: { kind: "unknown", reason } };
    case "write-intent":
      return ofLedger ? { kind: "ledger-failed", why } : { kind: "refused", why };
    default:
      return { kind: "ledger-failed", why };
  }
}
