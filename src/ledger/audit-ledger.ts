/**
 * The tax authority's audits of each card, beside the ledger in the same store: which sales were sent, which are proven, and the
 * audit that is open. An entry's id says its place in the order of signing. One call of {@link AuditLedger.commit} is one durable
 * commit.
 */
import type { Scaled } from "../fiscal/money.js";
import type { Entry } from "./ledger.js";

/**
 * - `ended`: the card has taken the proof.
 * - `void`: the card knows nothing of it.
 * - `superseded`: another audit was started after it.
 */
export type AuditOutcome = "ended" | "void" | "superseded";

export interface NewAudit {
  readonly uid: string;
  /** ms since the epoch. */
  readonly startedAt: number;
  /** What the card answered to Start Audit: 260 bytes. */
  readonly request: Uint8Array;
  /** As the card said when the audit was started. */
  readonly sum: Scaled;
  readonly limit: Scaled;
  /** Id of the newest entry that it covers. */
  readonly covers: number;
}

export interface Audit extends NewAudit {
  readonly id: number;
  /** ms since the epoch; null until the authority has got the request. */
  readonly requestedAt: number | null;
  /** A proof was put to the card, and its answer is not known. */
  readonly asked: boolean;
  /** ms since the epoch; null while it is open. */
  readonly endedAt: number | null;
  readonly outcome: AuditOutcome | null;
}

/** What the authority said of a package; null where none could be made of the stored sale. */
export interface Verdict {
  readonly entry: number;
  /** `UID-UID-totalCounter` of the sale. */
  readonly number: string;
  readonly status: number | null;
  /** ms since the epoch. */
  readonly at: number;
}

/** A package that the authority did not take. It is sent again later, and those behind it do not wait for it. */
export interface Refusal {
  readonly entry: number;
  /** `UID-UID-totalCounter` of the sale. */
  readonly number: string;
  /** What the authority said, for people. */
  readonly reason: string;
  /** ms since the epoch, of the last attempt. */
  readonly at: number;
}

export interface AuditProgress {
  /** Id of the newest entry that the authority was sent. It has all of them but those it has refused. */
  readonly sentTo: number;
  /** Id of the newest entry that a proof covers. */
  readonly provenTo: number;
  /** Of the package that was sent last. */
  readonly last: Verdict | null;
  /** How many packages the authority found wrong, and the newest of them. */
  readonly wrong: number;
  readonly lastWrong: Verdict | null;
  /** By entry. */
  readonly refused: readonly Refusal[];
}

export type AuditChange =
  /** An open audit of this card is superseded. */
  | { readonly change: "started"; readonly audit: NewAudit }
  /** `null`: the proof is asked for again. */
  | { readonly change: "requested"; readonly id: number; readonly at: number | null }
  /** @see Audit.asked */
  | { readonly change: "asked"; readonly id: number; readonly asked: boolean }
  /** `ended` proves all that it covers. */
  | { readonly change: "closed"; readonly id: number; readonly at: number; readonly outcome: "ended" | "void" }
  /** The authority has the package of this entry, and of all before it. */
  | { readonly change: "sent"; readonly uid: string; readonly verdict: Verdict; readonly wrong: boolean }
  | { readonly change: "refused"; readonly uid: string; readonly refusal: Refusal }
  /** The tax authority's key as the card exports it: packages are made with it when the card is gone. */
  | { readonly change: "key"; readonly uid: string; readonly key: Uint8Array };

export interface AuditLedger {
  /**
   * Writes all changes or none; what is written is on the disk when the promise resolves. A change of an audit that is not
   * open is "damaged": the store does not say what the caller knows.
   * @throws LedgerError nothing was written
   */
  commit(changes: readonly AuditChange[]): Promise<void>;
  /** @throws LedgerError */
  openAudit(uid: string): Promise<Audit | undefined>;
  /** The one that was started last, open or not. @throws LedgerError */
  lastAudit(uid: string): Promise<Audit | undefined>;
  /** @throws LedgerError */
  progress(uid: string): Promise<AuditProgress>;
  /** How many sales no proof covers: complete ones. Costs what was signed since it was asked last. @throws LedgerError */
  unsent(uid: string): Promise<number>;
  /** Id of the newest complete sale of a card; 0 without one. @throws LedgerError */
  newest(uid: string): Promise<number>;
  /**
   * The next complete sale of a card; none beyond one that is in doubt, as that may become complete.
   * @param after id of an entry @throws LedgerError
   */
  nextSale(uid: string, after: number): Promise<Entry | undefined>;
  /** Cards of which the store has sales, in the order of their UIDs. @throws LedgerError */
  cards(): Promise<readonly string[]>;
  /** 259 bytes; undefined where the card was never asked. @throws LedgerError */
  authorityKey(uid: string): Promise<Uint8Array | undefined>;
}

/** The refusals without one of an entry, and with what is known of it now. */
export function refusalsWith(refused: readonly Refusal[], entry: number, refusal?: Refusal): readonly Refusal[] {
  const others = refused.filter((one) => one.entry !== entry);
  return refusal ? [...others, refusal].toSorted((a, b) => a.entry - b.entry) : others;
}
