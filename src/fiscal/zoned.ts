/** Computes times and days in the shop's time zone. */
import type { EpochMs } from "../base/epoch-ms.js";

/** A day, such as `2026-11-21`. */
export type Day = string;

const formats = new Map<string | undefined, Intl.DateTimeFormat>();

function formatOf(timeZone: string | undefined): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-GB", {
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
      hourCycle: "h23",
      ...(timeZone === undefined ? {} : { timeZone }),
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** A date and a time of day on a clock, without a zone, such as `2026-07-01T12:00:00`. */
export type WallTime = string;

const HOUR_MS = 3_600_000;
/** More than the offset of any time zone. */
const MOST_OFFSET_MS = 15 * HOUR_MS;

/**
 * Returns the moment at which a clock in a time zone shows a time. Of a repeated time it is the earlier moment; a time
 * that the clock skips counts with the offset before the change.
 * @param local the time without a zone, such as `2026-11-21T10:00`
 * @param timeZone undefined for the time zone of the browser
 */
export function momentOf(local: string, timeZone: string | undefined): Date {
  const wanted = Date.parse(`${local}Z`);
  const offsets = [wanted - MOST_OFFSET_MS, wanted + MOST_OFFSET_MS].map((moment) => offsetAt(moment, timeZone));
  const moments = offsets.map((offset) => wanted - offset);
  const shown = moments.find((moment) => offsetAt(moment, timeZone) === wanted - moment);
  return new Date(shown ?? moments[0] ?? Number.NaN);
}

/** ms by which the clock of a time zone is ahead of UTC. */
function offsetAt(moment: number, timeZone: string | undefined): number {
  return shownAt(moment, timeZone) - Math.floor(moment / 1000) * 1000;
}

/** The last result, kept because many receipts have the same second. */
let last: { second: number; timeZone: string | undefined; shown: WallTime } | undefined;

/** Returns what a clock in a time zone shows. */
export function wallIn(moment: EpochMs, timeZone: string | undefined): WallTime {
  const second = Math.floor(moment / 1000);
  if (last?.second !== second || last.timeZone !== timeZone) {
    last = { second, timeZone, shown: new Date(shownAt(moment, timeZone)).toISOString().slice(0, 19) };
  }
  return last.shown;
}

/** Returns a time in ISO 8601 as a clock in a time zone shows it, such as `2026-07-01T12:00:00.000+02:00`. */
export function toLocalIso(moment: number, timeZone: string): string {
  const shown = wallIn(moment, timeZone);
  const minutes = Math.round((Date.parse(`${shown}Z`) - moment) / 60_000);
  const offset = new Date(Math.abs(minutes) * 60_000).toISOString().slice(11, 16);
  return `${shown}${new Date(moment).toISOString().slice(19, 23)}${minutes < 0 ? "-" : "+"}${offset}`;
}

/** Whether a text is a complete day. A day that a person is still typing is not, such as `0020-01-01`. */
export function isDay(typed: string): boolean {
  // JavaScript reads 30 February as 2 March.
  const time = /^[1-9]\d{3}-\d\d-\d\d$/.test(typed) ? Date.parse(`${typed}T00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(typed);
}

/** Returns the local time as ms since the epoch, computed as if the local time were UTC. */
function shownAt(moment: number, timeZone: string | undefined): number {
  const parts = formatOf(timeZone).formatToParts(moment);
  const numbers = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = numbers;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Returns the day and the time of a moment in a time zone, such as `["2026-11-21", "10:00:05"]`. */
export function localIn(moment: EpochMs, timeZone: string | undefined): [day: Day, time: string] {
  const shown = wallIn(moment, timeZone);
  return [shown.slice(0, 10), shown.slice(11)];
}

/** Returns the day that comes a number of days later. @param days negative for an earlier day */
export function dayAfter(day: Day, days = 1): Day {
  const next = new Date(`${day}T00:00Z`);
  next.setUTCDate(next.getUTCDate() + days);
  return next.toISOString().slice(0, 10);
}

export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}
