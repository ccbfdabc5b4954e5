/** Receipts in the console: found, shown with their verdicts, and exported. */

import { once } from "node:events";
import { connect } from "node:net";
import { pino } from "pino";
import { expect, it } from "vitest";
import type { ReceiptDetailRecord, ReceiptListRecord } from "../../src/console/records/receipts.js";
import { consoleRecord } from "../support/console-records.js";
import { temporaryFolder } from "../support/folder.js";
import { testLog } from "../support/log.js";
import { changeStore } from "../support/store-file.js";
import { item, openTill, sale, soldStore, type Till } from "../support/till.js";

const priced = (amount: number) => sale({ payment: [{ amount, paymentType: "Cash" }], items: [item("Tea", amount)] });

const listNumbers = async (till: Till, query: Record<string, string>) =>
  (await consoleRecord<ReceiptListRecord>(till, `/receipts?${new URLSearchParams(query)}`)).receipts.map(
    ({ number }) => number,
  );

/** A till that sold one receipt, whose store was changed by SQL before the service started again. */
async function reopened(sql: string, invoice = sale(), log = testLog()): Promise<Till> {
  const { dataDir } = await soldStore(1, { invoice });
  changeStore(dataDir, sql);
  return openTill({ settings: { dataDir }, pinVerified: false, log });
}

it("the console's receipts are found by number, counter, printed amount, beginning of a RequestId and time", async () => {
  let now = Date.parse("2026-03-01T10:00:00Z");
  const till = await openTill({ now: () => now });
  for (const [i, amount] of [100, 1234.5, 100].entries()) {
    await till.sell(priced(amount), { RequestId: `order-${i}` });
    now += 24 * 3_600_000;
  }
  const number = (counter: number) => `TESTCARD-TESTCARD-${counter}`;
  expect(await listNumbers(till, {})).toEqual([number(3), number(2), number(1)]);
  expect(await listNumbers(till, { search: number(2) })).toEqual([number(2)]);
  expect(await listNumbers(till, { search: "3" })).toEqual([number(3)]);
  expect(await listNumbers(till, { search: "1.234,50" })).toEqual([number(2)]);
  expect(await listNumbers(till, { search: "1,234.50" })).toEqual([number(2)]);
  expect(await listNumbers(till, { search: "2/2NS" })).toEqual([number(2)]);
  expect(await listNumbers(till, { search: "100.00" })).toEqual([number(3), number(1)]);
  expect(await listNumbers(till, { search: "order-" })).toEqual([number(3), number(2), number(1)]);
  expect(await listNumbers(till, { search: "%" })).toEqual([]);
  const day = { from: "2026-03-02T00:00:00Z", to: "2026-03-03T00:00:00Z" };
  expect(await listNumbers(till, day)).toEqual([number(2)]);
  expect(await listNumbers(till, { ...day, search: "order-" })).toEqual([number(2)]);
  expect(await listNumbers(till, { limit: "1" })).toEqual([number(3)]);
  // The limit counts receipts inside the period only.
  expect(
    await listNumbers(till, { from: "2026-03-01T00:00:00Z", to: "2026-03-02T00:00:00Z", search: "100", limit: "1" }),
  ).toEqual([number(1)]);
});

it("the console's receipts show text, exact amounts, QR code and verdicts", async () => {
  const till = await openTill();
  const answer = (await till.sell(priced(1234.5))).json<{ journal: string; verificationUrl: string }>();
  const { receipts } = await consoleRecord<ReceiptListRecord>(till, "/receipts");
  const detail = await consoleRecord<ReceiptDetailRecord>(till, `/receipts/${receipts[0]?.id}`);
  expect(detail.signed).toMatchObject({
    journal: answer.journal.split("\r\n").slice(0, -1),
    verificationUrl: answer.verificationUrl,
    hashValid: true,
    signatureValid: true,
    decoded: { totalAmount: "1234.5000", invoiceType: "Normal" },
  });
  expect(detail.answer).toContain('"totalAmount": 1234.5');
  expect(detail.signed?.qr.every((row) => /^[01]+$/.test(row) && row.length === detail.signed?.qr.length)).toBe(true);
});

