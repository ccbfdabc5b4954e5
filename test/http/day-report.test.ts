/** The day report, requested as the console and a bookkeeper's program do. */
import { join } from "node:path";
import { expect, it } from "vitest";
import type { DayReportRecord } from "../../src/bookkeeping/day-report-record.js";
import { exportData } from "../../src/bookkeeping/export-data.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { temporaryFolder } from "../support/folder.js";
import { changeStore } from "../support/store-file.js";
import { item, openTill, sale, type Till } from "../support/till.js";

const DAY = 86_400_000;
/** 00:30 on 22 November in Belgrade, still the 21st in UTC. */
const NIGHT = Date.UTC(2026, 10, 21, 23, 30);

const priced = (amount: number, payment: readonly object[], rest: object = {}) =>
  sale({ payment, items: [item("Tea", amount)], ...rest });
const cash = (amount: number) => ({ amount, paymentType: "Cash" });

async function report(till: Till, query = ""): Promise<DayReportRecord> {
  const answer = await till.call("GET", `/console/report${query}`);
  expect([answer.status, answer.status === 200 ? "" : answer.text]).toEqual([200, ""]);
  return answer.json<DayReportRecord>();
}

/** A till with one sale yesterday, and sales, a refund and uncounted receipts today. */
async function soldTill(): Promise<{ till: Till; numbers: string[]; taxes: number[] }> {
  let now = NIGHT - DAY;
  const till = await openTill({ now: () => now });
  const answers = [await till.sell(priced(50, [cash(50)]))];
  now = NIGHT;
  for (const invoice of [
    priced(100, [cash(150)]),
    priced(12.99, [{ amount: 12.99, paymentType: "Card" }], { cashier: "Ana" }),
    priced(100, [cash(100)], {
      transactionType: "Refund",
      referentDocumentNumber: "TESTCARD-TESTCARD-2",
      referentDocumentDT: new Date(NIGHT).toISOString(),
    }),
    priced(999, [cash(999)], { invoiceType: "Training" }),
    priced(500, [cash(500)], { invoiceType: "Proforma" }),
  ]) {
    answers.push(await till.sell(invoice));
    now += 1000;
  }
  const receipts = answers.map((answer) => answer.json<{ invoiceNumber: string; taxItems: { amount: number }[] }>());
  return {
    till,
    numbers: receipts.map(({ invoiceNumber }) => invoiceNumber),
    taxes: receipts.map(({ taxItems }) => taxItems.reduce((sum, { amount }) => sum + amount, 0)),
  };
}

it("the day report of a calendar day of the shop subtracts refunds and leaves out Training and Proforma", async () => {
  const { till, numbers, taxes } = await soldTill();
  const today = await report(till);
  expect([today.from, today.to, today.timeZone]).toEqual(["2026-11-22", "2026-11-22", "Europe/Belgrade"]);
  expect(today.total.receipts).toBe(3);
  expect(today.total.sales.amount).toBe("112.99");
  expect(today.total.refunds.amount).toBe("100.00");
  expect(today.total.difference).toEqual({ amount: "12.99", tax: (taxes[2] ?? 0).toFixed(2) });
  expect([today.first, today.last]).toEqual([numbers[1], numbers[5]]);
  expect(today.apart.map(({ invoiceType, amount }) => [invoiceType, amount])).toEqual([
    ["Proforma", "500.00"],
    ["Training", "999.00"],
  ]);
  expect(today.labels.map(({ label, difference }) => [label, difference.amount])).toEqual([["A", "12.99"]]);
  expect(today.payments.map(({ payment, difference }) => [payment, difference])).toEqual([
    ["Cash", "50.00"],
    ["change", "-50.00"],
    ["Card", "12.99"],
  ]);
  expect(today.cashiers.map(({ cashier, difference }) => [cashier, difference.amount])).toEqual([
    ["Ana", "12.99"],
    ["Cashier 1", "0.00"],
  ]);
});

