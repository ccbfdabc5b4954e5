/**
 * Thresholds for warnings about what will stop a sale. `doctor`, status, console, log and metrics all use these rules;
 * those of the card's limit are in src/fiscal/limit.ts.
 */

const DAY = 24 * 3600 * 1000;
const MIB = 1024 * 1024;

/** Days before the end of a card's certificate from which we warn: a new card takes weeks to get. */
export const RENEWAL_DAYS = 60;
/** An invoice takes about 5 kB; below this, a busy shop has less than a week left. */
export const LOW_DISK_BYTES = 500 * MIB;
/** Less than this is not enough for the store's files. */
export const NO_DISK_BYTES = 20 * MIB;
/** ms; the network delay limits the accuracy of a time server. */
const LEAST_TOLERANCE_MS = 1_000;
/** Percent of the setting unsentLimit from which we warn. */
const PACKAGES_SOON_PERCENT = 90;

export interface Validity {
  /** ms since the epoch. */
  readonly validFrom: number;
  /** ms since the epoch. */
  readonly validTo: number;
}

export interface CertificateState {
  readonly state: "not-yet" | "valid" | "ends-soon" | "ended";
  /** Whole days; negative after the end. */
  readonly daysLeft: number;
}

/** @param now ms since the epoch */
export function certificateState({ validFrom, validTo }: Validity, now: number): CertificateState {
  const daysLeft = Math.floor((validTo - now) / DAY);
  if (now < validFrom) return { state: "not-yet", daysLeft };
  if (now > validTo) return { state: "ended", daysLeft };
  return { state: daysLeft <= RENEWAL_DAYS ? "ends-soon" : "valid", daysLeft };
}

/**
 * Whether a receipt waits too long: it must be with the authority after some days.
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

/** @param ahead ms by which the clock is ahead; negative if behind. @param tolerance s: the setting clockDrift */
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
