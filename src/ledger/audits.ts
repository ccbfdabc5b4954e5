/**
 * The tax authority's audits of each card, kept in the ledger's store: which sales were sent, which sales are proven,
 * and the open audit. Ids of entries are in the order of signing. Each call of {@link AuditLedger.commit} is one
 * durable commit.
 */
import type { EpochMs } from "../base/epoch-ms.js";
import type { Scaled } from "../fiscal/money.js";
import type { Entry } from "./ledger.js";

/**
 * - `ended`: the card has accepted the proof.
 * - `void`: the card does not know the audit.
 * - `superseded`: another audit was started after this one.
 */
export type AuditOutcome = "ended" | "void" | "superseded";

export interface NewAudit {
  readonly uid: string;
  readonly startedAt: EpochMs;
  /** The card's answer to Start Audit: 260 bytes. */
  readonly request: Uint8Array;
  /** Sum and limit that the card gave when the audit was started. */
  readonly sum: Scaled;
  readonly limit: Scaled;
  /** Id of the newest entry that the audit covers. */
  readonly covers: number;
}

export interface Audit extends NewAudit {
  readonly id: number;
  /** Null until the authority has received the request. */
  readonly requestedAt: EpochMs | null;
  /** Whether a proof was sent to the card and the card's answer is unknown. */
  readonly proofSent: boolean;
  /** Null while the audit is open. */
  readonly endedAt: EpochMs | null;
  readonly outcome: AuditOutcome | null;
}

/** The authority's verdict on a package. The status is null if no package could be made of the stored sale. */
export interface PackageVerdict {
  readonly entry: number;
  /** `UID-UID-totalCounter` of the sale. */
  readonly number: string;
  readonly status: number | null;
  readonly at: EpochMs;
}

/** A package that the authority has and did not verify. */
export interface UnverifiedPackage extends PackageVerdict {
  /** How often the package was sent. */
  readonly tries: number;
}

/**
 * A package that the authority refused at the last attempt to send it. The service sends it again later, and the next
 * packages do not wait for it.
 */
export interface PackageRefusal extends Omit<PackageVerdict, "status"> {
  /** The authority's message, for people. */
  readonly reason: string;
}

export interface AuditProgress {
  /**
   * Id of the newest entry whose package was sent. The authority has all packages up to that entry, except the refused
   * ones.
   */
  readonly sentTo: number;
  /** Id of the newest entry that a proof covers. */
  readonly provenTo: number;
  /** The authority's verdict on the last package. */
  readonly last: PackageVerdict | null;
  /** Number of packages that the authority found wrong. `lastWrong` is its verdict on the newest of them. */
  readonly wrong: number;
  readonly lastWrong: PackageVerdict | null;
  /** Refused packages, in the order of their entries. */
  readonly refused: readonly PackageRefusal[];
  /** Id of the newest entry that was written to a stick. */
  readonly onStick: number;
}

/** Sales that the card has counted and this store does not have. `from` and `to` are total counters, both included. */
export interface MissingSales {
  readonly uid: string;
  readonly from: number;
  readonly to: number;
}

/** Receipts that the authority may not have. No proof covers them, and they are on no stick. */
export interface NotReached {
  /** Number of intact receipts that are not sent yet, or that the authority has refused. */
  readonly waiting: number;
  /** The oldest of these receipts of each card. */
  readonly oldest: readonly Entry[];
  /** Receipts of which no package can be made, or whose package cannot be trusted. */
  readonly damaged: readonly Entry[];
  /** Number of sales that a card may have signed, and of sales that are being signed. */
  readonly inDoubt: number;
  /** Receipts that only their cards have counted, if no person has confirmed their report. */
  readonly missing: readonly MissingSales[];
  /** Counters of receipts without a proven signature, if no person has confirmed their report; null if not known. */
  readonly unsigned: readonly (number | null)[];
  /** UIDs of cards that have not said their counter since the store was restored. */
  readonly restored: readonly string[];
}

export type AuditChange =
  /** An audit was started. If the card has another open audit, that audit is superseded. */
  | { readonly kind: "started"; readonly audit: NewAudit }
  /** The proof was requested from the authority. If `at` is null, the service requests the proof again. */
  | { readonly kind: "requested"; readonly id: number; readonly at: number | null }
  /** @see Audit.proofSent */
  | { readonly kind: "proof-sent"; readonly id: number; readonly proofSent: boolean }
  /** The audit is not open any more. The outcome `ended` proves all sales that the audit covers. */
  | { readonly kind: "closed"; readonly id: number; readonly at: number; readonly outcome: "ended" | "void" }
  /**
   * The authority has the packages up to the entry in `verdict`. `verified`: the package is settled. `repeat`: the
   * service sends the package again later. `wrong`: sending the package again does not help, and a person must know.
   */
  | {
      readonly kind: "sent";
      readonly uid: string;
      readonly verdict: PackageVerdict;
      readonly judged: "verified" | "repeat" | "wrong";
    }
  /** The packages up to the entry with the id `entry` were written to a stick. */
  | { readonly kind: "on-stick"; readonly uid: string; readonly entry: number }
  | { readonly kind: "refused"; readonly uid: string; readonly refusal: PackageRefusal }
  /** The tax authority's key as the card exports it. The store keeps the key to make packages when the card is gone. */
  | { readonly kind: "key"; readonly uid: string; readonly key: Uint8Array };

/** Statuses with which a package is sent again (protocol facts, section 8): not verified yet, signature valid. */
export const REPEATED_STATUSES: readonly number[] = [0, 1];

/** ms until a package is sent again: `first` after it was sent once, `later` after each further time. */
export const REPEAT_MS = { first: 60_000, later: 3_600_000 };