it("the day report is available as CSV and as text in the 40 columns of a receipt", async () => {
  const { till } = await soldTill();
  const csv = (await till.call("GET", "/console/report.csv")).text.split("\n");
  expect(csv[0]).toBe(
    "\ufeffsection,name,category,rate,receipts,salesAmount,salesTax,refundsAmount,refundsTax,amount,tax",
  );
  expect(csv).toContain("payment,Card,,,,12.99,,0.00,,12.99,");
  expect(csv).toContain("cashier,Ana,,,1,12.99,2.17,0.00,0.00,12.99,2.17");
  const text = (await till.call("GET", "/console/report.txt?language=sr-Latn-RS")).text;
  const lines = text.split("\r\n").slice(0, -1);
  expect(new Set(lines.map((line) => [...line].length).filter((length) => length > 40))).toEqual(new Set());
  expect(lines[0]).toBe("=========== DNEVNI IZVEŠTAJ ============");
  expect(lines).toContain("Refundacija:                     -100,00");
  expect(lines).toContain("Razlika:                           12,99");
  expect(lines).toContain("Gotovina:                          50,00");
  expect(lines).toContain("OBUKA PRODAJA (1):                999,00");
  expect(lines.at(-1)).toBe("======== OVO NIJE FISKALNI RAČUN =======");
});

it.each(["from=yesterday", "to=2026-02-41", "from=2026-11-23&to=2026-11-22", "language=de"])(
  "the day report is refused for %s",
  async (query) => {
    const till = await openTill();
    expect((await till.call("GET", `/console/report.txt?${query}`)).status).toBe(404);
  },
);

it("a day report has a column for each tax label and payment type in the receipts' CSV, and subtracts refunds", async () => {
  const { till } = await soldTill();
  const [head = "", ...lines] = (await till.call("GET", "/console/receipts.csv")).text.trim().split("\n");
  const columns = head.split(",");
  const column = (name: string) => lines.map((line) => line.split(",")[columns.indexOf(name)]);
  expect(columns.filter((name) => name.startsWith("tax "))).toEqual([
    ...["A", "B", "C", "D", "E", "N"].map((label) => `tax ${label}`),
    "tax of other labels",
  ]);
  expect(column("transactionType")).toEqual(["Sale", "Sale", "Sale", "Refund", "Sale", "Sale"]);
  expect(column("totalAmount")).toEqual(["50.00", "100.00", "12.99", "-100.00", "999.00", "500.00"]);
  expect(column("tax A").slice(0, 4)).toEqual(["8.33", "16.67", "2.17", "-16.67"]);
  expect(column("paid Cash").slice(0, 4)).toEqual(["50.00", "150.00", "", "-100.00"]);
  expect(column("change").slice(0, 4)).toEqual(["", "50.00", "", ""]);
  expect(column("paid Card").slice(0, 4)).toEqual(["", "", "12.99", ""]);
});

it.each([
  ["a payment", "intent = replace(intent, '\"Cash\"', '\"Card\"')"],
  ["the answer", "answer = json_set(answer, '$.totalAmount', 1)"],
  ["the number", "number = 'TESTCARD-TESTCARD-9'"],
  ["the time that the card signed", "signature = CAST(x'01' || substr(signature, 2) AS BLOB)"],
  [
    "the time, to that of another day",
    "signature = CAST(substr(signature, 1, 3) || x'9A' || substr(signature, 5) AS BLOB)",
  ],
  ["the whole answer of the card", "signature = x'01'"],
])("a receipt with a damaged value is in no sum and in no file, and each of them counts it: %s", async (_, change) => {
  const dataDir = temporaryFolder();
  const first = await openTill({ settings: { dataDir }, now: () => NIGHT });
  for (const amount of [50, 100, 20]) await first.sell(priced(amount, [cash(amount)]));
  await first.stop();
  changeStore(dataDir, `UPDATE invoices SET ${change} WHERE id = 2`);
  const till = await openTill({ settings: { dataDir }, now: () => NIGHT });
  const { total, payments, hours, unreadable } = await report(till);
  expect([total.receipts, total.difference.amount, unreadable]).toEqual([2, "70.00", 1]);
  expect([payments, hours].map((lines) => lines.map(({ difference }) => difference))).toMatchObject([
    ["70.00"],
    [{ amount: "70.00" }],
  ]);
  const linesOf = async (path: string) => (await till.call("GET", `/console/${path}`)).text.trim().split("\n");
  expect(await linesOf("report.csv")).toContain("unreadable,,,,1,,,,,,");
  expect((await till.call("GET", "/console/report.txt?language=en-US")).text).toMatch(/^Damaged, .*: +1\r$/m);
  for (const path of ["receipts.csv", "items.csv"]) {
    expect((await linesOf(path)).slice(1)).toEqual([
      expect.stringMatching(/^TESTCARD-TESTCARD-1,/),
      expect.stringMatching(/^TESTCARD-TESTCARD-3,/),
      expect.stringMatching(/^damaged receipts left out: 1,/),
    ]);
  }
  for (const path of ["receipts.ndjson", "tables"]) {
    const lines = (await linesOf(path)).map((line) => JSON.parse(line) as object);
    expect([lines.length, lines[2]]).toEqual([3, { damaged: 1 }]);
  }
  const target = join(temporaryFolder(), "export");
  expect(StoreReading.open(dataDir).use((store) => exportData(store, target, {}))).toEqual({
    sales: { complete: 2 },
    unreadable: 1,
  });
});

