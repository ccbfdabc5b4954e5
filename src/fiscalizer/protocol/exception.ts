/** Chooses the event that replaces an effect's result after an unexpected error. */
import type { Effect, Event } from "./state.js";

/**
 * Returns the event for an error. The card may have acted before the error, so `sign` becomes `unknown`: ask the card.
 * @param error `reason` is its message; `ofLedger`: the ledger threw it
 */
export function eventOfException(
  { kind: effect }: Exclude<Effect, { kind: "reply" }>,
  { why, reason, ofLedger }: { readonly why: unknown; readonly reason: string; readonly ofLedger: boolean },
): Event {
  switch (effect) {
    case "sign":
      return { kind: "unknown", reason };
    case "read-last-invoice":
      return { kind: "last-invoice-read", answer: { kind: "not-reached", reason } };
    case "read-amounts":
      return { kind: "amounts-read", amounts: undefined };
    case "use-key":
      return { kind: "key-used" };
    case "start-audit":
      return { kind: "audit-not-started", reason };
    case "end-audit":
      return { kind: "proof-answered", answer: { kind: "unknown", reason } };
    case "begin":
      return ofLedger ? { kind: "ledger-failed", why } : { kind: "refused", why };
    default:
      return { kind: "ledger-failed", why };
  }
}
