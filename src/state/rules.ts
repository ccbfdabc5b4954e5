/**
 * Decides from which thresholds on we warn about what will stop a sale. `doctor`, status, console, log and metrics all
 * use these rules; the rules of the card's limit are in src/fiscal/limit.ts.
 */
import type { EpochMs } from "../base/epoch-ms.js";

const DAY = 24 * 3600 * 1000;
const MIB = 1024 * 1024;

/** Days before the end of a card's certificate from which we warn, because it takes weeks to get a new card. */
export const RENEWAL_DAYS = 90;
/** Free bytes below which we warn. An invoice takes about 5 kB, so a busy shop has less than a week left. */
export const LOW_DISK_BYTES = 500 * MIB;
/** Free bytes that the store's files need at least. */
export const NO_DISK_BYTES = 20 * MIB;
/** Smallest tolerance of the clock in ms, because the network delay limits the accuracy of a time server. */
const LEAST_TOLERANCE_MS = 1_000;
/** Percent of the setting unsentLimit from which we warn. */
const PACKAGES_SOON_PERCENT = 90;

export interface Validity {
  readonly validFrom: EpochMs;
  readonly validTo: EpochMs;
}

export interface CertificateState {
  readonly state: "not-yet" | "valid" | "ends-soon" | "ended";
  /** Whole days until the certificate ends; negative after its end. */
  readonly daysLeft: number;
}

export function certificateState({ validFrom, validTo }: Validity, now: EpochMs): CertificateState {
  const daysLeft = Math.floor((validTo - now) / DAY);
  if (now < validFrom) return { state: "not-yet", daysLeft };
  if (now > validTo) return { state: "ended", daysLeft };
  return { state: daysLeft <= RENEWAL_DAYS ? "ends-soon" : "valid", daysLeft };
}

/**
 * Whether a receipt waits too long. The authority must have it after some days.
 * @param waits ms since the oldest receipt that the authority does not have
 * @param days the country's number (src/fiscal/countries)
 * @returns `late` from the last day on, `soon` on the day before it
 */
export function receiptsState(waits: number, days: number): "late" | "soon" | "well" {
  if (waits >= (days - 1) * DAY) return "late";
  return waits >= (days - 2) * DAY ? "soon" : "well";
}

export function wholeDays(ms: number): number {
  return Math.floor(ms / DAY);
}

/** @param free bytes */
export function diskState(free: number): "full" | "low" | "well" {
  if (free < NO_DISK_BYTES) return "full";
  return free < LOW_DISK_BYTES ? "low" : "well";
}

/**
 * @param ahead ms by which the clock is ahead; negative if it is behind.
 * @param tolerance the setting clockDrift, in s
 */
export function isClockOff(ahead: number, tolerance: number): boolean {
  return Math.abs(ahead) > Math.max(tolerance * 1000, LEAST_TOLERANCE_MS);
}

/** @param unsent sales that no proof of audit covers. @param limit the setting unsentLimit */
export function packagesState(unsent: number, limit: number): "full" | "soon-full" | "well" {
  if (unsent >= limit) return "full";
  return unsent * 100 >= limit * PACKAGES_SOON_PERCENT ? "soon-full" : "well";
}

export function mebibytes(bytes: number): number {
  return Math.floor(bytes / MIB);
}
