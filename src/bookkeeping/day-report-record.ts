/**
 * Describes a report as JSON, for programs and the console. Amounts are decimal texts with two decimals, or four decimals
 * if only the card knows them.
 */
import type { Balance, DayReport, Days, KindTotal, LabelBalance, PaymentBalance } from "../fiscal/day-report.js";
import type { Taxpayer } from "../fiscal/invoice.js";
import type { NumberForm } from "../fiscal/journal/layout.js";

export type BalanceRecord = Balance<string>;
export type KindRecord = KindTotal<string>;
export type PaymentRecord = PaymentBalance<string>;

export interface DayReportRecord extends Days, Omit<DayReport<string>, "labels"> {
  /** The shop's time zone; null if it is unknown. The machine's time zone was used then. */
  readonly timeZone: string | null;
  /** How the last receipt prints numbers; null as its language does. */
  readonly numberForm: NumberForm | null;
  /** The taxpayer on the last receipt of these days; null if there is none. */
  readonly taxpayer: Taxpayer | null;
  readonly labels: readonly Omit<LabelBalance<string>, "categoryType">[];
  /** Number of damaged receipts, which are in no sum. */
  readonly unreadable: number;
}
