/** Reads and writes points in time. */
import type { EpochMs } from "../base/epoch-ms.js";

const FORM = /^(\d{4})([-/])(\d\d)\2(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i;
/** Matches what only a POS writes: slashes, and more than 7 fractional digits. */
const ONLY_POS = /\/|\.\d{8}/;
/** First and last moment with a year of four digits. */
const FIRST = Date.parse("0001-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Reads ISO 8601 with `Z`, an offset and up to 7 fractional digits, or `yyyy-MM-dd HH:mm:ss`. A time without a zone is
 * UTC, as in the specification.
 * Returns undefined if the text is not a time or names a date that does not exist.
 */
export function parseTime(text: string): EpochMs | undefined {
  const written = ONLY_POS.test(text) ? undefined : readPosTime(text);
  if (written === undefined) return undefined;
  const time = Date.parse(/\d\.\d{3}$/.test(written) ? `${written}Z` : written);
  return time < FIRST || time > LAST ? undefined : time;
}

/**
 * Reads a time in each form that a POS may write. Returns it as `2026-07-01T12:00:00.000`, and `Z`, an offset such as
 * `+02:00`, or nothing. Fractions of a millisecond are cut off (protocol facts, section 2).
 * Returns undefined if the text is not a time or names a date that does not exist.
 */
export function readPosTime(text: string): string | undefined {
  const match = FORM.exec(text.trim());
  if (!match) return undefined;
  const [, year, , month, day, hour, minute, second = "00", fraction = "", zone = ""] = match;
  const digits = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const [hours, minutes] = [zone.slice(1, 3), zone.slice(3).replace(":", "") || "00"];
  if (!exists(digits) || Number(hours) > 14 || Number(minutes) > 59) return undefined;
  const offset = hours === "" ? zone.toUpperCase() : `${zone[0]}${hours}:${minutes}`;
  return `${digits}.${fraction.padEnd(3, "0").slice(0, 3)}${offset}`;
}

/** Matches `28.11.2025`, `28/11/2025 9:30`, and a day without a time. */
const OTHER_FORMS = [
  /^(?<day>\d\d?)[./-](?<month>\d\d?)[./-](?<year>\d{4})\.?(?:[T, ]+(?<time>\d\d?:\d\d(?::\d\d)?))?/,
  /^(?<year>\d{4})[./-](?<month>\d\d?)[./-](?<day>\d\d?)\.?(?:[T, ]+(?<time>\d\d?:\d\d(?::\d\d)?))?/,
];

/**
 * Returns a time that a POS wrote in a form that is refused in the form of a receipt's times, such as
 * `2025-11-28T09:30:00`; undefined if the text has no day that exists.
 */
export function rewrittenTime(text: string): string | undefined {
  const found = OTHER_FORMS.map((form) => form.exec(text.trim())?.groups).find((groups) => groups !== undefined);
  const { year = "", month = "", day = "", time = "00:00" } = found ?? {};
  const clock = time.padStart(time.length > 5 ? 8 : 5, "0");
  const written = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}T${clock}${clock.length === 5 ? ":00" : ""}`;
  return exists(written) ? written : undefined;
}

/** JavaScript reads 30 February as 2 March. */
function exists(digits: string): boolean {
  const utc = Date.parse(`${digits}Z`);
  return !Number.isNaN(utc) && toIso(utc).startsWith(digits);
}

/** Returns a time in ISO 8601, UTC, with milliseconds. */
export function toIso(ms: EpochMs): string {
  return new Date(ms).toISOString();
}
