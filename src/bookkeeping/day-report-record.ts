/**
 * Describes a report as JSON, for programs and the console. The file has only types, because the console's code
 * imports it, too.
 */
import type { PaymentName } from "../fiscal/day-report.js";
import type { InvoiceType, Taxpayer, TransactionType } from "../fiscal/invoice.js";
import type { NumberForm } from "../fiscal/journal/layout.js";

/**
 * Amounts as decimal texts with two decimals, or four decimals if only the card knows them. Amounts in `refunds` are
 * positive.
 */
export interface MoneyRecord {
  readonly amount: string;
  readonly tax: string;
}

export interface BalanceRecord {
  /** Number of receipts, sales and refunds together. */
  readonly receipts: number;
  readonly sales: MoneyRecord;
  readonly refunds: MoneyRecord;
  readonly difference: MoneyRecord;
}

export interface KindRecord extends MoneyRecord {
  readonly invoiceType: InvoiceType;
  readonly transactionType: TransactionType;
  readonly receipts: number;
}

export interface LabelRecord extends BalanceRecord {
  readonly label: string;
  readonly category: string;
  /** The rate in per cent; for a category of type 2, an amount. */
  readonly rate: string;
}

export interface PaymentRecord {
  readonly payment: PaymentName;
  readonly sales: string;
  readonly refunds: string;
  readonly difference: string;
}

export interface DayReportRecord {
  /** First and last day in the shop's time zone; both are included. */
  readonly from: string;
  readonly to: string;
  /** The shop's time zone; null if it is unknown. The machine's time zone was used then. */
  readonly timeZone: string | null;
  /** How the last receipt prints numbers; null as its language does. */
  readonly numberForm: NumberForm | null;
  /** The taxpayer on the last receipt of these days; null if there is none. */
  readonly taxpayer: Taxpayer | null;
  /** Sums of the fiscal receipts: Normal and Advance. */
  readonly total: BalanceRecord;
  readonly days: readonly (BalanceRecord & { readonly day: string })[];
  /** Hours with receipts, 0 to 23 on the shop's clock, of all days together. */
  readonly hours: readonly (BalanceRecord & { readonly hour: number })[];
  readonly labels: readonly LabelRecord[];
  /** Sums by payment. `change`, `unpaid` and `unknown` are not payments, but make the sum equal the total. */
  readonly payments: readonly PaymentRecord[];
  /** Sums by kind of receipt. The amounts of refunds are negative. */
  readonly kinds: readonly KindRecord[];
  /** Amounts of Copy, Proforma and Training, which are in no sum. */
  readonly apart: readonly KindRecord[];
  readonly cashiers: readonly (BalanceRecord & { readonly cashier: string | null })[];
  /** Numbers of the first and the last receipt, of any kind. */
  readonly first: string | null;
  readonly last: string | null;
  /** Number of fiscal receipts that only the card knows. Their taxes and payments are missing. */
  readonly withoutItems: number;
  /** Number of damaged receipts, which are in no sum. */
  readonly unreadable: number;
}
