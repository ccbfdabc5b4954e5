/**
 * Reads the times that callers write, and writes the times that receipts print. All other times are ms since the epoch.
 */

const TIME = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,7}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Reads ISO 8601 with `Z`, an offset and up to 7 fractional digits, or `yyyy-MM-dd HH:mm:ss` (protocol facts, section
 * 4). A time without a zone is UTC, as in the specification. Fractions of a millisecond are cut off (section 2).
 * Returns undefined if the text is not a time or names a date that does not exist.
 */
export function parseTime(text: string): number | undefined {
  const match = TIME.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = "0", fraction = "", zone = "Z"] = match;
  const fields = [year, month, day, hour, minute, second].map(Number);
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = fields;
  const ms = Number(fraction.padEnd(3, "0").slice(0, 3));
  const utc = new Date(0);
  utc.setUTCFullYear(y, mo - 1, d);
  utc.setUTCHours(h, mi, s, ms);
  const exists =
    utc.getUTCMonth() === mo - 1 && utc.getUTCDate() === d && h < 24 && mi < 60 && s < 60 && !Number.isNaN(+utc);
  if (!exists) return undefined;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const time = utc.getTime() - offset * 60_000;
  return time < FIRST || time > LAST ? undefined : time;
}

/** First and last moment with a year of four digits. */
const FIRST = Date.parse("0001-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

function offsetMinutes(zone: string): number | undefined {
  if (zone.toUpperCase() === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", ""));
  if (hours > 14 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

/** Returns a time in ISO 8601, UTC, with milliseconds. Every time in an answer has this form. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat("en-GB", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
    });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

/**
 * The last result, kept because many receipts have the same second and formatting takes as long as the rest of a
 * journal.
 */
let last = { second: Number.NaN, timeZone: "", form: "", text: "" };

/** The forms of a time on receipts (protocol facts, section 6). */
export type TimeForm = "dd.MM.yyyy. H:mm:ss" | "dd.MM.yyyy. HH:mm:ss" | "dd/MM/yyyy HH:mm:ss";

/** Returns a time as receipts print it in a time zone. */
export function toReceiptTime(ms: number, timeZone: string, form: TimeForm = "dd.MM.yyyy. H:mm:ss"): string {
  const second = Math.floor(ms / 1000);
  if (last.second !== second || last.timeZone !== timeZone || last.form !== form) {
    last = { second, timeZone, form, text: formatted(ms, timeZone, form) };
  }
  return last.text;
}

function formatted(ms: number, timeZone: string, form: TimeForm): string {
  const parts = new Map(
    formatterOf(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? "";
  const [day, month, year] = [part("day"), part("month"), part("year").padStart(4, "0")];
  const date = form.startsWith("dd/") ? `${day}/${month}/${year}` : `${day}.${month}.${year}.`;
  const hour = String(Number(part("hour"))).padStart(form.includes("HH") ? 2 : 1, "0");
  return `${date} ${hour}:${part("minute")}:${part("second")}`;
}

/** Whether the runtime knows a time zone by that name. */
export function isTimeZone(name: string): boolean {
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}
