/**
 * Writes a receipt as a line of a spreadsheet, with taxes by label and payments by type, and its items as lines of
 * another one. Quantities and amounts of a refund are negative.
 */
import { PAYMENT_TYPES, type PaymentType, totalAmountOf } from "../fiscal/invoice.js";
import { parseScaled, roundTo, type Scaled, toAmountText, toFixed } from "../fiscal/money.js";
import type { TaxRateGroup } from "../fiscal/tax.js";
import { toIso } from "../fiscal/time.js";
import { localIn } from "../fiscal/zoned.js";
import type { Intent } from "../ledger/intent.js";
import { answerIn, contentOf } from "../ledger/receipt-content.js";
import type { StoredReceipt } from "../ledger/receipts.js";

const PAYMENT_NAMES = Object.keys(PAYMENT_TYPES) as PaymentType[];

/** Names of the columns. @param labels labels that have a column */
export function receiptColumns(labels: readonly string[]): string[] {
  return [
    ..."number requestId day localTime time totalAmount extension totalCounter tin businessName".split(" "),
    ..."cashier buyerId verificationUrl invoiceType transactionType totalTax".split(" "),
    ...labels.map((label) => `tax ${label}`),
    "tax of other labels",
    ...PAYMENT_NAMES.map((name) => `paid ${name}`),
    "change",
  ];
}

/** The labels of all rates, in the order of the receipts' tax block. */
export function labelsOf(groups: readonly TaxRateGroup[]): string[] {
  const categories = groups.flatMap(({ taxCategories }) => taxCategories).toSorted((a, b) => a.orderId - b.orderId);
  return [...new Set(categories.flatMap(({ taxRates }) => taxRates.map(({ label }) => label)))];
}

type Columns = Readonly<Record<string, unknown>>;

/** The line of a receipt. @param timeZone time zone of the shop, for `day` and `localTime`; `time` is in UTC */
export function receiptLine(receipt: StoredReceipt, labels: readonly string[], timeZone: string | undefined): Columns {
  const { number, requestId, time, totalAmount, extension } = receipt;
  const { totalCounter, tin, businessName, verificationUrl } = answerIn(receipt) ?? {};
  const content = contentOf(receipt);
  const sign = content?.transactionType === "Refund" ? -1n : 1n;
  const [day, localTime] = time === null ? [] : localIn(time, timeZone);
  return {
    number,
    requestId,
    day,
    localTime,
    time: time === null ? null : toIso(time),
    extension,
    totalCounter,
    tin,
    businessName,
    verificationUrl,
    totalAmount: totalAmount === null ? null : toAmountText(sign * parseScaled(totalAmount)),
    invoiceType: content?.invoiceType,
    transactionType: content?.transactionType,
    ...(content?.intent ? soldColumns(content.intent, sign, labels) : {}),
  };
}

function soldColumns({ invoice, taxItems }: Intent, sign: bigint, labels: readonly string[]): Columns {
  const { cashier, buyerId, payment, items } = invoice;
  // Round taxes as on the receipt (protocol facts, section 5).
  const taxes = taxItems.map(({ label, amount }) => ({ label, tax: sign * roundTo(amount, 2) }));
  const others = taxes.filter(({ label }) => !labels.includes(label));
  const paid = sum(payment.map(({ amount }) => amount));
  const total = totalAmountOf(items);
  const byType = (name: PaymentType) => payment.filter(({ paymentType }) => paymentType === name);
  return {
    cashier,
    buyerId,
    totalTax: toAmountText(sum(taxes.map(({ tax }) => tax))),
    ...Object.fromEntries(taxes.map(({ label, tax }) => [`tax ${label}`, toAmountText(tax)])),
    "tax of other labels": others.length === 0 ? null : toAmountText(sum(others.map(({ tax }) => tax))),
    ...Object.fromEntries(
      PAYMENT_NAMES.filter((name) => byType(name).length > 0).map((name) => [
        `paid ${name}`,
        toAmountText(sign * sum(byType(name).map(({ amount }) => amount))),
      ]),
    ),
    change: paid > total ? toAmountText(sign * (paid - total)) : null,
  };
}

function sum(amounts: readonly Scaled[]): Scaled {
  return amounts.reduce((all, amount) => all + amount, 0n);
}

export const ITEM_COLUMNS = [
  ..."number day localTime invoiceType transactionType cashier".split(" "),
  ..."item gtin name labels quantity unitPrice totalAmount".split(" "),
];

/** The lines of a receipt's items; empty if only the card knows the receipt. @param timeZone of the shop */
export function itemLines(receipt: StoredReceipt, timeZone: string | undefined): Columns[] {
  const { number, time } = receipt;
  const { intent } = contentOf(receipt) ?? {};
  if (!intent) return [];
  const { invoiceType, transactionType, cashier = null, items } = intent.invoice;
  const sign = transactionType === "Refund" ? -1n : 1n;
  const [day, localTime] = time === null ? [null, null] : localIn(time, timeZone);
  return items.map(({ gtin = null, name, labels, quantity, unitPrice, totalAmount }, i) => ({
    number,
    day,
    localTime,
    invoiceType,
    transactionType,
    cashier,
    item: i + 1,
    gtin,
    name,
    labels: labels.join(" "),
    quantity: toFixed(sign * quantity, 4),
    unitPrice: toAmountText(unitPrice),
    totalAmount: toAmountText(sign * totalAmount),
  }));
}
