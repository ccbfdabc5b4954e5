/** Times as a shop's clock shows them. */

const FIELDS = {
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
} as const;

/**
 * The moment at which a clock in a time zone shows a time.
 * @param local `2026-11-21T10:00`, as browsers write what was typed
 * @param timeZone the browser's where undefined
 */
export function momentOf(local: string, timeZone: string | undefined): Date {
  const wanted = Date.parse(`${local}Z`);
  let moment = wanted;
  // Twice: the first step may land on the other side of a change of the clocks.
  for (let step = 0; step < 2; step++) moment += wanted - shownAt(moment, timeZone);
  return new Date(moment);
}

/** Whether it is a day of a year that anybody means, and not one that is being typed: `0020-01-01`. */
export function isDay(typed: string): boolean {
  return /^[1-9]\d{3}-\d\d-\d\d$/.test(typed);
}

/** What the clock shows, as if it were in UTC: ms since the epoch. */
function shownAt(moment: number, timeZone: string | undefined): number {
  const format = new Intl.DateTimeFormat("en-GB", {
    ...FIELDS,
    hourCycle: "h23",
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}

/** `2026-11-21`. */
export function dayIn(moment: Date, timeZone: string | undefined): string {
  // Sweden writes its days so.
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(moment);
}
