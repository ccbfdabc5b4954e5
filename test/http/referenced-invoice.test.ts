/** Taxes and times of invoices that refer to another one: Copy and Refund. */
import { pino } from "pino";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.js";
import { changeStore } from "../support/store-file.js";
import { openTill, sale } from "../support/till.js";

const NUMBER = "TESTCARD-TESTCARD-1";
const DAY = 86_400_000;
/** At 18 %, the rate of 2021, the tax is 18. */
const items = [{ name: "Кафа", quantity: 1, unitPrice: 118, labels: ["Ђ"], totalAmount: 118 }];

it("an invoice that refers to another one taxes a Refund with the rates of the original invoice", async () => {
  let now = Date.UTC(2021, 0, 1);
  const till = await openTill({ environment: "cyrillic", now: () => now });
  const { invoiceNumber } = (await till.sell(sale({ items }))).json();
  now = Date.UTC(2026, 0, 1);
  const refund = { items, transactionType: "Refund", referentDocumentNumber: invoiceNumber };
  // Looked up in the store: the rate was 18 % then.
  const looked = (await till.sell(sale(refund))).json();
  expect(looked).toMatchObject({ taxGroupRevision: 1, taxItems: [{ rate: 18, amount: 18 }] });
  // Sent by the caller.
  const dated = await till.sell(sale({ ...refund, referentDocumentDT: "2023-01-01T00:00:00Z" }));
  expect(dated.json()).toMatchObject({ taxGroupRevision: 5, taxItems: [{ rate: 20, amount: 19.6667 }] });
  // A time before any rates.
  const early = await till.sell(sale({ ...refund, referentDocumentDT: "1999-01-01T00:00:00Z" }));
  expect(early.json()).toMatchObject({
    code: "2804",
    modelState: [{ property: "referentDocumentDT", errors: ["2804"] }],
  });
});

it("an invoice that refers to another one taxes a Copy of a Refund as the Refund was taxed", async () => {
  let now = Date.UTC(2021, 0, 1);
  const till = await openTill({ environment: "cyrillic", now: () => now });
  const { invoiceNumber } = (await till.sell(sale({ items }))).json();
  now = Date.UTC(2026, 0, 1);
  const refund = { items, transactionType: "Refund" };
  const refunded = (await till.sell(sale({ ...refund, referentDocumentNumber: invoiceNumber }))).json();
  const copy = { ...refund, invoiceType: "Copy", referentDocumentNumber: refunded.invoiceNumber };
  const copied = (await till.sell(sale(copy))).json();
  expect(copied).toMatchObject({ taxGroupRevision: 1, taxItems: refunded.taxItems });
});

it("an invoice that refers to another one does not take its rates from an entry that is damaged, and warns", async () => {
  const dataDir = temporaryFolder();
  const settings = { dataDir };
  const first = await openTill({ environment: "cyrillic", now: () => Date.UTC(2021, 0, 1), settings });
  const { invoiceNumber } = (await first.sell(sale({ items }))).json();
  await first.stop();
  changeStore(dataDir, "UPDATE invoices SET answer = replace(answer, '118', '918')");
  const till = await openTill({ environment: "cyrillic", now: () => Date.UTC(2026, 0, 1), settings, card: first.card });
  for (const kind of [{ transactionType: "Refund" }, { invoiceType: "Copy" }]) {
    const answer = await till.sell(sale({ items, ...kind, referentDocumentNumber: invoiceNumber }));
    expect(answer.json()).toMatchObject({ taxGroupRevision: 5, taxItems: [{ rate: 20 }] });
    expect(answer.headers.warning).toContain("299");
  }
});

it("an invoice that refers to another one prints the POS time and the referenced invoice's time only when the POS sent them", async () => {
  const till = await openTill({ environment: "cyrillic", now: () => Date.UTC(2026, 0, 1) });
  const sold = (await till.sell(sale({ items }))).json();
  expect(sold.journal).not.toContain("ЕСИР време:");
  const refund = sale({ items, transactionType: "Refund", referentDocumentNumber: sold.invoiceNumber });
  // The store knows the time of the sale, but the POS did not send it.
  expect((await till.sell(refund)).json().journal).not.toContain("Реф. време:");
  const times = { dateAndTimeOfIssue: "2026/01/01 00:00:00", referentDocumentDT: "2025-12-31T22:00:00+00:00" };
  const { journal } = (await till.sell({ ...refund, ...times })).json();
  expect(journal).toContain("\r\nЕСИР време:          01.01.2026. 0:00:00\r\n");
  expect(journal).toContain("\r\nРеф. време:         31.12.2025. 23:00:00\r\n");
});

