/**
 * The journal: the receipt as text, CRLF after every line (protocol facts, section 6). Lines have 40 columns. Longer
 * lines occur only in the header form `left`, which does not break lines, and if a number does not fit.
 */
import { type Invoice, type InvoiceItem, isFiscalReceipt, type Taxpayer, totalAmountOf } from "../invoice.js";
import type { ReceiptLanguage } from "../language.js";
import { roundTo } from "../money.js";
import type { TaxItem } from "../tax.js";
import { toReceiptTime } from "../time.js";
import * as layout from "./layout.js";
import { JOURNAL_TEXTS, type JournalTexts } from "./texts.js";

/** The three header forms seen on receipts; `labelled` was seen on one receipt only. */
export const JOURNAL_HEADERS = ["left", "centred", "labelled"] as const;
export type JournalHeader = (typeof JOURNAL_HEADERS)[number];

export interface JournalInput {
  readonly invoice: Invoice;
  readonly taxpayer: Taxpayer;
  readonly taxItems: readonly TaxItem[];
  /** ms since the epoch, the time that the card signed. */
  readonly sdcTime: number;
  readonly invoiceNumber: string;
  readonly invoiceCounter: string;
  readonly language: ReceiptLanguage;
  readonly timeZone: string;
  readonly header: JournalHeader;
}

export function journal(input: JournalInput): string {
  const texts = JOURNAL_TEXTS[input.language];
  const fiscal = isFiscalReceipt(input.invoice.invoiceType);
  const lines = [
    fiscal ? texts.title : texts.notFiscalBanner,
    ...headerLines(input, texts),
    ...posLines(input, texts),
    ...itemLines(input.invoice, texts),
    ...paymentLines(input, texts),
    ...(fiscal ? [] : [layout.padRight(`        ${texts.notFiscal}`), layout.DOUBLE_LINE]),
    ...taxLines(input.taxItems, texts),
    ...layout.labelled(texts.sdcTime, toReceiptTime(input.sdcTime, input.timeZone)),
    ...layout.labelled(texts.sdcNumber, input.invoiceNumber),
    ...layout.labelled(texts.counter, input.invoiceCounter),
    layout.DOUBLE_LINE,
    fiscal ? texts.footer : texts.notFiscalBanner,
  ];
  return lines.map((line) => `${line}\r\n`).join("");
}

function headerLines({ taxpayer, header }: JournalInput, texts: JournalTexts): string[] {
  const fields = ["tin", "businessName", "locationName", "address", "district"] as const;
  return fields.flatMap((field) => {
    if (header === "left") return [taxpayer[field]];
    return header === "centred" ? layout.centredLines(taxpayer[field]) : layout.labelled(texts[field], taxpayer[field]);
  });
}

/** Fields that the POS sent; absent ones are left out. */
function posLines({ invoice, timeZone, header }: JournalInput, texts: JournalTexts): string[] {
  const time = (ms: number | undefined) => (ms === undefined ? undefined : toReceiptTime(ms, timeZone));
  const rows: [string, string | undefined][] = [
    [texts.cashier, invoice.cashier ?? (header === "labelled" ? "" : undefined)],
    [texts.buyerId, invoice.buyerId],
    [texts.buyerCostCenterId, invoice.buyerCostCenterId],
    [texts.posNumber, invoice.invoiceNumber],
    [texts.posTime, time(invoice.dateAndTimeOfIssue)],
    [texts.referentNumber, invoice.referentDocumentNumber],
    [texts.referentTime, time(invoice.referentDocumentDT)],
  ];
  return rows.flatMap(([label, value]) => (value === undefined ? [] : layout.labelled(label, value)));
}

function itemLines(invoice: Invoice, texts: JournalTexts): string[] {
  const type = `${texts.invoiceType[invoice.invoiceType]} ${texts.transactionType[invoice.transactionType]}`;
  return [
    layout.centred(type, "-"),
    texts.items,
    layout.DOUBLE_LINE,
    texts.itemHeader,
    ...invoice.items.flatMap((item) => oneItem(item, invoice.transactionType === "Refund")),
    layout.SINGLE_LINE,
  ];
}

function oneItem(item: InvoiceItem, refund: boolean): string[] {
  // A refund's line is negative; zero has no sign.
  const total = refund ? -item.totalAmount : item.totalAmount;
  return [
    ...layout.brokenHard(`${item.name} (${item.labels.join(", ")})`),
    layout.columns(
      [layout.number(item.unitPrice, 2), 13],
      [layout.quantity(item.quantity), 24],
      [layout.number(total, 2), layout.COLUMNS],
    ),
  ];
}

function paymentLines({ invoice, header }: JournalInput, texts: JournalTexts): string[] {
  const total = totalAmountOf(invoice.items);
  const change = invoice.payment.reduce((sum, { amount }) => sum + amount, -total);
  return [
    layout.labelledAmount(texts.total[invoice.transactionType], total),
    ...invoice.payment.map(({ paymentType, amount }) => layout.labelledAmount(texts.payment[paymentType], amount)),
    ...(header === "labelled" ? [layout.labelledAmount(texts.change, change > 0n ? change : 0n)] : []),
    layout.DOUBLE_LINE,
  ];
}

function taxLines(taxItems: readonly TaxItem[], texts: JournalTexts): string[] {
  // Each label is rounded to 2 decimals and the printed total is the sum of what is printed (section 5).
  const total = taxItems.reduce((sum, { amount }) => sum + roundTo(amount, 2), 0n);
  return [
    texts.taxHeader,
    ...taxItems.map(({ label, categoryName, categoryType, rate, amount }) =>
      layout.columns(
        [label, layout.widthOf(label)],
        [categoryName, 17],
        // Category type 2 is an amount per quantity, not a percentage.
        [layout.number(rate, 2) + (categoryType === 2 ? "" : "%"), 26],
        [layout.number(amount, 2), layout.COLUMNS],
      ),
    ),
    layout.SINGLE_LINE,
    layout.labelledAmount(texts.totalTax, total),
    layout.DOUBLE_LINE,
  ];
}
