/** A day report in the 40 columns of a receipt. Refunds are negative there. */
import type { Balance, DayReport, KindTotal, LabelBalance, PaymentBalance, PaymentName } from "./day-report.js";
import { DAY_REPORT_TEXTS, type DayReportTexts } from "./day-report-texts.js";
import type { Taxpayer } from "./invoice.js";
import * as layout from "./journal/layout.js";
import { JOURNAL_TEXTS, type JournalTexts } from "./journal/texts.js";
import type { ReceiptLanguage } from "./language.js";
import type { Scaled } from "./money.js";
import { toReceiptTime } from "./time.js";
import type { Day } from "./zoned.js";

export interface DayReportPaper {
  readonly report: DayReport;
  /** Both included. */
  readonly from: Day;
  readonly to: Day;
  readonly taxpayer: Taxpayer | undefined;
  readonly unreadable: number;
  /** ms since the epoch. */
  readonly printedAt: number;
  readonly timeZone: string;
  readonly language: ReceiptLanguage;
}

interface Words {
  readonly of: DayReportTexts;
  readonly receipt: JournalTexts;
}

/** Lines without line breaks, 40 columns wide; longer only if a number does not fit. */
export function dayReportLines(paper: DayReportPaper): string[] {
  const { report, from, to, taxpayer, unreadable, language, printedAt, timeZone } = paper;
  const words: Words = { of: DAY_REPORT_TEXTS[language], receipt: JOURNAL_TEXTS[language] };
  const { of } = words;
  const { total, withoutItems, first, last, days, labels, payments, kinds, apart, cashiers } = report;
  const count = (label: string, n: number) => (n > 0 ? layout.labelled(label, String(n)) : []);
  return [
    layout.centred(` ${of.title} `, "="),
    ...(taxpayer ? taxpayerLines(taxpayer) : []),
    ...layout.labelled(of.period, from === to ? printedDay(from) : `${printedDay(from)} - ${printedDay(to)}`),
    ...layout.labelled(of.printed, toReceiptTime(printedAt, timeZone)),
    ...(first === undefined ? [] : layout.labelled(of.first, first)),
    ...(last === undefined ? [] : layout.labelled(of.last, last)),
    ...section(of.recapitulation, total.receipts === 0 ? [of.nothing] : recapitulation(total, of)),
    ...section(
      of.labels,
      labels.flatMap((label) => labelLines(label, of)),
    ),
    ...section(of.payments, paymentLines(payments, total, words)),
    ...section(
      of.kinds,
      kinds.map((kind) => kindLine(kind, words)),
    ),
    ...section(
      of.cashiers,
      cashiers.map(({ cashier, ...sold }) => counted(cashier ?? of.noCashier, sold.receipts, sold.difference.amount)),
    ),
    ...section(
      of.days,
      days.length < 2
        ? []
        : days.map(({ day, ...sold }) => counted(printedDay(day), sold.receipts, sold.difference.amount)),
    ),
    ...section(
      of.apart,
      apart.map((kind) => kindLine(kind, words)),
    ),
    ...section("", [...count(of.withoutItems, withoutItems), ...count(of.unreadable, unreadable)]),
    words.receipt.notFiscalBanner,
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [title === "" ? layout.SINGLE_LINE : layout.centred(` ${title} `, "-"), ...lines];
}

function taxpayerLines({ tin, businessName, locationName, address, district }: Taxpayer): string[] {
  return [tin, businessName, locationName, address, district].flatMap(layout.centredLines);
}

function recapitulation({ receipts, sales, refunds, difference }: Balance, of: DayReportTexts): string[] {
  return [
    ...layout.labelled(of.receipts, String(receipts)),
    layout.labelledAmount(of.sales, sales.amount),
    layout.labelledAmount(of.salesTax, sales.tax),
    layout.labelledAmount(of.refunds, -refunds.amount),
    layout.labelledAmount(of.refundsTax, -refunds.tax),
    layout.SINGLE_LINE,
    layout.labelledAmount(of.difference, difference.amount),
    layout.labelledAmount(of.differenceTax, difference.tax),
  ];
}

/** Amount, then the tax in it. Without refunds, one line with the difference is enough. */
function labelLines(
  { label, categoryName, categoryType, rate, ...balance }: LabelBalance,
  of: DayReportTexts,
): string[] {
  const { sales, refunds, difference } = balance;
  const percent = categoryType === 2 ? "" : "%";
  const row = (name: string, amount: Scaled, tax: Scaled) =>
    layout.columns(
      [name, layout.widthOf(name)],
      [layout.number(amount, 2), 27],
      [layout.number(tax, 2), layout.COLUMNS],
    );
  const title = `${label} ${categoryName} ${layout.number(rate, 2)}${percent}`;
  if (refunds.amount === 0n && refunds.tax === 0n) return [title, row("", difference.amount, difference.tax)];
  return [
    title,
    row(` ${of.sales}`, sales.amount, sales.tax),
    row(` ${of.refunds}`, -refunds.amount, -refunds.tax),
    row(` ${of.difference}`, difference.amount, difference.tax),
  ];
}

function paymentLines(payments: readonly PaymentBalance[], total: Balance, { of, receipt }: Words): string[] {
  if (payments.length === 0) return [];
  return [
    ...payments.map(({ payment, difference }) => layout.labelledAmount(paymentName(payment, of, receipt), difference)),
    layout.SINGLE_LINE,
    layout.labelledAmount(of.total, total.difference.amount),
  ];
}

function paymentName(payment: PaymentName, of: DayReportTexts, receipt: JournalTexts): string {
  return payment === "change" || payment === "unpaid" || payment === "unknown"
    ? of.notPayments[payment]
    : receipt.payment[payment];
}

function kindLine({ invoiceType, transactionType, receipts, amount }: KindTotal, { receipt }: Words): string {
  return counted(`${receipt.invoiceType[invoiceType]} ${receipt.transactionType[transactionType]}`, receipts, amount);
}

/** A name, a number of receipts and their amount; a long name is cut off, an amount never. */
function counted(name: string, receipts: number, amount: Scaled): string {
  const end = ` (${receipts}): `;
  const room = layout.COLUMNS - layout.widthOf(end) - layout.widthOf(layout.number(amount, 2));
  // The POS sends the cashier's name: keep it on one line.
  const cut = [...name.replaceAll(/\p{Cc}/gu, " ")].slice(0, Math.max(room, 1)).join("");
  return layout.labelledAmount(cut + end.trimEnd(), amount);
}

/** `21.11.2026.` */
function printedDay(day: Day): string {
  return `${day.slice(8)}.${day.slice(5, 7)}.${day.slice(0, 4)}.`;
}
