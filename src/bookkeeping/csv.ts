/**
 * Writes a report as CSV, for programs or in the words of the paper. It is one table; the first two columns say what a
 * line is about. Refunds are positive.
 */
import { stringify } from "csv-stringify/sync";
import { paymentName } from "../fiscal/day-report-paper.js";
import { DAY_REPORT_TEXTS, type DayReportTexts } from "../fiscal/day-report-texts.js";
import type { ReceiptKind } from "../fiscal/invoice.js";
import { Layout } from "../fiscal/journal/layout.js";
import { journalTexts } from "../fiscal/journal/texts.js";
import type { ReceiptLanguage } from "../fiscal/language.js";
import { cells, withoutFormula } from "./cells.js";
import type { BalanceRecord, DayReportRecord, KindRecord, PaymentRecord } from "./day-report-record.js";

/** The columns for programs, and their words on paper. */
const COLUMNS = {
  section: "title",
  name: "name",
  category: "category",
  rate: "rate",
  receipts: "receipts",
  salesAmount: "sales",
  salesTax: "salesTax",
  refundsAmount: "refunds",
  refundsTax: "refundsTax",
  amount: "difference",
  tax: "differenceTax",
} as const;

const SECTIONS = {
  total: "total",
  day: "days",
  hour: "hours",
  label: "labels",
  payment: "payments",
  kind: "kinds",
  cashier: "cashiers",
  apart: "apart",
  first: "first",
  last: "last",
  withoutItems: "withoutItems",
  unreadable: "unreadable",
} as const;

type ReportLine = Readonly<Record<string, string | number | null>> & { readonly section: keyof typeof SECTIONS };

interface CsvWords {
  readonly word: (key: Exclude<keyof DayReportTexts, "notPayments">, code: string) => string;
  readonly payment: (payment: PaymentRecord["payment"]) => string;
  readonly kind: (kind: ReceiptKind) => string;
  readonly noCashier: string;
}

const FOR_PROGRAMS: CsvWords = {
  word: (_, code) => code,
  payment: (payment) => payment,
  kind: ({ invoiceType, transactionType }) => `${invoiceType} ${transactionType}`,
  noCashier: "",
};

function wordsOf(language: ReceiptLanguage): CsvWords {
  const of = DAY_REPORT_TEXTS[language];
  const receipt = journalTexts(language, Layout.of(language, undefined));
  const plain = (text: string) => text.replace(/:$/, "");
  return {
    word: (key) => plain(of[key]),
    payment: (payment) => plain(paymentName(payment, of, receipt)),
    kind: ({ invoiceType, transactionType }) =>
      `${receipt.invoiceType[invoiceType]} ${receipt.transactionType[transactionType]}`,
    noCashier: of.noCashier,
  };
}

/**
 * The report as CSV. It has a byte order mark, which spreadsheets need.
 * @param comma whether to write 1,50 and separate columns with semicolons
 * @param language undefined for programs
 */
export function reportCsv(report: DayReportRecord, comma: boolean, language?: ReceiptLanguage): string {
  const words = language ? wordsOf(language) : FOR_PROGRAMS;
  const lines: ReportLine[] = [
    { section: "total", name: `${report.from}/${report.to}`, ...ofBalance(report.total) },
    ...report.days.map((day) => ({ section: "day" as const, name: day.day, ...ofBalance(day) })),
    ...report.hours.map((hour) => ({ section: "hour" as const, name: hour.hour, ...ofBalance(hour) })),
    ...report.labels.map((sums) => {
      const { label: name, category, rate } = sums;
      return { section: "label" as const, name, category, rate, ...ofBalance(sums) };
    }),
    ...report.payments.map(({ payment, sales: salesAmount, refunds: refundsAmount, difference: amount }) => {
      return { section: "payment" as const, name: words.payment(payment), salesAmount, refundsAmount, amount };
    }),
    ...report.kinds.map((kind) => ({ section: "kind" as const, ...ofKind(kind, words) })),
    ...report.cashiers.map((cashier) => ({
      section: "cashier" as const,
      name: cashier.cashier ?? words.noCashier,
      ...ofBalance(cashier),
    })),
    ...report.apart.map((kind) => ({ section: "apart" as const, ...ofKind(kind, words) })),
    { section: "first", name: report.first },
    { section: "last", name: report.last },
    { section: "withoutItems", receipts: report.withoutItems },
    { section: "unreadable", receipts: report.unreadable },
  ];
  // A name keeps its points, also with decimal commas.
  const rows = lines.map(({ section, name, ...line }) => ({
    section: words.word(SECTIONS[section], section),
    name: withoutFormula(String(name ?? "")),
    ...cells(line, comma),
  }));
  const columns = Object.entries(COLUMNS).map(([key, word]) => ({ key, header: words.word(word, key) }));
  return stringify(rows, { header: true, columns, bom: true, delimiter: comma ? ";" : "," });
}

function ofBalance({ receipts, sales, refunds, difference }: BalanceRecord) {
  return {
    receipts,
    salesAmount: sales.amount,
    salesTax: sales.tax,
    refundsAmount: refunds.amount,
    refundsTax: refunds.tax,
    ...difference,
  };
}

function ofKind({ receipts, amount, tax, ...kind }: KindRecord, words: CsvWords) {
  return { name: words.kind(kind), receipts, amount, tax };
}
