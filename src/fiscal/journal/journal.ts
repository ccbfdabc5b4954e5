/**
 * Writes the journal: the receipt as text, with CRLF after every line (protocol facts, section 6). A line is longer
 * than the country's columns only in the header form `left`, which does not break lines, or if a number does not fit.
 */
import type { EpochMs } from "../../base/epoch-ms.js";
import { type InvoiceItem, isFiscalReceipt, type SoldInvoice, type Taxpayer, totalAmountOf } from "../invoice.js";
import type { ReceiptLanguage } from "../language.js";
import { roundTo } from "../money.js";
import type { TaxItem } from "../tax.js";
import { wallIn } from "../zoned.js";
import { inColumns, Layout, type ReceiptForm, widthOf } from "./layout.js";
import { type JournalTexts, journalTexts } from "./texts.js";

/** The three forms of the header that real receipts have. */
export const JOURNAL_HEADERS = ["left", "centred", "labelled"] as const;
export type JournalHeader = (typeof JOURNAL_HEADERS)[number];

/** Returns the form of the header without the setting `journalHeader`. */
export function usualHeader(language: ReceiptLanguage, form: ReceiptForm | undefined): JournalHeader {
  if (language === "en-US") return "labelled";
  return form?.columns === 38 ? "centred" : "left";
}

export interface JournalInput {
  readonly invoice: SoldInvoice;
  readonly taxpayer: Taxpayer;
  readonly taxItems: readonly TaxItem[];
  /** The time that the card signed. */
  readonly sdcTime: EpochMs;
  readonly invoiceNumber: string;
  readonly invoiceCounter: string;
  readonly language: ReceiptLanguage;
  readonly timeZone: string;
  readonly header: JournalHeader;
  /** Whether an authority's online service signed for the taxpayer. */
  readonly isOnline: boolean;
  /** Undefined for the usual form of the language. */
  readonly form?: ReceiptForm | undefined;
}

export function journal(input: JournalInput): string {
  const layout = Layout.of(input.language, input.form);
  const texts = journalTexts(input.language, layout);
  const fiscal = isFiscalReceipt(input.invoice.invoiceType);
  const lines = [
    fiscal ? layout.banner(texts.title) : layout.notFiscal(texts.notFiscal),
    ...headerLines(input, texts, layout),
    ...posLines(input, texts, layout),
    ...itemLines(input.invoice, texts, layout),
    ...paymentLines(input, texts, layout),
    ...(fiscal
      ? []
      : [
          layout.isNarrow ? layout.notFiscal(texts.notFiscal) : layout.centred(texts.notFiscal, " "),
          layout.doubleLine,
        ]),
    ...taxLines(input.taxItems, texts, layout),
    ...layout.labelled(texts.sdcTime, layout.time(wallIn(input.sdcTime, input.timeZone))),
    ...layout.labelled(texts.sdcNumber, input.invoiceNumber),
    ...layout.labelled(texts.counter, input.invoiceCounter),
    layout.doubleLine,
    fiscal ? layout.banner(texts.footer) : layout.notFiscal(texts.notFiscal),
  ];
  return `${lines.join("\r\n")}\r\n`;
}

function headerLines({ taxpayer, header }: JournalInput, texts: JournalTexts, layout: Layout): string[] {
  const fields = ["tin", "businessName", "locationName", "address", "district"] as const;
  return fields.flatMap((field) => {
    if (header === "left") return [taxpayer[field]];
    return header === "centred" ? layout.centredLines(taxpayer[field]) : layout.labelled(texts[field], taxpayer[field]);
  });
}

