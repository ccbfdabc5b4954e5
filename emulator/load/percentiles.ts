/** Percentiles of answer times, in ms. */

export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Uses the nearest rank, so each percentile is a measured time. @returns undefined if `times` is empty */
export function percentilesOf(times: readonly number[]): Percentiles | undefined {
  const sorted = times.toSorted((a, b) => a - b);
  const max = sorted.at(-1);
  if (max === undefined) return undefined;
  const rank = (percent: number) => sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? max;
  return { p50: rank(50), p90: rank(90), p95: rank(95), p99: rank(99), max };
}
