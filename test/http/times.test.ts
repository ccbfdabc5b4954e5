/** Times on the clock of the shop: refunds with the printed time of their sale, and receipts around changes of the clock. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { DayReportRecord } from "../../src/bookkeeping/day-report-record.js";
import { Eraser } from "../../src/bookkeeping/eraser.js";
import { exportData } from "../../src/bookkeeping/export-data.js";
import { makeReport } from "../../src/bookkeeping/make-report.js";
import type { ReceiptDetailRecord } from "../../src/console/records/receipts.js";
import { toLocalIso, wallIn } from "../../src/fiscal/zoned.js";
import { ALWAYS } from "../../src/ledger/period.js";
import { Receipts } from "../../src/ledger/receipts.js";
import { checksumIn } from "../../src/ledger/row-checksums.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { consoleRecord } from "../support/console-records.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { environmentFile } from "../support/invoices.js";
import { openedStore } from "../support/ledgers.js";
import { openTill, sale, type Till } from "../support/till.js";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const items = [{ name: "Кафа", quantity: 1, unitPrice: 118, labels: ["Ђ"], totalAmount: 118 }];

/** The file of an environment whose rates change on 2022-05-01, in another time zone. */
function environmentIn(timeZone: string): string {
  const file = join(temporaryFolder(), "environment.yaml");
  const text = readFileSync(environmentFile("cyrillic"), "utf8");
  writeFileSync(file, text.replace(/serverTimeZone: .*/, `serverTimeZone: ${timeZone}`));
  return file;
}

/** The forms in which a POS may send the printed time of a receipt. */
const FORMS: readonly ((at: number, zone: string, other: string) => string)[] = [
  (at, zone) => wallIn(at, zone),
  (at, zone) => `${wallIn(at, zone)}Z`,
  (at, zone) => `${wallIn(at, zone)}.123456789z`,
  (at, zone) => wallIn(at, zone).replaceAll("-", "/").replace("T", " "),
  (at, zone) => toLocalIso(at, zone),
  (at, _, other) => toLocalIso(at, other),
];

it.each(["Europe/Belgrade", "America/New_York", "Pacific/Apia", "America/St_Johns"])(
  "a refund with the printed time of its sale is accepted at once in %s, prints it and has the rates of its sale",
  async (zone) => {
    const [dataDir, card] = [temporaryFolder(), makeCard()];
    let now = 0;
    const options = { settings: { dataDir }, card, now: () => now };
    const till = await openTill({ ...options, environment: environmentIn(zone) });
    const refunds: { body: object; RequestId: string; answer: string }[] = [];
    const days = [Date.UTC(2022, 4, 1), Date.UTC(2021, 3, 3, 14), Date.UTC(2026, 2, 8, 7), Date.UTC(2026, 9, 25, 1)];
    const around = fc.tuple(fc.constantFrom(...days), fc.integer({ min: -DAY, max: DAY })).map(([at, by]) => at + by);
    const others = fc.constantFrom("Asia/Kathmandu", "Pacific/Honolulu", "UTC");
    const property = async (at: number, form: (typeof FORMS)[number], other: string, wait: number) => {
      now = at;
      const sold = (await till.sell(sale({ items }))).json();
      now += wait;
      const reference = { referentDocumentNumber: sold.invoiceNumber, referentDocumentDT: form(at, zone, other) };
      const body = sale({ items, transactionType: "Refund", ...reference });
      const RequestId = `refund-${refunds.length}`;
      const refund = await till.sell(body, { RequestId });
      expect(refund.json()).toMatchObject({ taxGroupRevision: sold.taxGroupRevision });
      const [date, time] = wallIn(at, zone).split("T");
      const printed = `${date?.split("-").reverse().join(".")}. ${time?.replace(/^0/, "")}`;
      expect(refund.json().journal).toContain(`${printed.padStart(29)}\r\n`);
      refunds.push({ body, RequestId, answer: refund.text });
    };
    await fc.assert(fc.asyncProperty(around, fc.constantFrom(...FORMS), others, fc.nat({ max: 3 * DAY }), property), {
      numRuns: 12,
    });
    await till.stop();
    const moved = await openTill({ ...options, environment: environmentIn("Asia/Tokyo") });
    for (const { body, RequestId, answer } of refunds) {
      const repeated = await moved.sell(body, { RequestId });
      expect([repeated.headers["idempotent-replayed"], repeated.text]).toEqual(["true", answer]);
    }
  },
);

