/** Compares the sum since the last audit with the card's limit (protocol facts, section 1). */
import type { Scaled } from "./money.js";

export interface Amounts {
  /** Sum of the amounts that the card has signed since the last audit. */
  readonly sum: Scaled;
  readonly limit: Scaled;
}

/** Percentage of the limit at which tillseal begins to recommend an audit. */
export const AUDIT_DUE_PERCENT = 75;

/** Whether the sum has reached a share of the limit. @param percent the share */
export function reachesShare({ sum, limit }: Amounts, percent: number): boolean {
  return sum * 100n >= limit * BigInt(percent);
}

export function isAuditDue(amounts: Amounts): boolean {
  return reachesShare(amounts, AUDIT_DUE_PERCENT);
}

/** Whether the sum has reached the limit, so that the card no longer signs. */
export function isLimitReached({ sum, limit }: Amounts): boolean {
  return sum >= limit;
}
