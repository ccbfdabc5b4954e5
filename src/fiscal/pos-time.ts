/**
 * The times that a POS writes on an invoice, dateAndTimeOfIssue and referentDocumentDT (protocol facts, section 4,
 * "Times"). Receipts print their digits; the instant decides about rates and goes into audit packages.
 */
import type { EpochMs } from "../base/epoch-ms.js";
import { parseTime } from "./time.js";
import { momentOf, type WallTime, wallIn } from "./zoned.js";

/** A time as the POS wrote it, in the spelling of {@link readPosTime}. */
export type PosTime = string;

/** A time of a sale that was made: neither a change of the clock nor another zone alters it. */
export interface SoldTime {
  readonly printed: WallTime;
  readonly instant: EpochMs;
}

const FIRST: WallTime = "1900-01-01T00:00:01";
const LAST: WallTime = "9999-12-31T23:59:59";
const LAST_MS = Date.parse(`${LAST}.999Z`);
/** Number of characters of a {@link WallTime}, and of a time with milliseconds. */
const [WALL, DIGITS] = [19, 23];

export const TIME_RANGE = { message: "must be from {first} to {last}", values: { first: FIRST, last: LAST } };

/** Whether the digits are in the allowed range. A year of four digits cannot be too late. */
export function isInRange(time: PosTime | WallTime): boolean {
  return time.slice(0, WALL) >= FIRST;
}

/** @param timeZone zone of the environment */
export function soldTime(time: PosTime, timeZone: string): SoldTime {
  const [digits, zone] = [time.slice(0, DIGITS), time.slice(DIGITS)];
  const written = zone === "" ? momentOf(digits, timeZone).getTime() : Date.parse(time);
  const instant = Math.min(written, LAST_MS);
  if (zone === "" || zone === "Z") return { printed: time.slice(0, WALL), instant };
  const shown = wallIn(instant, timeZone);
  return { printed: shown.startsWith("+") ? LAST : shown, instant };
}

/** Reads the time in the answer of a receipt, whose digits are the printed ones. */
export function receiptTime(sdcDateTime: string): SoldTime {
  return { printed: sdcDateTime.slice(0, WALL), instant: parseTime(sdcDateTime) ?? Number.NaN };
}

/**
 * Whether a time is that of a receipt: its printed digits, whatever zone stands behind them, or its instant. Fractions of
 * a second do not count, because a POS may cut them off.
 * @param timeZone zone of the environment
 */
export function isTimeOf(time: PosTime, receipt: SoldTime, timeZone: string): boolean {
  const secondOf = (instant: number) => Math.floor(instant / 1000);
  if (time.slice(0, WALL) === receipt.printed) return true;
  return secondOf(soldTime(time, timeZone).instant) === secondOf(receipt.instant);
}