it("an invoice that refers to another one taxes a Copy or a Refund with today's rates and warns when the original's time is unknown", async () => {
  const logged: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void logged.push(line) });
  const till = await openTill({ environment: "cyrillic", log });
  const sold = await till.sell(sale({ items }));
  const foreign = "OTHERUID-OTHERUID-77";
  const refund = sale({ items, transactionType: "Refund", referentDocumentNumber: foreign });
  const refunded = await till.sell(refund, { RequestId: "refund-1" });
  expect(refunded.headers.warning).toMatch(/^299 - "[\x20\x21\x23-\x5b\x5d-\x7e]*today's rates[^"\\]*"$/);
  expect(refunded.json()).toMatchObject({ messages: "Success", taxGroupRevision: 5 });
  expect(logged).toHaveLength(1);
  expect(JSON.parse(logged[0] ?? "")).toMatchObject({ requestId: "refund-1", referentDocumentNumber: foreign });
  // The stored answer repeats the warning, the log does not.
  const repeated = await till.sell(refund, { RequestId: "refund-1" });
  const stored = await till.call("GET", "/api/v3/invoices/refund-1");
  expect([repeated, stored].map(({ headers }) => headers.warning)).toEqual(Array(2).fill(refunded.headers.warning));
  expect(logged).toHaveLength(1);
  // No warning when the store or the POS knows the time, or for a sale.
  const copy = sale({ items, invoiceType: "Copy", referentDocumentNumber: sold.json().invoiceNumber });
  const datedRefund = { ...refund, referentDocumentDT: "2023-01-01T00:00:00Z" };
  const quiet = [sold, await till.sell(copy), await till.sell(datedRefund)];
  expect(quiet.map(({ status, headers }) => [status, headers.warning])).toEqual(Array(3).fill([200, undefined]));
});

it("an invoice that refers to another one refuses a referentDocumentDT more than a day in the future", async () => {
  const now = Date.UTC(2022, 3, 30, 21, 58);
  const refund = { items, transactionType: "Refund", referentDocumentNumber: NUMBER };
  const at = (ms: number) => sale({ ...refund, referentDocumentDT: new Date(now + ms).toISOString() });
  const till = await openTill({ environment: "cyrillic", now: () => now });
  expect((await till.sell(at(DAY + 1))).json()).toMatchObject({
    code: "2804",
    modelState: [{ property: "referentDocumentDT", errors: ["2804"] }],
  });
  expect(till.cardState().totalCounter).toBe(0);
  // Other rates apply in two minutes, but tax nothing before that.
  expect((await till.sell(at(DAY))).json()).toMatchObject({ taxGroupRevision: 1, taxItems: [{ rate: 18 }] });
});

// The sale is at 12:00 on the clock of the shop, which is 10:00 in UTC.
it.each([
  ["2026-07-01T12:00:00", "12:00:00"],
  ["2026-07-01T12:00:00Z", "12:00:00"],
  ["2026/07/01 12:00:00", "12:00:00"],
  ["2026-07-01T10:00:00.123456789Z", "10:00:00"],
  ["2026-07-01T06:00:00-04:00", "12:00:00"],
])(
  "an invoice that refers to another one accepts a Refund with its sale's time %s at once, and prints %s",
  async (referentDocumentDT, printed) => {
    let now = Date.UTC(2026, 6, 1, 10);
    const till = await openTill({ environment: "cyrillic", now: () => now });
    const { invoiceNumber: referentDocumentNumber } = (await till.sell(sale({ items }))).json();
    now += 60_000;
    const refund = sale({ items, transactionType: "Refund", referentDocumentNumber, referentDocumentDT });
    const { journal } = (await till.sell(refund)).json();
    expect(journal).toContain(`\r\nРеф. време:         01.07.2026. ${printed}\r\n`);
  },
);

it("an invoice that refers to another one gives a Refund the rates of its sale when the rates have changed since, whatever zone stands behind the time", async () => {
  // The rates change at midnight UTC of 2022-05-01, which is 02:00 in the shop.
  let now = Date.UTC(2022, 3, 30, 23, 59);
  const till = await openTill({ environment: "cyrillic", now: () => now });
  const sold = (await till.sell(sale({ items }))).json<Record<string, string>>();
  now += 120_000;
  const refund = { items, transactionType: "Refund", referentDocumentNumber: sold.invoiceNumber };
  const revisionOf = async (referentDocumentDT: string) =>
    (await till.sell(sale({ ...refund, referentDocumentDT }))).json().taxGroupRevision;
  const times = ["2022-05-01T01:59:00", "2022-05-01T01:59:00Z", sold.sdcDateTime ?? "", "2022-04-30T23:59:00Z"];
  for (const time of times) {
    expect([time, await revisionOf(time)]).toEqual([time, sold.taxGroupRevision]);
  }
  expect(await revisionOf("2022-05-01T02:00:00")).not.toBe(sold.taxGroupRevision);
});

it("a Normal Sale is not refused for a referentDocumentDT that no receipt has, and prints it only below its number", async () => {
  const till = await openTill({ environment: "cyrillic" });
  const future = "2199-01-01T00:00:00";
  const journals = [
    await till.sell(sale({ items, referentDocumentDT: future })),
    // .NET sends this for a time that was not set.
    await till.sell(sale({ items, referentDocumentDT: "0001-01-01T00:00:00" })),
    await till.sell(sale({ items, referentDocumentDT: future, referentDocumentNumber: NUMBER })),
  ].map((answer) => answer.json<{ journal: string }>().journal);
  expect(journals.map((journal) => journal.includes("Реф. време"))).toEqual([false, false, true]);
});

it.each(["0001-01-01T00:00:00", "1900-01-01T00:00:00.999Z", "1900-01-01T00:00:01+14:00"])(
  "an invoice that refers to another one refuses the time %s as out of range",
  async (time) => {
    const till = await openTill();
    expect((await till.sell(sale({ dateAndTimeOfIssue: time }))).json()).toMatchObject({
      code: "2804",
      modelState: [{ property: "dateAndTimeOfIssue", errors: ["2804"] }],
    });
  },
);
