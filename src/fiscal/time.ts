/** Reads and writes points in time. */
import type { EpochMs } from "../base/epoch-ms.js";

const TIME = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,7}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Reads ISO 8601 with `Z`, an offset and up to 7 fractional digits, or `yyyy-MM-dd HH:mm:ss`. A time without a zone is UTC, as in the specification. Fractions of a millisecond are cut off (section 2).
 * Returns undefined if the text is not a time or names a date that does not exist.
 */
export function parseTime(text: string): EpochMs | undefined {
  const match = TIME.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = "0", fraction = "", zone = "Z"] = match;
  const utc = utcOf([year, month, day, hour, minute, second].map(Number));
  const offset = offsetMinutes(zone);
  if (utc === undefined || offset === undefined) return undefined;
  const time = utc + millisecondsOf(fraction) - offset * 60_000;
  return time < FIRST || time > LAST ? undefined : time;
}

/** Returns a date and time in UTC; undefined if it does not exist. */
export function utcOf([y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0]: readonly number[]): EpochMs | undefined {
  const utc = new Date(0);
  utc.setUTCFullYear(y, mo - 1, d);
  utc.setUTCHours(h, mi, s);
  const exists = utc.getUTCMonth() === mo - 1 && utc.getUTCDate() === d && h < 24 && mi < 60 && s < 60;
  return exists ? utc.getTime() : undefined;
}

/** The first three digits of a fraction of a second. */
export function millisecondsOf(fraction: string): number {
  return Number(fraction.padEnd(3, "0").slice(0, 3));
}

/** First and last moment with a year of four digits. */
const FIRST = Date.parse("0001-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** The minutes of an offset such as `+02:00`, `+0200`, `+02` or `Z`; undefined if there is none such. */
export function offsetMinutes(zone: string): number | undefined {
  if (zone.toUpperCase() === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", ""));
  if (hours > 14 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

/** Returns a time in ISO 8601, UTC, with milliseconds. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