/** The cells of a CSV file without quotes. */
const cellsOf = (csv: string, delimiter: string) =>
  csv
    .replace("\ufeff", "")
    .trimEnd()
    .split("\n")
    .map((line) => line.split(delimiter));

it("the files of one day report have the same amounts in each cell, with positive refunds, in every language", async () => {
  const { till } = await soldTill();
  const { total, days, labels, payments, cashiers, kinds } = await report(till);
  const file = async (query: string) => (await till.call("GET", `/console/report.csv?${query}`)).text;
  const [head = [], ...rows] = cellsOf(await file(""), ",");
  const codes = rows.map(([section, name = ""]) => [section, name]);
  const amounts = rows.map((row) => row.slice(4));
  const rowsOf = (section: string) => amounts.filter((_, i) => codes[i]?.[0] === section);
  const balance = ({ receipts, sales, refunds, difference }: DayReportRecord["total"]) =>
    [receipts, sales.amount, sales.tax, refunds.amount, refunds.tax, difference.amount, difference.tax].map(String);
  for (const [section, list] of Object.entries({ total: [total], day: days, label: labels, cashier: cashiers })) {
    expect(rowsOf(section)).toEqual(list.map(balance));
  }
  expect(rowsOf("payment")).toEqual(payments.map((one) => ["", one.sales, "", one.refunds, "", one.difference, ""]));
  expect(rowsOf("kind")).toEqual(kinds.map((one) => [String(one.receipts), "", "", "", "", one.amount, one.tax]));
  expect(rowsOf("total")[0]?.[3]).toBe("100.00");
  for (const [language, refunds] of Object.entries({ "en-US": "Refunds", "sr-Cyrl-RS": "Рефундација" })) {
    const [words = [], ...shown] = cellsOf(await file(`language=${language}&decimal=comma`), ";");
    expect(shown.map((row) => row.slice(4).map((cell) => cell.replace(",", ".")))).toEqual(amounts);
    expect(words[head.indexOf("refundsAmount")]).toBe(refunds);
    expect(words.filter((word) => head.includes(word))).toEqual([]);
    expect(shown.filter(([section = ""], i) => section === "" || section === codes[i]?.[0])).toEqual([]);
    expect(
      shown.find(([, name]) => name === { "en-US": "Card", "sr-Cyrl-RS": "Платна картица" }[language]),
    ).toBeDefined();
    const lines = (await till.call("GET", `/console/report.txt?language=${language}`)).text.split("\r\n");
    const printed = lines.find((line) => line.startsWith(`${refunds}:`)) ?? "";
    expect(printed.replace(",", ".").split(" ").at(-1)).toBe(`-${total.refunds.amount}`);
  }
  expect((await till.call("GET", "/console/report.csv?language=de")).status).toBe(404);
});
