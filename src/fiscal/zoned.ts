/** Computes times and days in the shop's time zone. */

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

/**
 * Returns the moment at which a clock in a time zone shows a time.
 * @param local the time in the form of a browser's input field, such as `2026-11-21T10:00`
 * @param timeZone undefined for the time zone of the browser
 */
export function momentOf(local: string, timeZone: string | undefined): Date {
  const wanted = Date.parse(`${local}Z`);
  let moment = wanted;
  // Correct the moment twice, because the first correction may cross a daylight saving change.
  for (let step = 0; step < 2; step++) moment += wanted - shownAt(moment, timeZone);
  return new Date(moment);
}

/** Whether a text is a complete day. A day that a person is still typing is not, such as `0020-01-01`. */
export function isDay(typed: string): boolean {
  return /^[1-9]\d{3}-\d\d-\d\d$/.test(typed) && !Number.isNaN(Date.parse(`${typed}T00:00Z`));
}

/** Returns the local time as ms since the epoch, computed as if the local time were UTC. */
function shownAt(moment: number, timeZone: string | undefined): number {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}

/** Returns the day of a moment in a time zone, such as `2026-11-21`. */
export function dayIn(moment: Date, timeZone: string | undefined): Day {
  return localIn(moment, timeZone)[0];
}

/** Returns the day and the time of a moment in a time zone, such as `["2026-11-21", "10:00:05"]`. */
export function localIn(moment: Date, timeZone: string | undefined): [day: Day, time: string] {
  const shown = new Date(shownAt(moment.getTime(), timeZone)).toISOString();
  return [shown.slice(0, 10), shown.slice(11, 19)];
}

/** Returns the day that comes a number of days later. @param days negative for an earlier day */
export function dayAfter(day: Day, days = 1): Day {
  const next = new Date(`${day}T00:00Z`);
  next.setUTCDate(next.getUTCDate() + days);
  return next.toISOString().slice(0, 10);
}

const HOUR = 3_600_000;

/** Returns the first moment of a day, even if the clocks skip or repeat midnight. */
export function beginningOf(day: Day, timeZone: string | undefined): Date {
  const midnight = momentOf(`${day}T00:00`, timeZone);
  if (dayIn(midnight, timeZone) < day) return momentOf(`${day}T01:00`, timeZone);
  const earlier = new Date(midnight.getTime() - HOUR);
  return dayIn(earlier, timeZone) === day ? earlier : midnight;
}
