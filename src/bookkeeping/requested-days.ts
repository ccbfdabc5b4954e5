/** Finds out the days of a requested report. */
import type { EpochMs } from "../base/epoch-ms.js";
import type { Days } from "../fiscal/day-report.js";
import { isDay, localIn } from "../fiscal/zoned.js";

export interface RequestedDays {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export interface WrongDay {
  readonly name: keyof RequestedDays;
  readonly problem: string;
}

/**
 * The days of a report. Without a last day, it is today; without a first day, it is the last day.
 */
export function requestedDays(
  { from, to }: RequestedDays,
  now: EpochMs,
  timeZone: string | undefined,
): Days | WrongDay {
  const last = to ?? localIn(now, timeZone)[0];
  const days = { from: from ?? last, to: last };
  for (const name of ["from", "to"] as const) {
    if (!isDay(days[name])) return { name, problem: "Expected a day such as 2026-11-21" };
  }
  return days.from > days.to ? { name: "from", problem: `The first day is after the last one, ${days.to}` } : days;
}
