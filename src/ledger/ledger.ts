/**
 * The ledger: intents before the card is asked, answers before the POS gets them, and reports about cards whose
 * counters it cannot explain. Each call of {@link Ledger.commit} is one durable commit.
 */

/**
 * - `intent`: the card may have been asked to sign it.
 * - `complete`: the card signed it, and its answer is stored.
 * - `lost`: the card counted it, or may have, and its signature is lost for good. Final.
 * - `unproven`: the card twice gave a signature that its certificate does not prove. Final.
 * - `adopted`: the card repeated it, and this ledger never had its intent. It has no journal.
 * - `erased`: it was erased when its retention period was over. Only {@link Ledger.byRequestId} finds it, for repeats.
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
  /** The card's answer: header, counters, internal data, signature. */
  readonly signature: Uint8Array | null;
  /** JSON, without the QR code; null unless complete or adopted. */
  readonly answer: string | null;
  /** False if the entry is damaged: its checksum does not match. */
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
  /** The card's answer: header, counters, internal data, signature. */
  readonly signature: Uint8Array;
  /** JSON, without the QR code. */
  readonly answer: string;
}

export interface Adopted extends Completion {
  readonly uid: string;
}

/** What the last change "card" recorded about a card. Entries do not alter it. */
export interface CardRecord {
  /** X.509 DER of the last known certificate; undefined if there is none. */
  readonly certificate: Uint8Array | undefined;
  /** The last known total counter; undefined for a new card. */
  readonly lastCounter: number | undefined;
  /** Invoice types that add to the card's sum, as observed. */
  readonly counting: readonly string[];
}

/**
 * Kinds of reports for people.
 * - `behind`: the card has counted `from` to `to`, and the ledger does not have these invoices.
 * - `back`: the card's counter went from `from` back to `to`.
 * - `swapped`: another card has the same UID. The first one had counted to `from`, this one to `to`.
 * - `lost`, `unproven`: invoice `from` was counted without a receipt.
 * - `decided`: a person has settled a sale in doubt.
 */
export type ReportKind = "behind" | "back" | "swapped" | "lost" | "unproven" | "decided";

export interface NewReport {
  readonly uid: string;
  readonly kind: ReportKind;
  /** Total counters; null if unknown. */
  readonly from: number | null;
  readonly to: number | null;
  /** ms since the epoch. */
  readonly at: number;
  /** RequestId of the sale; null if it has none. */
  readonly requestId: string | null;
}

export interface Report extends NewReport {
  readonly id: number;
  /** ms since the epoch; null until a person has confirmed it. */
  readonly confirmedAt: number | null;
}

export type Change =
  /** Written before the card is asked. */
  | { readonly kind: "intent"; readonly intent: NewIntent }
  | { readonly kind: "complete"; readonly id: number; readonly completion: Completion }
  /** The card has not signed it: the intent is deleted, and its RequestId is free again. */
  | { readonly kind: "abandon"; readonly id: number }
  /** @see EntryState */
  | { readonly kind: "lose"; readonly id: number; readonly totalCounter: number | null }
  | { readonly kind: "unproven"; readonly id: number; readonly completion: Omit<Completion, "answer"> }
  | { readonly kind: "adopt"; readonly receipt: Adopted }
  | {
      readonly kind: "card";
      readonly uid: string;
      readonly lastCounter: number;
      readonly counting: readonly string[];
      /** X.509 DER, for `tillseal verify`; if absent, the ledger keeps the last one. Earlier ones stay in the store. */
      readonly certificate?: Uint8Array | undefined;
    }
  /** `known`: a person caused it, so it needs no confirmation. */
  | { readonly kind: "report"; readonly report: NewReport; readonly known?: boolean }
  | { readonly kind: "confirm"; readonly id: number; readonly at: number };

/** Why a commit failed; the message says where and what to do. */
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
   * Writes all changes or none; they are on the disk when the promise resolves. Commits take effect in the order of the
   * calls. A change of an entry that is not an open intent, of a confirmed report, or with a RequestId in use fails as
   * "damaged": the store contradicts the caller.
   * @returns ids of the new intents, in order
   * @throws LedgerError nothing was written
   */
  commit(changes: readonly Change[]): Promise<readonly number[]>;
  /** @throws LedgerError */
  byRequestId(requestId: string): Promise<Entry | undefined>;
  /** Oldest first; more than one if a card's counter went back. @throws LedgerError */
  byNumber(number: string): Promise<readonly Entry[]>;
  /** The newest entry of a card that has a number. @throws LedgerError */
  last(uid: string): Promise<Entry | undefined>;
  /** Intents with an unknown outcome, oldest first. @param uid of a card; default: all cards. @throws LedgerError */
  openIntents(uid?: string): Promise<readonly Entry[]>;
  /** @throws LedgerError */
  card(uid: string): Promise<CardRecord>;
  /** Reports that are not confirmed yet, oldest first. @throws LedgerError */
  reports(): Promise<readonly Report[]>;
}
