/**
 * The ledger stores intents before the card is asked, answers before the POS gets them, and reports about cards whose
 * counters the ledger cannot explain. Each call of {@link Ledger.commit} is one durable commit.
 */
import type { EpochMs } from "../base/epoch-ms.js";
import { EXIT, UserError } from "../base/user-error.js";

/**
 * State of a sale in the ledger.
 * - `intent`: the card may have been asked to sign the sale.
 * - `complete`: the card signed the sale, and its answer is stored.
 * - `lost`: the card counted the sale, or may have counted it, and the signature is lost for good. This state is final.
 * - `unproven`: the card twice gave a signature that its certificate does not prove. This state is final.
 * - `adopted`: the card repeated the sale, and this ledger never had its intent. The sale has no journal.
 * - `erased`: a person, or the service after the retention period, has erased the sale. Only {@link Ledger.byRequestId} finds it, to
 *   refuse repeats.
 */
export type EntryState = "intent" | "complete" | "lost" | "unproven" | "adopted" | "erased";

export interface Entry {
  readonly id: number;
  readonly requestId: string | null;
  /** SHA-256 of the normalised request, to recognise a repeat; "" for an adopted entry. */
  readonly requestHash: string;
  /** UID of the card that was or will be asked to sign. */
  readonly uid: string;
  readonly state: EntryState;
  /** What {@link NewIntent} has, JSON; null for an adopted entry. */
  readonly intent: string | null;
  readonly totalCounter: number | null;
  readonly number: string | null;
  /** The card's answer: header, counters, internal data, signature. */
  readonly signature: Uint8Array | null;
  /** The answer to the POS, JSON, without the QR code; null unless the entry is complete or adopted. */
  readonly answer: string | null;
  /** False if the entry is damaged: its checksum does not match. */
  readonly intact: boolean;
}

export type NewIntent = Pick<Entry, "requestId" | "requestHash" | "uid"> & { readonly intent: string };

export type Completion = {
  readonly [Name in "totalCounter" | "number" | "signature" | "answer"]: NonNullable<Entry[Name]>;
};

export type Adopted = Completion & Pick<Entry, "uid">;

/** What the ledger records about a card. Only a change of the kind `card` alters it. */
export interface CardRecord {
  /** X.509 DER of the last known certificate; undefined if there is none. */
  readonly certificate: Uint8Array | undefined;
  /** The last known total counter; undefined for a new card. */
  readonly lastCounter: number | undefined;
  /** Invoice types that were seen to add to the card's sum. */
  readonly counting: readonly string[];
  /** Whether the store was restored, and the card has not said its counter since. */
  readonly restored: boolean;
  readonly refusal: KeptRefusal | undefined;
}

/** Why a card refuses to sign: `disabled` until the authority enables the card, `counter-at-end` for ever. */
export type LastingRefusal = "disabled" | "counter-at-end";

/** The card's refusal of the last sale. Only a signature or a directive of the authority ends it. */
export interface KeptRefusal {
  readonly why: LastingRefusal;
  readonly at: EpochMs;
}

/**
 * Kinds of reports for people.
 * - `behind`: the card has counted `from` to `to`, and the ledger does not have these invoices. It may have adopted `to`.
 * - `back`: the card's counter went from `from` back to `to`.
 * - `swapped`: another card has the same UID. The first card had counted to `from`, the other card to `to`.
 * - `lost`, `unproven`: invoice `from` was counted without a receipt.
 * - `decided`: a person has settled a sale in doubt.
 */
export type ReportKind = "behind" | "back" | "swapped" | "lost" | "unproven" | "decided";

export interface NewReport {
  readonly uid: string;
  readonly kind: ReportKind;
  /** `from` and `to` are total counters; null if unknown. */
  readonly from: number | null;
  readonly to: number | null;
  readonly at: EpochMs;
  /** RequestId of the sale; null if the sale has none. */
  readonly requestId: string | null;
}

export interface Report extends NewReport {
  readonly id: number;
  /** Null until a person has confirmed the report. */
  readonly confirmedAt: EpochMs | null;
  /** 1 if the ledger has adopted the invoice `to` of a report `behind`, else 0. */
  readonly adopted: 0 | 1;
}

export type Change =
  /** A new intent, which is written before the card is asked. */
  | { readonly kind: "intent"; readonly intent: NewIntent }
  | { readonly kind: "complete"; readonly id: number; readonly completion: Completion }
  /** The card has not signed the sale. The intent is deleted, and its RequestId may be used again. */
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
      /**
       * The card's certificate, X.509 DER, for `tillseal verify`. Without it, the ledger keeps the last certificate.
       * Earlier certificates stay in the store.
       */
      readonly certificate?: Uint8Array | undefined;
    }
  | { readonly kind: "refused"; readonly uid: string; readonly why: LastingRefusal; readonly at: EpochMs }
  /** The card has executed a directive, which may let it sign again. */
  | { readonly kind: "accepted"; readonly uid: string }
  /** `known`: a person caused what is reported, so the report needs no confirmation. */
  | { readonly kind: "report"; readonly report: NewReport; readonly known?: boolean }
  | { readonly kind: "confirm"; readonly id: number; readonly at: number };

/** Why a commit failed. The message of the error says where, and what to do. */
export type LedgerFault =
  | "full"
  | "read-only"
  | "io"
  /** The process, or the system, has too many open files. */
  | "no-files"
  /** Another program holds the store's file. */
  | "busy"
  /** Another service has begun to write to the store. */
  | "taken-over"
  /** The store's file was removed or replaced while it was open. */
  | "gone"
  | "damaged";

/** The store cannot be used; the message says what to do. */
export class StoreError extends UserError {
  override readonly name: string = "StoreError";
  constructor(message: string, options?: ErrorOptions) {
    super(message, EXIT.failed, options);
  }
}

/** The store failed; the message says what to do. */
export class LedgerError extends StoreError {
  override readonly name = "LedgerError";

  constructor(
    readonly fault: LedgerFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Each call throws a {@link LedgerError} if the store fails; a commit has then written nothing. */
export interface Ledger {
  /**
   * Writes all changes or none; they are on the disk when the promise resolves. Commits take effect in the order of the
   * calls. A change of an entry that is not an open intent, of a confirmed report, or with a RequestId in use fails as
   * "damaged", because the store contradicts the caller.
   * @returns ids of the new intents, in order
   */
  commit(changes: readonly Change[]): Promise<readonly number[]>;
  byRequestId(requestId: string): Promise<Entry | undefined>;
  /** The entries with this number, oldest first. There are several if a card's counter went back. */
  byNumber(number: string): Promise<readonly Entry[]>;
  /** The newest entry with a number, of one card. */
  last(uid: string): Promise<Entry | undefined>;
  /** Intents with an unknown outcome, oldest first. @param uid of a card; default: all cards. */
  openIntents(uid?: string): Promise<readonly Entry[]>;
  card(uid: string): Promise<CardRecord>;
  /** Reports that are not confirmed yet, oldest first. */
  reports(): Promise<readonly Report[]>;
}
