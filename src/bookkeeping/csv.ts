/** Writes a report as CSV. It is one table; the first two columns say what a line is about. */
import { stringify } from "csv-stringify/sync";
import { cells, withoutFormula } from "./cells.js";
import type { BalanceRecord, DayReportRecord, KindRecord, LabelRecord, PaymentRecord } from "./day-report-record.js";

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
export function reportCsv(report: DayReportRecord, comma: boolean): string {
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
  // A name keeps its points, also with decimal commas.
  const rows = lines.map(({ name, ...line }) => ({ name: withoutFormula(String(name ?? "")), ...cells(line, comma) }));
  return stringify(rows, { header: true, columns: COLUMNS, bom: true, delimiter: comma ? ";" : "," });
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

function ofLabel(label: LabelRecord): Line {
  return { category: label.category, rate: label.rate, ...ofBalance(label) };
}

function ofPayment({ payment, sales, refunds, difference }: PaymentRecord): Line {
  return { section: "payment", name: payment, salesAmount: sales, refundsAmount: refunds, amount: difference };
}

function ofKind({ invoiceType, transactionType, receipts, amount, tax }: KindRecord): Line {
  return { name: `${invoiceType} ${transactionType}`, receipts, amount, tax };
}