it("the console's receipts say whether today's rates were used because the original's time is unknown", async () => {
  const till = await openTill();
  await till.sell();
  await till.sell(sale({ transactionType: "Refund", referentDocumentNumber: "OTHERUID-OTHERUID-7" }));
  const shown = [1, 2].map((id) => consoleRecord<ReceiptDetailRecord>(till, `/receipts/${id}`));
  expect((await Promise.all(shown)).map(({ todaysRates }) => todaysRates)).toEqual([false, true]);
});

it("the console's receipts show their text even when the POS asked for none", async () => {
  const till = await openTill();
  await till.sell(sale({ options: { omitTextualRepresentation: "1" } }));
  const { signed } = await consoleRecord<ReceiptDetailRecord>(till, "/receipts/1");
  expect(signed?.journal[0]).toContain("FISCAL INVOICE");
});

it("the console's receipts are not called valid while their card is not in the reader", async () => {
  const till = await openTill();
  await till.sell();
  till.reader.remove();
  const { signed } = await consoleRecord<ReceiptDetailRecord>(till, "/receipts/1");
  expect(signed).toMatchObject({ hashValid: true, signatureValid: null });
});

/** SQL that copies the receipt that was sold, until there are so many. */
const copiesOf = (
  receipts: number,
) => `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${receipts})
  INSERT INTO invoices (request_hash, uid, state, intent, total_counter, number, signature, answer, checksum)
  SELECT 'h', uid, state, intent, i, 'TESTCARD-TESTCARD-' || i, signature, answer, checksum(i, NULL, 'h', uid, state,
    intent, i, 'TESTCARD-TESTCARD-' || i, signature, answer) FROM invoices, n WHERE id = 1`;

it("the console's receipts are exported to the last one while other requests are answered", async () => {
  // More than one page of the export, copied from the one that was sold.
  const again = await reopened(copiesOf(11_000));
  const exporting = await fetch(`${again.url}/console/receipts.csv`);
  let ended = false;
  const text = exporting.text().then((whole) => {
    ended = true;
    return whole;
  });
  expect((await again.call("GET", "/api/v3/attention")).status).toBe(200);
  expect(ended).toBe(false);
  const lines = (await text).trim().split("\n");
  expect([lines.length, lines.at(-1)?.split(",")[0]]).toEqual([11_001, "TESTCARD-TESTCARD-11000"]);
});

it("the console's receipts are called wrong when somebody changed them in the store", async () => {
  const again = await reopened("UPDATE invoices SET answer = json_set(answer, '$.verificationUrl', 'nothing')");
  const { signed, intact } = await consoleRecord<ReceiptDetailRecord>(again, "/receipts/1");
  expect([intact, signed]).toMatchObject([false, { hashValid: false, signatureValid: null }]);
});

it("the console's receipts are shown as stored and called damaged when the disk damaged them", async () => {
  const again = await reopened("UPDATE invoices SET answer = 'half an ans', intent = '{'");
  const detail = await consoleRecord<ReceiptDetailRecord>(again, "/receipts/1");
  expect(detail).toMatchObject({ intact: false, request: "{", answer: "half an ans", signed: null });
  const line = (await again.call("GET", "/console/receipts.ndjson")).json();
  expect(line).toEqual({ damaged: 1 });
});

it.each([
  ["the newest", ""],
  ["a day", "?from=2020-01-01T00:00:00Z&to=2999-01-01T00:00:00Z"],
  ["a number", "?search=TESTCARD-TESTCARD-1"],
])("a list of %s says of a receipt with a changed time that it is damaged", async (_, query) => {
  const again = await reopened(
    "UPDATE invoices SET signature = CAST(substr(signature, 1, 6) || x'00' || substr(signature, 8) AS BLOB)",
  );
  const { receipts } = await consoleRecord<ReceiptListRecord>(again, `/receipts${query}`);
  expect(receipts.map(({ id, intact }) => [id, intact])).toEqual([[1, false]]);
});

