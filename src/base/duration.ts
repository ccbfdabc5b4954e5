/** Reads durations as people write them, such as `1h30m`, `40s` or `-500ms`. */
const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const PATTERN = "^-?(\\d{1,9}(ms|s|m|h|d)){1,5}$";

/** Text about a valid duration, for errors that say "must be ...". */
export const DURATION_TEXT = "a length of time such as 1h30m, 40s or 500ms";

/** Schema of a duration. A minus before the duration means back in time. */
export const DURATION_SCHEMA = { type: "string", pattern: PATTERN, "x-expected": `${DURATION_TEXT}, as text` } as const;

export const POSITIVE_DURATION_SCHEMA = {
  type: "string",
  pattern: PATTERN.replace("-?", ""),
  "x-expected": `${DURATION_TEXT}, as text, and not negative`,
} as const;

/** Rounds ms to one decimal. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** @returns ms; undefined if the text is not a duration */
export function parseDuration(text: string): number | undefined {
  if (!new RegExp(PATTERN).test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+)(ms|s|m|h|d)/g)];
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit as keyof typeof UNITS], 0);
  return text.startsWith("-") ? -ms : ms;
}

/** @returns ms. @throws RangeError if the text is not a duration */
export function durationOf(text: string): number {
  const ms = typeof text === "string" ? parseDuration(text) : undefined;
  if (ms === undefined) throw new RangeError(`${text} must be ${DURATION_TEXT}, as text`);
  return ms;
}
