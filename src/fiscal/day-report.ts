/**
 * Adds up the sales of a period: sales, refunds, and their difference. Services in Serbia print such a report at the
 * end of a day. Only Normal and Advance count (protocol facts, section 6); the report lists Copy, Proforma and Training
 * apart and never adds them.
 */
import {
  type InvoiceItem,
  type InvoiceType,
  isFiscalReceipt,
  type Payment,
  type PaymentType,
  type ReceiptKind,
  type Taxpayer,
  type TransactionType,
} from "./invoice.js";
import type { ReceiptForm } from "./journal/layout.js";
import { roundTo, type Scaled } from "./money.js";
import type { TaxItem } from "./tax.js";
import type { Day } from "./zoned.js";

/** The part of a receipt that a report needs. Amounts of a refund are positive, as on the receipt. */
export interface SoldReceipt extends ReceiptKind {
  readonly day: Day;
  /** Hour on the shop's clock, 0 to 23. */
  readonly hour: number;
  readonly number: string;
  readonly total: Scaled;
  readonly cashier: string | undefined;
  /** Items and payments of the receipt; undefined if only the card knows the receipt. */
  readonly sold: Sold | undefined;
}

interface Sold {
  readonly items: readonly Pick<InvoiceItem, "labels" | "totalAmount">[];
  readonly taxItems: readonly TaxItem[];
  readonly payment: readonly Payment[];
}

/** An amount with tax, and the tax in that amount. Both are sums of the amounts that the receipts print. */
export interface Money<Amount = Scaled> {
  readonly amount: Amount;
  readonly tax: Amount;
}

/** Sales, refunds and their difference. Amounts in `refunds` are positive. */
export interface Balance<Amount = Scaled> {
  /** Number of receipts, sales and refunds together. */
  readonly receipts: number;
  readonly sales: Money<Amount>;
  readonly refunds: Money<Amount>;
  readonly difference: Money<Amount>;
}

export interface LabelBalance<Amount = Scaled> extends Balance<Amount> {
  readonly label: string;
  readonly category: string;
  readonly categoryType: number;
  /** The rate in per cent; for a category of type 2, an amount. */
  readonly rate: Amount;
}

/**
 * Name of a line in the list of payments. `change` is money that the shop gave back, `unpaid` is the part of receipts
 * that their payments do not cover, and `unknown` is the amount of receipts that only the card knows.
 */
export type PaymentName = PaymentType | "change" | "unpaid" | "unknown";

export interface PaymentBalance<Amount = Scaled> {
  readonly payment: PaymentName;
  readonly sales: Amount;
  readonly refunds: Amount;
  readonly difference: Amount;
}

export interface KindTotal<Amount = Scaled> extends Money<Amount>, ReceiptKind {
  readonly receipts: number;
}

export interface DayReport<Amount = Scaled> {
  /** Total of the fiscal receipts: Normal and Advance. */
  readonly total: Balance<Amount>;
  /** Days that have receipts, in order. */
  readonly days: readonly (Balance<Amount> & { readonly day: Day })[];
  /** Hours with receipts, 0 to 23 on the shop's clock, in order. An hour adds up the receipts of all days. */
  readonly hours: readonly (Balance<Amount> & { readonly hour: number })[];
  /** Labels in the order of a receipt's tax block. An item with two labels counts for both labels. */
  readonly labels: readonly LabelBalance<Amount>[];
  /** The differences of all payments add up to the amount of the total's difference. */
  readonly payments: readonly PaymentBalance<Amount>[];
  /** Totals of Normal and Advance. The amounts of refunds are negative. */
  readonly kinds: readonly KindTotal<Amount>[];
  /** Totals of Copy, Proforma and Training, which are in no sum. The amounts of refunds are negative. */
  readonly apart: readonly KindTotal<Amount>[];
  /** Cashiers, sorted by name. `cashier` is null for receipts without a cashier. */
  readonly cashiers: readonly (Balance<Amount> & { readonly cashier: string | null })[];
  /** First and last number of receipts of every kind; null if there are no receipts. */
  readonly first: string | null;
  readonly last: string | null;
  /** Number of fiscal receipts that only the card knows. Their taxes and payments are missing in the report. */
  readonly withoutItems: number;
}

/** The first and the last day of a report, in the shop's time zone; both are included. */
export interface Days {
  readonly from: Day;
  readonly to: Day;
}

export interface MadeReport extends Days {
  readonly report: DayReport;
  /** The shop's time zone; undefined if it is unknown. The machine's time zone was used then. */
  readonly timeZone: string | undefined;
  /** The taxpayer on the last receipt of these days; undefined if no receipt has one. */
  readonly taxpayer: Taxpayer | undefined;
  /** The form of the last receipt of these days; undefined for the usual form of its language. */
  readonly form: ReceiptForm | undefined;
  /** Number of receipts that are damaged in the store; no sum contains them. */
  readonly unreadable: number;
}

const NOTHING: Money = { amount: 0n, tax: 0n };
const NO_SALES: Balance = { receipts: 0, sales: NOTHING, refunds: NOTHING, difference: NOTHING };

/** Adds up receipts that come in order, oldest first. Keeps only the sums, not the receipts. */
export class DayReportSums {
  private total = NO_SALES;
  private readonly days = new Map<Day, Balance>();
  private readonly hours = new Map<number, Balance>();
  private readonly labels = new Map<string, LabelBalance & { readonly orderId: number }>();
  private readonly payments = new Map<PaymentName, PaymentBalance>();
  private readonly kinds = new Map<string, KindTotal>();
  private readonly cashiers = new Map<string | undefined, Balance>();
  private first: string | null = null;
  private last: string | null = null;
  private withoutItems = 0;