/** Returns lines with the fields that the POS sent, without lines for absent fields. */
function posLines(input: JournalInput, texts: JournalTexts, layout: Layout): string[] {
  const { invoice, header } = input;
  const { dateAndTimeOfIssue: issued, referentDocumentDT: referred } = invoice;
  const cashier = [texts.cashier, invoice.cashier ?? (header === "labelled" && texts.change ? "" : undefined)] as const;
  const buyer = [
    [texts.buyerId, invoice.buyerId],
    [texts.buyerCostCenterId, invoice.buyerCostCenterId],
  ] as const;
  const pos = [
    [texts.posNumber, invoice.invoiceNumber],
    [texts.posTime, issued && layout.time(issued.printed)],
  ] as const;
  // A time without a number refers to nothing. The vendor's form in English has no such lines in a Proforma Sale and a
  // Training Sale, even if the POS sent them.
  const { invoiceType, transactionType, referentDocumentNumber } = invoice;
  const isWithout = (invoiceType === "Proforma" || invoiceType === "Training") && transactionType === "Sale";
  const printsReferent = referentDocumentNumber !== undefined && !(input.language === "en-US" && isWithout);
  const referent = printsReferent
    ? ([
        [texts.referentNumber, referentDocumentNumber],
        [texts.referentTime, referred && layout.time(referred.printed)],
      ] as const)
    : [];
  const rows = layout.isNarrow ? [...referent, ...buyer, cashier, ...pos] : [cashier, ...buyer, ...pos, ...referent];
  return rows.flatMap(([label, value]) => (value === undefined ? [] : layout.labelled(label, value)));
}

function itemLines(invoice: SoldInvoice, texts: JournalTexts, layout: Layout): string[] {
  const type = `${texts.invoiceType[invoice.invoiceType]} ${texts.transactionType[invoice.transactionType]}`;
  return [
    layout.centred(layout.isNarrow ? ` ${type} ` : type, "-"),
    layout.isNarrow ? layout.padRight(texts.items) : texts.items,
    layout.doubleLine,
    texts.itemHeader,
    ...invoice.items.flatMap((item) => oneItem(item, invoice.transactionType === "Refund", layout)),
    layout.singleLine,
  ];
}

function oneItem(item: InvoiceItem, refund: boolean, layout: Layout): string[] {
  // The line of a refund is negative, but zero has no sign.
  const total = refund ? -item.totalAmount : item.totalAmount;
  const gtin = layout.isNarrow && item.gtin !== undefined ? `${item.gtin} ` : "";
  return [
    ...layout.brokenHard(`${gtin}${item.name} (${item.labels.join(", ")})`),
    inColumns(
      [layout.number(item.unitPrice, 2), layout.ends.price],
      [layout.quantity(item.quantity), layout.ends.quantity],
      [layout.number(total, 2), layout.columns],
    ),
  ];
}

function paymentLines(
  { invoice, header, language, isOnline }: JournalInput,
  texts: JournalTexts,
  layout: Layout,
): string[] {
  const total = totalAmountOf(invoice.items);
  // The printed payments count: their sum has 2 decimals, although a payment may have 4.
  const change = invoice.payment.reduce((sum, { amount }) => sum + roundTo(amount, 2), -total);
  return [
    layout.labelledAmount(texts.total[invoice.transactionType], total),
    ...(language === "en-US" && isOnline ? [layout.singleLine] : []),
    ...invoice.payment.map(({ paymentType, amount }) => layout.labelledAmount(texts.payment[paymentType], amount)),
    ...(header === "labelled" && texts.change ? [layout.labelledAmount(texts.change, change > 0n ? change : 0n)] : []),
    layout.doubleLine,
  ];
}

function taxLines(taxItems: readonly TaxItem[], texts: JournalTexts, layout: Layout): string[] {
  // Each label's tax is rounded to 2 decimals, and the printed total is the sum of these rounded taxes (section 5).
  const total = taxItems.reduce((sum, { amount }) => sum + roundTo(amount, 2), 0n);
  return [
    texts.taxHeader,
    ...taxItems.map(({ label, categoryName, categoryType, rate, amount }) =>
      inColumns(
        [label, widthOf(label)],
        [categoryName, layout.ends.category],
        [layout.rate(rate, categoryType), layout.ends.rate],
        [layout.number(amount, 2), layout.columns],
      ),
    ),
    layout.singleLine,
    layout.labelledAmount(texts.totalTax, total),
    layout.doubleLine,
  ];
}
