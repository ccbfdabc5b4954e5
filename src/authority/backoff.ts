/** Computes how long to wait before the next attempt after a failure. */

export interface BackoffLimits {
  /** ms to wait after the first failure. */
  readonly first: number;
  /** Maximum wait in ms. */
  readonly most: number;
}

/**
 * The longest wait doubles with every failure, up to `most`. The wait is random between half of the longest wait and
 * all of it: tills that lost the authority at the same moment must not all return at the same moment.
 * @param failures number of failures in a row; 1 after the first failure
 * @param chance a random number, at least 0 and below 1
 * @returns whole ms
 */
export function backoff(failures: number, chance: number, { first, most }: BackoffLimits): number {
  const wait = Math.min(most, first * 2 ** Math.max(0, failures - 1));
  return Math.round(wait / 2 + (wait / 2) * chance);
}
