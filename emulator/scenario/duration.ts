/** `1h30m`, `-2d`, `500ms`, or a number of ms. */
const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** ms */
export function duration(text: number | string): number {
  if (typeof text === "number") return text;
  const sign = text.startsWith("-") ? -1 : 1;
  let sum = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|s|m|h|d)/g)) {
    sum += Number(count) * UNITS[unit as keyof typeof UNITS];
  }
  return sign * sum;
}