it("each receipt is in one day of the zone in force after the zone has changed, and keeps the time that it prints", async () => {
  const [dataDir, card] = [temporaryFolder(), makeCard()];
  let now = Date.UTC(2026, 10, 21, 22, 30);
  const options = { settings: { dataDir }, card, now: () => now };
  const before = await openTill({ ...options, environment: environmentIn("Europe/Belgrade") });
  const sold = [(await before.sell(sale({ items }))).text];
  now += 60 * MINUTE;
  sold.push((await before.sell(sale({ items }))).text);
  const receiptsOf = async (till: Till, day: string) => {
    const report = await consoleRecord<DayReportRecord>(till, `/report?from=${day}&to=${day}`);
    return [report.timeZone, report.total.receipts];
  };
  expect([await receiptsOf(before, "2026-11-21"), await receiptsOf(before, "2026-11-22")]).toEqual([
    ["Europe/Belgrade", 1],
    ["Europe/Belgrade", 1],
  ]);
  await before.stop();
  const after = await openTill({ ...options, environment: environmentIn("America/New_York") });
  expect([await receiptsOf(after, "2026-11-21"), await receiptsOf(after, "2026-11-22")]).toEqual([
    ["America/New_York", 2],
    ["America/New_York", 0],
  ]);
  const printed = await Promise.all(
    [1, 2].map(async (id) => {
      const { signed } = await consoleRecord<ReceiptDetailRecord>(after, `/receipts/${id}`);
      return signed?.journal.find((line) => line.startsWith("ПФР време"))?.replaceAll(/ +/g, " ");
    }),
  );
  expect(printed).toEqual(["ПФР време: 21.11.2026. 23:30:00", "ПФР време: 22.11.2026. 0:30:00"]);
  expect(sold.map((text) => /"sdcDateTime":"([^"]+)/.exec(text)?.[1])).toEqual([
    "2026-11-21T23:30:00.000+01:00",
    "2026-11-22T00:30:00.000+01:00",
  ]);
});

it.each([
  ["Europe/Belgrade", Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1)],
  // Samoa is on the other side of the date line: its clocks change at 14:00 UTC of the day before.
  ["Pacific/Apia", Date.UTC(2020, 8, 26, 14), Date.UTC(2021, 3, 3, 14)],
  ["America/New_York", Date.UTC(2026, 2, 8, 7), Date.UTC(2026, 10, 1, 6)],
])("every receipt around the clock's changes in %s is found by its moment", async (zone, ...changes) => {
  const dataDir = temporaryFolder();
  let now = 0;
  const till = await openTill({ settings: { dataDir }, environment: environmentIn(zone), now: () => now });
  // Hours around each change, and the hours around the midnights before and after it.
  const hours = [-26, -14, -3, -2, -1, 0, 1, 2, 12, 22];
  const moments = changes.flatMap((change) => hours.map((hour) => change + hour * 60 * MINUTE + 30 * MINUTE + 7));
  for (now of moments) {
    const { sdcDateTime } = (await till.sell(sale({ items }))).json<{ sdcDateTime: string }>();
    expect([Date.parse(sdcDateTime), sdcDateTime.slice(0, 19)]).toEqual([now, shownIn(zone, now)]);
  }
  await till.stop();

  const reading = StoreReading.open(dataDir);
  for (const [i, moment] of moments.entries()) {
    const target = join(dataDir, `export-${i}`);
    expect(exportData(reading, target, { from: moment, to: moment + 1 })).toEqual({
      sales: { complete: 1 },
      unreadable: 0,
    });
    expect(readFileSync(join(target, "receipts.jsonl"), "utf8")).toContain(`"TESTCARD-TESTCARD-${i + 1}"`);
  }
  reading.close();

  const store = openedStore(dataDir);
  const receipts = new Receipts(store.db);
  const counters = ({ from, to } = ALWAYS) => receipts.during({ from, to }, 100).map(({ id }) => id);
  const all = moments.map((_, i) => i + 1).reverse();
  expect(counters()).toEqual(all);
  for (const [i, moment] of moments.entries()) expect(counters({ from: moment, to: moment + 1 })).toEqual([i + 1]);
  for (const day of new Set(moments.map((moment) => shownIn(zone, moment).slice(0, 10)))) {
    const { report } = await makeReport(receipts, { from: day, to: day }, zone);
    const ofDay = moments.filter((moment) => shownIn(zone, moment).startsWith(day));
    expect([day, report.total.receipts]).toEqual([day, ofDay.length]);
  }

  const { access } = new SqliteLedger(store);
  store.db.exec("INSERT OR REPLACE INTO audit_progress (uid, sent_to, proven_to) VALUES ('TESTCARD', 100, 100)");
  store.db.exec(`UPDATE audit_progress SET checksum = ${checksumIn("audit_progress")}`);
  const eraser = new Eraser(access, async () => undefined);
  for (const [i, moment] of moments.entries()) {
    expect([(await eraser.count(moment)).older, (await eraser.count(moment + 1)).older]).toEqual([i, i + 1]);
  }
  const [half, before = 0] = [moments.length / 2, moments[moments.length / 2]];
  expect(await eraser.erase({ before, by: "command", now })).toBe(half);
  expect(counters()).toEqual(all.slice(0, half));
});

function shownIn(timeZone: string, moment: number): string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return format.format(moment).replace(" ", "T");
}
