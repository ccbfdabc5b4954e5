/**
 * Decides from which thresholds on we warn about what will stop a sale. `doctor`, status, console, log and metrics all
 * use these rules; the rules of the card's limit are in src/fiscal/limit.ts.
 */
import type { EpochMs } from "../base/epoch-ms.js";
import type { CardIdentity } from "../secure-element/secure-element.js";

const DAY_MS = 24 * 3600 * 1000;
const MIB = 1024 * 1024;

/** Days before the end of a card's certificate from which we warn, because it takes weeks to get a new card. */
const RENEWAL_DAYS = 90;
/** Free bytes below which we warn. An invoice takes about 5 kB, so a busy shop has less than a week left. */
export const LOW_DISK_BYTES = 500 * MIB;
/** Free bytes that the store's files need at least. */
export const NO_DISK_BYTES = 20 * MIB;
/** Smallest tolerance of the clock in ms, because the network delay limits the accuracy of a time server. */
const LEAST_TOLERANCE_MS = 1_000;

export interface CertificateState {
  readonly state: "not-yet" | "valid" | "ends-soon" | "ended";
  /** Whole days until the certificate ends; negative after its end. */
  readonly daysLeft: number;
}

export type Validity = Pick<CardIdentity, "validFrom" | "validTo">;

export function certificateState({ validFrom, validTo }: Validity, now: EpochMs): CertificateState {
  const daysLeft = wholeDays(validTo - now);
  if (now < validFrom) return { state: "not-yet", daysLeft };
  if (now > validTo) return { state: "ended", daysLeft };
  return { state: daysLeft <= RENEWAL_DAYS ? "ends-soon" : "valid", daysLeft };
}

export function wholeDays(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** @param ahead ms by which the clock is ahead; negative if behind @param tolerance the setting clockDrift, in s */
export function isClockOff(ahead: number, tolerance: number): boolean {
  return Math.abs(ahead) > Math.max(tolerance * 1000, LEAST_TOLERANCE_MS);
}

export function mebibytes(bytes: number): number {
  return Math.floor(bytes / MIB);
}