  add(receipt: SoldReceipt): void {
    const { number, transactionType, invoiceType, total, sold } = receipt;
    this.first ??= number;
    this.last = number;
    // A receipt prints the sum of each label's tax with two decimals (protocol facts, section 5).
    const tax = (sold?.taxItems ?? []).reduce((sum, { amount }) => sum + roundTo(amount, 2), 0n);
    const money = { amount: total, tax };
    const kind = `${invoiceType} ${transactionType}`;
    const known = this.kinds.get(kind) ?? { invoiceType, transactionType, receipts: 0, ...NOTHING };
    const signed = transactionType === "Refund" ? minus(money) : money;
    this.kinds.set(kind, { ...known, receipts: known.receipts + 1, ...plus(known, signed) });
    if (isFiscalReceipt(invoiceType)) this.addFiscal(receipt, money);
  }

  report(): DayReport {
    const kinds = [...this.kinds.values()].sort(byKind);
    return {
      total: this.total,
      days: [...this.days].map(([day, balance]) => ({ day, ...balance })).sort((a, b) => compare(a.day, b.day)),
      hours: [...this.hours].map(([hour, balance]) => ({ hour, ...balance })).sort((a, b) => a.hour - b.hour),
      labels: [...this.labels.values()]
        .sort((a, b) => a.orderId - b.orderId || compare(a.label, b.label) || Number(b.rate - a.rate))
        .map(({ orderId: _, ...label }) => label),
      payments: PAYMENT_NAMES.flatMap((name) => this.payments.get(name) ?? []),
      kinds: kinds.filter(({ invoiceType }) => isFiscalReceipt(invoiceType)),
      apart: kinds.filter(({ invoiceType }) => !isFiscalReceipt(invoiceType)),
      cashiers: [...this.cashiers]
        .map(([cashier = null, balance]) => ({ cashier, ...balance }))
        .sort((a, b) => compare(a.cashier ?? "", b.cashier ?? "")),
      first: this.first,
      last: this.last,
      withoutItems: this.withoutItems,
    };
  }

  private addFiscal({ day, hour, transactionType, cashier, total, sold }: SoldReceipt, money: Money): void {
    const added = (balance: Balance | undefined) => addedTo(balance ?? NO_SALES, transactionType, money);
    this.total = added(this.total);
    this.days.set(day, added(this.days.get(day)));
    this.hours.set(hour, added(this.hours.get(hour)));
    this.cashiers.set(cashier, added(this.cashiers.get(cashier)));
    if (!sold) {
      this.withoutItems++;
      this.addPayment("unknown", transactionType, total);
      return;
    }
    for (const tax of sold.taxItems) this.addLabel(tax, transactionType, sold);
    let paid = 0n;
    for (const { paymentType, amount } of sold.payment) {
      const printed = roundTo(amount, 2);
      this.addPayment(paymentType, transactionType, printed);
      paid += printed;
    }
    if (paid > total) this.addPayment("change", transactionType, total - paid);
    if (paid < total) this.addPayment("unpaid", transactionType, total - paid);
  }

  private addLabel(tax: TaxItem, transactionType: TransactionType, { items }: Sold): void {
    const { label, categoryName: category, categoryType, rate, orderId } = tax;
    // A label whose rate changed in the period has two entries.
    const key = `${label} ${category} ${rate}`;
    const known = this.labels.get(key) ?? { label, category, categoryType, rate, orderId, ...NO_SALES };
    const amount = items.reduce((sum, item) => (item.labels.includes(label) ? sum + item.totalAmount : sum), 0n);
    this.labels.set(key, { ...known, ...addedTo(known, transactionType, { amount, tax: roundTo(tax.amount, 2) }) });
  }

  private addPayment(payment: PaymentName, transactionType: TransactionType, amount: Scaled): void {
    const known = this.payments.get(payment) ?? { payment, sales: 0n, refunds: 0n, difference: 0n };
    const sales = known.sales + (transactionType === "Sale" ? amount : 0n);
    const refunds = known.refunds + (transactionType === "Refund" ? amount : 0n);
    this.payments.set(payment, { payment, sales, refunds, difference: sales - refunds });
  }
}

/** Names of payments in the order of a receipt's texts. Lines that are not payments come last. */
const PAYMENT_NAMES: readonly PaymentName[] = [
  "Cash",
  "change",
  "Card",
  "Check",
  "WireTransfer",
  "Voucher",
  "MobileMoney",
  "Other",
  "unpaid",
  "unknown",
];

const KINDS: readonly InvoiceType[] = ["Normal", "Advance", "Copy", "Proforma", "Training"];

function byKind(a: KindTotal, b: KindTotal): number {
  const order = KINDS.indexOf(a.invoiceType) - KINDS.indexOf(b.invoiceType);
  return order || compare(b.transactionType, a.transactionType);
}

function addedTo(balance: Balance, transactionType: TransactionType, money: Money): Balance {
  const sales = transactionType === "Sale" ? plus(balance.sales, money) : balance.sales;
  const refunds = transactionType === "Refund" ? plus(balance.refunds, money) : balance.refunds;
  return { receipts: balance.receipts + 1, sales, refunds, difference: plus(sales, minus(refunds)) };
}

function plus(a: Money, b: Money): Money {
  return { amount: a.amount + b.amount, tax: a.tax + b.tax };
}

function minus({ amount, tax }: Money): Money {
  return { amount: -amount, tax: -tax };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
