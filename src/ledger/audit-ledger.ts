/**
 * The tax authority's audits of each card, in the ledger's store: which sales were sent, which are proven, and the open
 * audit. Ids of entries are in the order of signing. Each call of {@link AuditLedger.commit} is one durable commit.
 */
import type { Scaled } from "../fiscal/money.js";
import type { Entry } from "./ledger.js";

/**
 * - `ended`: the card has accepted the proof.
 * - `void`: the card does not know the audit.
 * - `superseded`: another audit was started after it.
 */
export type AuditOutcome = "ended" | "void" | "superseded";

export interface NewAudit {
  readonly uid: string;
  /** ms since the epoch. */
  readonly startedAt: number;
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
  /** ms since the epoch; null until the authority has received the request. */
  readonly requestedAt: number | null;
  /** A proof was sent to the card, and the answer is unknown. */
  readonly proofSent: boolean;
  /** ms since the epoch; null while it is open. */
  readonly endedAt: number | null;
  readonly outcome: AuditOutcome | null;
}

/** The authority's verdict on a package; status null if no package could be made of the stored sale. */
export interface PackageVerdict {
  readonly entry: number;
  /** `UID-UID-totalCounter` of the sale. */
  readonly number: string;
  readonly status: number | null;
  /** ms since the epoch. */
  readonly at: number;
}

/** A package that the authority has and did not verify. */
export interface UnverifiedPackage extends PackageVerdict {
  /** How often it was sent. */
  readonly tries: number;
}

/** A package that the authority refused. It is sent again later; the next packages do not wait for it. */
export interface Refusal {
  readonly entry: number;
  /** `UID-UID-totalCounter` of the sale. */
  readonly number: string;
  /** The authority's message, for people. */
  readonly reason: string;
  /** ms since the epoch, of the last attempt. */
  readonly at: number;
}

export interface AuditProgress {
  /** Id of the newest entry whose package was sent. The authority has all packages up to it except the refused ones. */
  readonly sentTo: number;
  /** Id of the newest entry that a proof covers. */
  readonly provenTo: number;
  /** The authority's verdict on the last package. */
  readonly last: PackageVerdict | null;
  /** How many packages the authority found wrong, and the newest of them. */
  readonly wrong: number;
  readonly lastWrong: PackageVerdict | null;
  /** Refused packages, in the order of their entries. */
  readonly refused: readonly Refusal[];
  /** Id of the newest entry that was written to a stick. */
  readonly onStick: number;
}

/** Sales that the card has counted and this store does not have: total counters, both included. */
export interface MissingSales {
  readonly uid: string;
  readonly from: number;
  readonly to: number;
}

export type AuditChange =
  /** An open audit of this card is superseded. */
  | { readonly kind: "started"; readonly audit: NewAudit }
  /** If `at` is null, the proof is requested again. */
  | { readonly kind: "requested"; readonly id: number; readonly at: number | null }
  /** @see Audit.proofSent */
  | { readonly kind: "proof-sent"; readonly id: number; readonly proofSent: boolean }
  /** `ended` proves all sales that the audit covers. */
  | { readonly kind: "closed"; readonly id: number; readonly at: number; readonly outcome: "ended" | "void" }
  /**
   * The authority has the packages up to this entry. `verified`: the package is settled. `repeat`: send it again later.
   * `wrong`: to send it again does not help, and a person must know.
   */
  | {
      readonly kind: "sent";
      readonly uid: string;
      readonly verdict: PackageVerdict;
      readonly judged: "verified" | "repeat" | "wrong";
    }
  /** The packages up to this entry were written to a stick. */
  | { readonly kind: "on-stick"; readonly uid: string; readonly entry: number }
  | { readonly kind: "refused"; readonly uid: string; readonly refusal: Refusal }
  /** The tax authority's key as the card exports it: packages are made with it when the card is gone. */
  | { readonly kind: "key"; readonly uid: string; readonly key: Uint8Array };

export interface AuditLedger {
  /**
   * Writes all changes or none; they are on the disk when the promise resolves. A change of an audit that is not open
   * fails as "damaged": the store contradicts the caller.
   * @throws LedgerError nothing was written
   */
  commit(changes: readonly AuditChange[]): Promise<void>;
  /** @throws LedgerError */
  openAudit(uid: string): Promise<Audit | undefined>;
  /** The last started audit, open or not. @throws LedgerError */
  lastAudit(uid: string): Promise<Audit | undefined>;
  /** @throws LedgerError */
  progress(uid: string): Promise<AuditProgress>;
  /** Number of complete sales without a proof. Each call reads only the sales since the last one. @throws LedgerError */
  unsent(uid: string): Promise<number>;
  /** Id of the newest complete sale of a card; 0 without one. @throws LedgerError */
  newest(uid: string): Promise<number>;
  /**
   * The next complete sale of a card; none beyond a sale in doubt, because that one may become complete.
   * @param after id of an entry @throws LedgerError
   */
  nextSale(uid: string, after: number): Promise<Entry | undefined>;
  /** Unverified packages that no proof covers, oldest first. @param most of them @throws LedgerError */
  unverified(uid: string, most: number): Promise<readonly UnverifiedPackage[]>;
  /**
   * The package that waits longest to be sent again: at first a minute after it was sent, later an hour. Undefined if none is due.
   * @param now ms since the epoch @throws LedgerError
   */
  nextToRepeat(uid: string, now: number): Promise<UnverifiedPackage | undefined>;
  /**
   * Sales of every card that were reported as `behind` and that no proof covers: no audit that was started after the report
   * has ended. Oldest report first. @throws LedgerError
   */
  missing(): Promise<readonly MissingSales[]>;
  /** UIDs of cards with sales in the store, in order. @throws LedgerError */
  cards(): Promise<readonly string[]>;
  /** 259 bytes; undefined if the key was never read. @throws LedgerError */
  authorityKey(uid: string): Promise<Uint8Array | undefined>;
}

/** Statuses with which a package is sent again (protocol facts, section 8): not verified yet, signature valid. */
export const REPEATED_STATUSES: readonly number[] = [0, 1];

/** ms until a package is sent again: `first` after it was sent once, `later` after each further time. */
export const REPEAT_MS = { first: 60_000, later: 3_600_000 };

/** Replaces an entry's refusal, or removes it. */
export function refusalsWith(refused: readonly Refusal[], entry: number, refusal?: Refusal): readonly Refusal[] {
  const others = refused.filter((one) => one.entry !== entry);
  return refusal ? [...others, refusal].toSorted((a, b) => a.entry - b.entry) : others;
}
