/** Writes a report as CSV. It is one table; the first two columns say what a line is about. */
import { stringify } from "csv-stringify/sync";
import type { BalanceRecord, DayReportRecord, KindRecord, PaymentRecord } from "./day-report-record.js";
import { withoutFormula } from "./without-formula.js";

const COLUMNS = [
  "section",
  "name",
  "category",
  "rate",
  "receipts",
  "salesAmount",
  "salesTax",
  "refundsAmount",
  "refundsTax",
  "amount",
  "tax",
];

type Line = Readonly<Record<string, string | number | null>>;

/**
 * The report as CSV. It has a byte order mark, which spreadsheets need.
 * @param comma whether to write 1,50 and separate columns with semicolons
 */
export function reportCsv(report: DayReportRecord, comma = false): string {
  const lines: Line[] = [
    { section: "total", name: `${report.from}/${report.to}`, ...ofBalance(report.total) },
    ...report.days.map((day) => ({ section: "day", name: day.day, ...ofBalance(day) })),
    ...report.hours.map((hour) => ({ section: "hour", name: hour.hour, ...ofBalance(hour) })),
    ...report.labels.map((label) => ({ section: "label", name: label.label, ...ofLabel(label) })),
    ...report.payments.map(ofPayment),
    ...report.kinds.map((kind) => ({ section: "kind", ...ofKind(kind) })),
    ...report.cashiers.map((cashier) => ({ section: "cashier", name: cashier.cashier, ...ofBalance(cashier) })),
    ...report.apart.map((kind) => ({ section: "apart", ...ofKind(kind) })),
    { section: "first", name: report.first },
    { section: "last", name: report.last },
    { section: "withoutItems", receipts: report.withoutItems },
    { section: "unreadable", receipts: report.unreadable },
  ];
  // Spreadsheets read names that begin with = as formulas. Amounts need no change: negative amounts are not formulas.
  const texts = lines.map((line) => ({
    ...line,
    name: withoutFormula(String(line.name ?? "")),
    category: withoutFormula(String(line.category ?? "")),
  }));
  const shown = comma ? texts.map(withComma) : texts;
  return stringify(shown, { header: true, columns: COLUMNS, bom: true, delimiter: comma ? ";" : "," });
}

/** Writes amounts with a decimal comma. Names keep their points. */
function withComma({ name = null, ...line }: Line): Line {
  const values = Object.entries(line).map(([column, value]) => {
    return [column, typeof value === "string" && /^-?\d+\.\d+$/.test(value) ? value.replace(".", ",") : value];
  });
  return { name, ...Object.fromEntries(values) };
}

function ofBalance({ receipts, sales, refunds, difference }: BalanceRecord): Line {
  return {
    receipts,
    salesAmount: sales.amount,
    salesTax: sales.tax,
    refundsAmount: refunds.amount,
    refundsTax: refunds.tax,
    ...difference,
  };
}

function ofLabel(label: DayReportRecord["labels"][number]): Line {
  return { category: label.category, rate: label.rate, ...ofBalance(label) };
}

function ofPayment({ payment, sales, refunds, difference }: PaymentRecord): Line {
  return { section: "payment", name: payment, salesAmount: sales, refundsAmount: refunds, amount: difference };
}

function ofKind({ invoiceType, transactionType, receipts, amount, tax }: KindRecord): Line {
  return { name: `${invoiceType} ${transactionType}`, receipts, amount, tax };
}
