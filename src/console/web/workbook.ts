/**
 * Makes a workbook (XLSX) for the bookkeeper: receipts, items, days and labels. The library is loaded with the first
 * file (docs/decisions/README.md).
 */
import type { Cell, Row, Sheet } from "write-excel-file/browser";
import type { BalanceRecord, DayReportRecord } from "../../bookkeeping/day-report-record.js";
import { dayAfter } from "../../fiscal/zoned.js";
import type { Speech } from "./texts.js";

type WorkbookLine = Readonly<Record<string, string | number | null | undefined>>;
interface Table {
  readonly receipt: WorkbookLine;
  readonly items: readonly WorkbookLine[];
}

/** The last line if receipts are damaged: how many are left out. */
interface LeftOut {
  readonly damaged: number;
}

const BOLD = { fontWeight: "bold" } as const;
const AMOUNT = "#,##0.00##";
const TIME = "yyyy-mm-dd hh:mm:ss";
const DAY = "yyyy-mm-dd";
/** Width of a column in characters. */
const WIDTH = 18;

/**
 * Makes the workbook of a report's days.
 * @throws Error with a text for people if the service refuses, TypeError if the service cannot be reached
 */
export async function workbookOf(report: DayReportRecord, speech: Speech): Promise<Blob> {
  const { from, to } = report;
  const { say, moment } = speech;
  const period = new URLSearchParams({
    from: moment(`${from}T00:00`).toISOString(),
    to: moment(`${dayAfter(to)}T00:00`).toISOString(),
  });
  const [answer, { default: write }] = await Promise.all([
    fetch(`/console/tables?${period}`),
    import("write-excel-file/browser"),
  ]);
  if (!answer.ok) throw new Error(say("notReached"));
  const lines = (await answer.text()).split("\n").filter((line) => line !== "");
  const read = lines.map((line) => JSON.parse(line) as Table | LeftOut);
  const tables = read.filter((line) => "receipt" in line);
  const receipts = tables.map(({ receipt }) => receipt);
  const leftOut = read.flatMap((line) => ("damaged" in line ? [[say("unreadableReceipts", { n: line.damaged })]] : []));
  return write([
    sheet(say("receipts"), [...receiptRows(receipts, speech), ...leftOut]),
    sheet(
      say("items"),
      itemRows(
        tables.flatMap(({ items }) => items),
        speech,
      ),
    ),
    sheet(say("byDay"), dayRows(report, speech)),
    sheet(say("labels"), labelRows(report, speech)),
  ]).toBlob();
}

function sheet(name: string, [head = [], ...rows]: Row[]): Sheet<Blob | File | ArrayBuffer> {
  const title = head.map((text) => ({ value: String(text), ...BOLD }));
  return { data: [title, ...rows], sheet: name, columns: head.map(() => ({ width: WIDTH })), stickyRowsCount: 1 };
}

const text = (value: WorkbookLine[string]): Cell => (value === null || value === undefined ? null : String(value));
const number = (value: WorkbookLine[string], format = AMOUNT): Cell =>
  value === null || value === undefined ? null : { type: Number, value: Number(value), format };
/** Makes a cell with a time. Excel has no time zones, so the cell shows the shop's local time. */
const time = ({ day, localTime }: WorkbookLine): Cell =>
  day ? { type: Date, value: new Date(`${day}T${localTime}Z`), format: TIME } : null;

function receiptRows(receipts: readonly WorkbookLine[], { say }: Speech): Row[] {
  const amounts = (prefix: string) => [
    ...new Set(receipts.flatMap((line) => Object.keys(line).filter((name) => name.startsWith(prefix)))),
  ];
  const [taxes, payments] = [amounts("tax "), amounts("paid ")];
  const head = [
    say("number"),
    say("time"),
    say("kind"),
    say("cashier"),
    say("buyer"),
    say("amount"),
    say("tax"),
    ...taxes.map((name) => `${say("tax")} ${name === "tax of other labels" ? "…" : name.slice("tax ".length)}`),
    ...payments.map((name) => say(`pay${name.slice("paid ".length)}` as "payCash")),
    say("paychange"),
    "RequestId",
  ];
  const rows = receipts.map((line) => [
    text(line.number),
    time(line),
    kind(line, say),
    text(line.cashier),
    text(line.buyerId),
    ...["totalAmount", "totalTax", ...taxes, ...payments, "change"].map((name) => number(line[name])),
    text(line.requestId),
  ]);
  return [head, ...rows];
}

const kind = ({ invoiceType, transactionType }: WorkbookLine, say: Speech["say"]): Cell =>
  invoiceType ? say(`kind${invoiceType}${transactionType}` as "kindNormalSale") : null;

function itemRows(items: readonly WorkbookLine[], { say }: Speech): Row[] {
  const head = [
    say("number"),
    say("time"),
    say("kind"),
    say("cashier"),
    say("article"),
    "GTIN",
    say("label"),
    say("quantity"),
    say("unitPrice"),
    say("amount"),
  ];
  const rows = items.map((line) => [
    text(line.number),
    time(line),
    kind(line, say),
    text(line.cashier),
    text(line.name),
    text(line.gtin),
    text(line.labels),
    number(line.quantity, "#,##0.####"),
    number(line.unitPrice),
    number(line.totalAmount),
  ]);
  return [head, ...rows];
}

const BALANCE = ["countReceipts", "sales", "refunds", "difference", "tax"] as const;
const balance = ({ receipts, sales, refunds, difference }: BalanceRecord): Row => [
  number(receipts, "0"),
  ...[sales.amount, refunds.amount, difference.amount, difference.tax].map((amount) => number(amount)),
];

function dayRows({ days, total }: DayReportRecord, { say }: Speech): Row[] {
  const rows = days.map((day) => [{ type: Date, value: new Date(`${day.day}T00:00Z`), format: DAY }, ...balance(day)]);
  return [[say("day"), ...BALANCE.map((key) => say(key))], ...rows, [say("sumTotal"), ...balance(total)]];
}

function labelRows({ labels }: DayReportRecord, { say }: Speech): Row[] {
  const rows = labels.map((label) => [label.label, label.category, number(label.rate, "0.##"), ...balance(label)]);
  return [[say("label"), say("category"), say("rate"), ...BALANCE.map((key) => say(key))], ...rows];
}