it.each([
  ["the time of another day", "substr(signature, 1, 3) || x'02' || substr(signature, 5)"],
  ["a time that cannot be read", "x'FF' || substr(signature, 2)"],
])("a damaged receipt that shows %s is in the list of its own day", async (_, signature) => {
  const dataDir = temporaryFolder();
  let day = 1;
  const timeOf = (hour: number) => Date.UTC(2026, 10, day, hour);
  const till = await openTill({ settings: { dataDir }, now: () => timeOf(12) });
  for (; day <= 3; day++) for (let n = 0; n < 3; n++) await till.sell();
  await till.stop();
  changeStore(dataDir, `UPDATE invoices SET signature = CAST(${signature} AS BLOB) WHERE id = 5`);
  const again = await openTill({ settings: { dataDir }, now: () => timeOf(12) });
  const shown = async (limit: number) => {
    const period = { from: new Date(timeOf(0)).toISOString(), to: new Date(timeOf(24)).toISOString() };
    const query = new URLSearchParams({ ...period, limit: String(limit) });
    const { receipts, more } = await consoleRecord<ReceiptListRecord>(again, `/receipts?${query}`);
    return [...receipts.map(({ id, intact }) => (intact ? id : `${id} damaged`)), ...(more ? ["more"] : [])];
  };
  day = 1;
  expect(await shown(50)).toEqual([3, 2, 1]);
  day = 2;
  expect([await shown(50), await shown(2)]).toEqual([
    [6, "5 damaged", 4],
    [6, "5 damaged", "more"],
  ]);
  day = 3;
  expect(await shown(50)).toEqual([9, 8, 7]);
});

it("the console's receipts have no text and no request when they were adopted, and are exported, too", async () => {
  const again = await reopened(
    `UPDATE invoices SET state = 'adopted', intent = NULL, request_hash = '',
      checksum = checksum(id, request_id, '', uid, 'adopted', NULL, total_counter, number, signature, answer)`,
    sale({ options: { omitTextualRepresentation: "1" } }),
  );
  const detail = await consoleRecord<ReceiptDetailRecord>(again, "/receipts/1");
  expect(detail).toMatchObject({ state: "adopted", intact: true, request: null, signed: { journal: [] } });
  expect((await again.call("GET", "/console/receipts.csv")).text).toContain("\nTESTCARD-TESTCARD-1,");
  expect((await again.call("GET", "/console/receipts.ndjson")).json()).toMatchObject({ request: null });
});

it("the console's receipts log no error when clients drop their export in the middle", async () => {
  // Far more than the buffers of a connection hold.
  const many = copiesOf(5000);
  const logged: string[] = [];
  const till = await reopened(many, sale(), pino({ level: "error" }, { write: (line) => void logged.push(line) }));
  const { port } = new URL(till.url);
  for (let i = 0; i < 20; i++) {
    const socket = connect(Number(port), "127.0.0.1");
    await once(socket, "connect");
    socket.write("GET /console/receipts.ndjson HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(socket, "data");
    socket.destroy();
  }
  expect((await till.call("GET", "/api/v3/attention")).status).toBe(200);
  expect(logged).toEqual([]);
});

it.each(["/receipts/2", "/receipts/x", "/receipts/99999999999999999999"])(
  "the console's receipts answer 404 for %s",
  async (path) => {
    const till = await openTill();
    await till.sell();
    expect((await till.call("GET", `/console${path}`)).status).toBe(404);
  },
);

it("the console's receipts are exported in order as NDJSON and CSV", async () => {
  const till = await openTill();
  for (let i = 0; i < 5; i++) await till.sell(priced(100 + i), { RequestId: `order-${i}` });
  const lines = (await till.call("GET", "/console/receipts.ndjson")).text.trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { requestId: string }).requestId)).toEqual(
    [0, 1, 2, 3, 4].map((i) => `order-${i}`),
  );
  const csv = await till.call("GET", "/console/receipts.csv?from=2020-01-01T00:00:00Z");
  expect(csv.headers["content-disposition"]).toBe("attachment");
  expect(csv.text.trim().split("\n")).toHaveLength(6);
  expect((await till.call("GET", "/console/receipts.csv?from=yesterday")).status).toBe(404);
});
