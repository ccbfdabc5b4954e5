/** A receipt as a line of a spreadsheet: taxes by label, payments by type. Amounts of a refund are negative. */
import { type InvoiceType, PAYMENT_TYPES, type PaymentType, type TransactionType } from "../fiscal/invoice.js";
import { parseScaled, roundTo, type Scaled, toFixed } from "../fiscal/money.js";
import type { TaxRateGroup } from "../fiscal/tax.js";
import { decodeVerificationUrl } from "../fiscal/verification-url.js";
import { decodeIntent, type Intent } from "../fiscalizer/intent.js";
import type { StoredReceipt } from "../ledger/receipts.js";

const PAYMENT_NAMES = Object.keys(PAYMENT_TYPES) as PaymentType[];

/** @param labels that get a column */
export function receiptColumns(labels: readonly string[]): string[] {
  return [
    ...["number", "requestId", "time", "totalAmount", "extension", "totalCounter", "tin", "businessName"],
    ...["cashier", "buyerId", "verificationUrl", "invoiceType", "transactionType", "totalTax"],
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

type Line = Readonly<Record<string, unknown>>;

/** Damaged values are left out. */
export function receiptLine(receipt: StoredReceipt, labels: readonly string[]): Line {
  const { number, requestId, time, totalAmount, extension, answer } = receipt;
  const said = read(() => JSON.parse(answer ?? "{}") as Readonly<Record<string, unknown>>) ?? {};
  const { totalCounter, tin, businessName, verificationUrl } = said;
  const intent = receipt.intent === null ? undefined : read(() => decodeIntent(receipt.intent ?? ""));
  const kind = intent?.invoice ?? read(() => decodeVerificationUrl(String(verificationUrl)));
  const sign = kind?.transactionType === "Refund" ? -1n : 1n;
  return {
    number,
    requestId,
    time,
    extension,
    totalCounter,
    tin,
    businessName,
    verificationUrl,
    totalAmount: totalAmount === null ? null : (read(() => decimal(sign * parseScaled(totalAmount))) ?? totalAmount),
    ...kindOf(kind),
    ...(intent ? soldColumns(intent, sign, labels) : {}),
  };
}

function kindOf(kind: { readonly invoiceType: InvoiceType; readonly transactionType: TransactionType } | undefined) {
  return { invoiceType: kind?.invoiceType, transactionType: kind?.transactionType };
}

function soldColumns({ invoice, taxItems }: Intent, sign: bigint, labels: readonly string[]): Line {
  const { cashier, buyerId, payment, items } = invoice;
  // Rounded as on the receipt (protocol facts, section 5).
  const taxes = taxItems.map(({ label, amount }) => ({ label, tax: sign * roundTo(amount, 2) }));
  const others = taxes.filter(({ label }) => !labels.includes(label));
  const paid = sum(payment.map(({ amount }) => amount));
  const total = sum(items.map(({ totalAmount }) => totalAmount));
  const byType = (name: PaymentType) => payment.filter(({ paymentType }) => paymentType === name);
  return {
    cashier,
    buyerId,
    totalTax: decimal(sum(taxes.map(({ tax }) => tax))),
    ...Object.fromEntries(taxes.map(({ label, tax }) => [`tax ${label}`, decimal(tax)])),
    "tax of other labels": others.length === 0 ? null : decimal(sum(others.map(({ tax }) => tax))),
    ...Object.fromEntries(
      PAYMENT_NAMES.filter((name) => byType(name).length > 0).map((name) => [
        `paid ${name}`,
        decimal(sign * sum(byType(name).map(({ amount }) => amount))),
      ]),
    ),
    change: paid > total ? decimal(sign * (paid - total)) : null,
  };
}

function sum(amounts: readonly Scaled[]): Scaled {
  return amounts.reduce((all, amount) => all + amount, 0n);
}

function decimal(value: Scaled): string {
  return toFixed(value, value % 100n === 0n ? 2 : 4);
}

function read<T>(task: () => T): T | undefined {
  try {
    return task();
  } catch {
    return undefined;
  }
}
