/** Sales in doubt and reports, and what a person did about them. */
import type { ReportKind as LedgerReportKind } from "../../ledger/ledger.js";
import type { ReceiptRow } from "../../ledger/receipt-row.js";

export interface ReportsRecord {
  readonly inDoubt: readonly DoubtRecord[];
  /** Reports that are not confirmed yet. */
  readonly reports: readonly ReportRecord[];
}

/** A sale that a card may have signed. */
export interface DoubtRecord {
  readonly id: number;
  /** Name that a person can type: the RequestId, or a name that the service makes. */
  readonly name: string;
  readonly requestId: string | null;
  readonly uid: string;
  /** When the card was asked to sign the sale: ISO 8601, UTC; null if the entry is damaged. */
  readonly since: string | null;
  /** Decimal text; null if the entry is damaged. */
  readonly totalAmount: string | null;
  /** `WayOut` of the fiscalizer. */
  readonly wayOut: "pin" | "card" | "training" | "person";
}

/** Kinds of reports that a person must confirm. A person's own decision needs no confirmation. */
export type ReportKind = Exclude<LedgerReportKind, "decided">;

export interface ReportRecord {
  readonly id: number;
  readonly kind: ReportKind;
  readonly uid: string;
  /** Total counters that the report is about; null if they are unknown. */
  readonly from: number | null;
  readonly to: number | null;
  /** Whether the store has number and amount of the invoice `to`, because the card has repeated it. */
  readonly adopted: boolean;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** RequestId of the sale that the report is about. */
  readonly requestId: string | null;
}

/** The result of a Training receipt that was signed to settle a sale in doubt. */
export interface TrainingRecord {
  /** State of the entry of the sale that was in doubt; `gone` if the card had not signed the sale. */
  readonly sale: ReceiptRow["state"] | "gone";
}
