/** The card's limit: what the amounts since the last audit mean (protocol facts, section 1). */
import type { Scaled } from "./money.js";

export interface Amounts {
  /** Signed since the last audit. */
  readonly sum: Scaled;
  readonly limit: Scaled;
}

/** Percent of the limit from which an audit is recommended. */
export const AUDIT_DUE_PERCENT = 75;

/** @param percent of the limit */
export function reachesShare({ sum, limit }: Amounts, percent: number): boolean {
  return sum * 100n >= limit * BigInt(percent);
}

export function isAuditDue(amounts: Amounts): boolean {
  return reachesShare(amounts, AUDIT_DUE_PERCENT);
}

/** Whether the limit is reached: the card no longer signs. */
export function isLimitReached({ sum, limit }: Amounts): boolean {
  return sum >= limit;
}
