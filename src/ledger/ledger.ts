/**
 * The ledger: intents before the card is asked, answers before the POS gets them, and what a person must know of
 * a card whose counters the ledger cannot explain. One call of {@link Ledger.commit} is one durable commit.
 */

/**
 * - `intent`: the card may have been asked to sign it.
 * - `complete`: the card signed it, and its answer is here.
 * - `lost`: the card counted it, or may have, and its signature cannot be had any more. Final.
 * - `unproven`: the card gave twice a signature that its certificate does not prove. Final.
 * - `adopted`: the card repeated it, and this ledger never had its intent. It has no journal.
 * - `erased`: the receipt was there, and was erased when its years were over. Only {@link Ledger.byRequestId} knows it, for repeats.
 */
export type EntryState = "intent" | "complete" | "lost" | "unproven" | "adopted" | "erased";

export interface Entry {
  readonly id: number;
  readonly requestId: string | null;
  /** SHA-256 of the normalised request; "" for an adopted entry. */
  readonly requestHash: string;
  /** The card that was or will be asked. */
  readonly uid: string;
  readonly state: EntryState;
  /** JSON; null for an adopted entry. */
  readonly intent: string | null;
  readonly totalCounter: number | null;
  readonly number: string | null;
  /** What the card said: header, counters, internal data, signature. */
  readonly signature: Uint8Array | null;
  /** JSON, without the QR code; null unless complete or adopted. */
  readonly answer: string | null;
  /** False where the entry is not what was written: its checksum does not fit. */
  readonly intact: boolean;
}

export interface NewIntent {
  readonly requestId: string | null;
  readonly requestHash: string;
  readonly uid: string;
  /** JSON. */
  readonly intent: string;
}

export interface Completion {
  readonly totalCounter: number;
  readonly number: string;
  /** What the card said: header, counters, internal data, signature. */
  readonly signature: Uint8Array;
  /** JSON, without the QR code. */
  readonly answer: string;
}

export interface Adopted extends Completion {
  readonly uid: string;
}

/** What the ledger knows of a card: what the last change "card" said. Entries do not alter it. */
export interface CardRecord {
  /** X.509 DER, as it was said last; undefined where it never was. */
  readonly certificate: Uint8Array | undefined;
  /** The total counter that the card is known to have reached; undefined for a card that is new here. */
  readonly lastCounter: number | undefined;
  /** Invoice types that were seen to add to the card's sum. */
  readonly counting: readonly string[];
}

/**
 * What a person must know.
 * - `behind`: the card has counted `from` to `to`, and the ledger does not have these invoices.
 * - `back`: the card's counter went from `from` back to `to`.
 * - `swapped`: another card has the same UID. The first one had counted to `from`, this one to `to`.
 * - `lost`, `unproven`: invoice `from` was counted, and there is no receipt of it.
 * - `decided`: a person has settled a sale in doubt.
 */
export type ReportKind = "behind" | "back" | "swapped" | "lost" | "unproven" | "decided";

export interface NewReport {
  readonly uid: string;
  readonly kind: ReportKind;
  /** Total counters; null where they are not known. */
  readonly from: number | null;
  readonly to: number | null;
  /** ms since the epoch. */
  readonly at: number;
  /** RequestId of the sale that it is about; null where there is none. */
  readonly requestId: string | null;
}

export interface Report extends NewReport {
  readonly id: number;
  /** ms since the epoch; null until a person has confirmed that it is known. */
  readonly confirmedAt: number | null;
}

export type Change =
  /** Before the card is asked. */
  | { readonly change: "intent"; readonly intent: NewIntent }
  | { readonly change: "complete"; readonly id: number; readonly completion: Completion }
  /** The card has not signed it: the intent goes, and its RequestId is free again. */
  | { readonly change: "abandon"; readonly id: number }
  /** @see EntryState */
  | { readonly change: "lose"; readonly id: number; readonly totalCounter: number | null }
  | { readonly change: "unproven"; readonly id: number; readonly completion: Omit<Completion, "answer"> }
  | { readonly change: "adopt"; readonly receipt: Adopted }
  | {
      readonly change: "card";
      readonly uid: string;
      readonly lastCounter: number;
      readonly counting: readonly string[];
      /** X.509 DER, for `tillseal verify`; without one the ledger keeps what it has. Earlier ones stay in the store. */
      readonly certificate?: Uint8Array | undefined;
    }
  /** `known`: a person is the source of it, and has nothing to confirm. */
  | { readonly change: "report"; readonly report: NewReport; readonly known?: boolean }
  | { readonly change: "confirm"; readonly id: number; readonly at: number };

/** Why the ledger did not take a commit; the message says where and what to do. */
export type LedgerFault =
  | "full"
  | "read-only"
  | "io"
  /** Another program holds the file. */
  | "busy"
  /** Another service has begun to write here. */
  | "taken-over"
  /** The file was removed or replaced while it was open. */
  | "gone"
  | "damaged";

export class LedgerError extends Error {
  override readonly name = "LedgerError";

  constructor(
    readonly fault: LedgerFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface Ledger {
  /**
   * Writes all changes or none; what is written is on the disk when the promise resolves. Commits take effect in the
   * order in which they were asked for. A change of an entry that is not an open intent, of a report that is
   * confirmed, and a RequestId that is in use are "damaged": the store does not say what the caller knows.
   * @returns ids of the new intents, in their order
   * @throws LedgerError nothing was written
   */
  commit(changes: readonly Change[]): Promise<readonly number[]>;
  /** @throws LedgerError */
  byRequestId(requestId: string): Promise<Entry | undefined>;
  /** Oldest first; more than one where a card's counter went back. @throws LedgerError */
  byNumber(number: string): Promise<readonly Entry[]>;
  /** The newest entry of a card that has a number. @throws LedgerError */
  last(uid: string): Promise<Entry | undefined>;
  /** Intents whose outcome is not known, oldest first. @param uid of a card; all cards without it. @throws LedgerError */
  openIntents(uid?: string): Promise<readonly Entry[]>;
  /** @throws LedgerError */
  card(uid: string): Promise<CardRecord>;
  /**
   * Reports that are not confirmed yet, oldest first. A store of an earlier version has one of kind `lost` for each
   * entry of that state. @throws LedgerError
   */
  reports(): Promise<readonly Report[]>;
}
