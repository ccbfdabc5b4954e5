/**
 * Writes the journal: the receipt as text, with CRLF after every line (protocol facts, section 6). A line is longer
 * than the country's columns only in the header form `left`, which does not break lines, or if a number does not fit.
 */
import { type Invoice, type InvoiceItem, isFiscalReceipt, type Taxpayer, totalAmountOf } from "../invoice.js";
import type { ReceiptLanguage } from "../language.js";
import { roundTo } from "../money.js";
import type { TaxItem } from "../tax.js";
import { inColumns, Layout, type ReceiptForm, widthOf } from "./layout.js";
import { JOURNAL_TEXTS, type JournalTexts } from "./texts.js";

/** The three forms of the header that real receipts have. Only one known receipt has the form `labelled`. */
export const JOURNAL_HEADERS = ["left", "centred", "labelled"] as const;
export type JournalHeader = (typeof JOURNAL_HEADERS)[number];

export interface JournalInput {
  readonly invoice: Invoice;
  readonly taxpayer: Taxpayer;
  readonly taxItems: readonly TaxItem[];
  /** The time that the card signed, ms since the epoch. */
  readonly sdcTime: number;
  readonly invoiceNumber: string;
  readonly invoiceCounter: string;
  readonly language: ReceiptLanguage;
  readonly timeZone: string;
  readonly header: JournalHeader;
  /** Form of the lines and numbers; undefined for 40 columns and decimal commas. */
  readonly form?: ReceiptForm | undefined;
}

export function journal(input: JournalInput): string {
  const texts = JOURNAL_TEXTS[input.language];
  const layout = Layout.of(input.form);
  const fiscal = isFiscalReceipt(input.invoice.invoiceType);
  const lines = [
    layout.banner(fiscal ? texts.title : texts.notFiscalBanner),
    ...headerLines(input, texts, layout),
    ...posLines(input, texts, layout),
    ...itemLines(input.invoice, texts, layout),
    ...paymentLines(input, texts, layout),
    ...(fiscal ? [] : [layout.padRight(`        ${texts.notFiscal}`), layout.doubleLine]),
    ...taxLines(input.taxItems, texts, layout),
    ...layout.labelled(texts.sdcTime, layout.time(input.sdcTime, input.timeZone)),
    ...layout.labelled(texts.sdcNumber, input.invoiceNumber),
    ...layout.labelled(texts.counter, input.invoiceCounter),
    layout.doubleLine,
    layout.banner(fiscal ? texts.footer : texts.notFiscalBanner),
  ];
  return lines.map((line) => `${line}\r\n`).join("");
}

function headerLines({ taxpayer, header }: JournalInput, texts: JournalTexts, layout: Layout): string[] {
  const fields = ["tin", "businessName", "locationName", "address", "district"] as const;
  return fields.flatMap((field) => {
    if (header === "left") return [taxpayer[field]];
    return header === "centred" ? layout.centredLines(taxpayer[field]) : layout.labelled(texts[field], taxpayer[field]);
  });
}

/** Returns lines with the fields that the POS sent, without lines for absent fields. */
function posLines({ invoice, timeZone, header }: JournalInput, texts: JournalTexts, layout: Layout): string[] {
  const time = (ms: number | undefined) => (ms === undefined ? undefined : layout.time(ms, timeZone));
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

function itemLines(invoice: Invoice, texts: JournalTexts, layout: Layout): string[] {
  const type = `${texts.invoiceType[invoice.invoiceType]} ${texts.transactionType[invoice.transactionType]}`;
  return [
    layout.centred(type, "-"),
    texts.items,
    layout.doubleLine,
    layout.columnTitles(texts.itemHeader),
    ...invoice.items.flatMap((item) => oneItem(item, invoice.transactionType === "Refund", layout)),
    layout.singleLine,
  ];
}

function oneItem(item: InvoiceItem, refund: boolean, layout: Layout): string[] {
  // The line of a refund is negative, but zero has no sign.
  const total = refund ? -item.totalAmount : item.totalAmount;
  return [
    ...layout.brokenHard(`${item.name} (${item.labels.join(", ")})`),
    inColumns(
      [layout.number(item.unitPrice, 2), 13],
      [layout.quantity(item.quantity), 24],
      [layout.number(total, 2), layout.columns],
    ),
  ];
}

function paymentLines({ invoice, header }: JournalInput, texts: JournalTexts, layout: Layout): string[] {
  const total = totalAmountOf(invoice.items);
  // The printed payments count: their sum has 2 decimals, although a payment may have 4.
  const change = invoice.payment.reduce((sum, { amount }) => sum + roundTo(amount, 2), -total);
  return [
    layout.labelledAmount(texts.total[invoice.transactionType], total),
    ...invoice.payment.map(({ paymentType, amount }) => layout.labelledAmount(texts.payment[paymentType], amount)),
    ...(header === "labelled" ? [layout.labelledAmount(texts.change, change > 0n ? change : 0n)] : []),
    layout.doubleLine,
  ];
}

function taxLines(taxItems: readonly TaxItem[], texts: JournalTexts, layout: Layout): string[] {
  // Each label's tax is rounded to 2 decimals, and the printed total is the sum of these rounded taxes (section 5).
  const total = taxItems.reduce((sum, { amount }) => sum + roundTo(amount, 2), 0n);
  return [
    layout.columnTitles(texts.taxHeader),
    ...taxItems.map(({ label, categoryName, categoryType, rate, amount }) =>
      inColumns(
        [label, widthOf(label)],
        [categoryName, 17],
        // Category type 2 is an amount per quantity, not a percentage.
        [layout.number(rate, 2) + (categoryType === 2 ? "" : "%"), 26],
        [layout.number(amount, 2), layout.columns],
      ),
    ),
    layout.singleLine,
    layout.labelledAmount(texts.totalTax, total),
    layout.doubleLine,
  ];
}
