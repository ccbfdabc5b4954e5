/** Prints a day report in the columns of a receipt. Refunds are negative on paper. */
import type { EpochMs } from "../base/epoch-ms.js";
import type { Balance, KindTotal, LabelBalance, MadeReport, PaymentBalance, PaymentName } from "./day-report.js";
import { DAY_REPORT_TEXTS, type DayReportTexts } from "./day-report-texts.js";
import { inColumns, Layout, widthOf } from "./journal/layout.js";
import { type JournalTexts, journalTexts } from "./journal/texts.js";
import type { ReceiptLanguage } from "./language.js";
import type { Scaled } from "./money.js";
import { wallIn } from "./zoned.js";

interface Words {
  readonly of: DayReportTexts;
  readonly receipt: JournalTexts;
  readonly layout: Layout;
}

const TAXPAYER = ["tin", "businessName", "locationName", "address", "district"] as const;

/** Returns the lines without line breaks: as wide as on receipts, and wider only if a number does not fit. */
export function dayReportLines(made: MadeReport, printedAt: EpochMs, language: ReceiptLanguage): string[] {
  const { report, from, to, taxpayer, unreadable, timeZone, form } = made;
  const layout = Layout.of(language, form);
  const words: Words = { of: DAY_REPORT_TEXTS[language], receipt: journalTexts(language, layout), layout };
  const { of } = words;
  const section = (title: string, lines: readonly string[]): string[] => {
    if (lines.length === 0) return [];
    return [title === "" ? layout.singleLine : layout.centred(` ${title} `, "-"), ...lines];
  };
  const { total, withoutItems, first, last, days, labels, payments, kinds, apart, cashiers } = report;
  const count = (label: string, n: number) => (n > 0 ? layout.labelled(label, String(n)) : []);
  return [
    layout.banner(of.title),
    ...TAXPAYER.flatMap((name) => (taxpayer ? layout.centredLines(taxpayer[name]) : [])),
    ...layout.labelled(of.period, from === to ? layout.day(from) : `${layout.day(from)} - ${layout.day(to)}`),
    ...layout.labelled(of.printed, layout.time(wallIn(printedAt, timeZone))),
    ...(first === null ? [] : layout.labelled(of.first, first)),
    ...(last === null ? [] : layout.labelled(of.last, last)),
    ...section(of.recapitulation, total.receipts === 0 ? [of.nothing] : recapitulation(total, words)),
    ...section(
      of.labels,
      labels.flatMap((label) => labelLines(label, words)),
    ),
    ...section(of.payments, paymentLines(payments, total, words)),
    ...section(
      of.kinds,
      kinds.map((kind) => kindLine(kind, words)),
    ),
    ...section(
      of.cashiers,
      cashiers.map(({ cashier, ...sold }) =>
        counted(cashier ?? of.noCashier, sold.receipts, sold.difference.amount, layout),
      ),
    ),
    ...section(
      of.days,
      days.length < 2
        ? []
        : days.map(({ day, ...sold }) => counted(layout.day(day), sold.receipts, sold.difference.amount, layout)),
    ),
    ...section(
      of.apart,
      apart.map((kind) => kindLine(kind, words)),
    ),
    ...section("", [...count(of.withoutItems, withoutItems), ...count(of.unreadable, unreadable)]),
    layout.notFiscal(words.receipt.notFiscal),
  ];
}

function recapitulation({ receipts, sales, refunds, difference }: Balance, { of, layout }: Words): string[] {
  return [
    ...layout.labelled(of.receipts, String(receipts)),
    layout.labelledAmount(of.sales, sales.amount),
    layout.labelledAmount(of.salesTax, sales.tax),
    layout.labelledAmount(of.refunds, -refunds.amount),
    layout.labelledAmount(of.refundsTax, -refunds.tax),
    layout.singleLine,
    layout.labelledAmount(of.difference, difference.amount),
    layout.labelledAmount(of.differenceTax, difference.tax),
  ];
}

/** Returns lines with an amount and the tax in that amount. Without refunds, one line with the difference is enough. */
function labelLines(
  { label, category, categoryType, rate, ...balance }: LabelBalance,
  { of, layout }: Words,
): string[] {
  const { sales, refunds, difference } = balance;
  const row = (name: string, amount: Scaled, tax: Scaled) =>
    inColumns([name, widthOf(name)], [layout.number(amount, 2), 27], [layout.number(tax, 2), layout.columns]);
  const title = `${label} ${category} ${layout.rate(rate, categoryType)}`;
  if (refunds.amount === 0n && refunds.tax === 0n) return [title, row("", difference.amount, difference.tax)];
  return [
    title,
    row(` ${of.sales}`, sales.amount, sales.tax),
    row(` ${of.refunds}`, -refunds.amount, -refunds.tax),
    row(` ${of.difference}`, difference.amount, difference.tax),
  ];
}

function paymentLines(payments: readonly PaymentBalance[], total: Balance, { of, receipt, layout }: Words): string[] {
  if (payments.length === 0) return [];
  return [
    ...payments.map(({ payment, difference }) => layout.labelledAmount(paymentName(payment, of, receipt), difference)),
    layout.singleLine,
    layout.labelledAmount(of.total, total.difference.amount),
  ];
}

export function paymentName(payment: PaymentName, of: DayReportTexts, receipt: JournalTexts): string {
  return payment === "change" || payment === "unpaid" || payment === "unknown"
    ? of.notPayments[payment]
    : receipt.payment[payment];
}

function kindLine({ invoiceType, transactionType, receipts, amount }: KindTotal, { receipt, layout }: Words): string {
  const name = `${receipt.invoiceType[invoiceType]} ${receipt.transactionType[transactionType]}`;
  return counted(name, receipts, amount, layout);
}

/** Returns a line with a name, a number of receipts and their amount. Cuts off a long name, but never an amount. */
function counted(name: string, receipts: number, amount: Scaled, layout: Layout): string {
  const end = ` (${receipts}): `;
  const room = layout.columns - widthOf(end) - widthOf(layout.number(amount, 2));
  // The POS sends the cashier's name, which may have line breaks. Keep the name on one line.
  const cut = [...name.replaceAll(/\p{Cc}/gu, " ")].slice(0, Math.max(room, 1)).join("");
  return layout.labelledAmount(cut + end.trimEnd(), amount);
}
