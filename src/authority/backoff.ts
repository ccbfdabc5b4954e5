/** How long to wait before the next attempt at something that failed. */

export interface BackoffLimits {
  /** ms, after the first failure. */
  readonly first: number;
  /** ms, at most. */
  readonly most: number;
}

/**
 * Doubles with every failure up to the most. A part is left to chance, between half of the wait and all of it: tills
 * that lost the authority at one moment do not come back at one moment.
 * @param failures in a row, 1 after the first
 * @param chance from 0 up to but not 1
 * @returns ms, whole
 */
export function backoff(failures: number, chance: number, { first, most }: BackoffLimits): number {
  const wait = Math.min(most, first * 2 ** Math.max(0, failures - 1));
  return Math.round(wait / 2 + (wait / 2) * chance);
}
