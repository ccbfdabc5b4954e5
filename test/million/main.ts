/**
 * What the console's requests cost with a million inserted receipts (or the number given as an argument). Measures CPU time,
 * because the machine may be busy with other things.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { makeReport } from "../../src/bookkeeping/make-report.js";
import { indexedReceipt } from "../../src/console/indexed-receipt.js";
import { soughtOf } from "../../src/console/receipt-query.js";
import { type Db, openStore } from "../../src/ledger/database.js";
import { ALWAYS } from "../../src/ledger/period.js";
import { ReceiptIndex } from "../../src/ledger/receipt-index.js";
import { Receipts } from "../../src/ledger/receipts.js";
import { checksumOfEntry, type StoredEntry } from "../../src/ledger/stored-entry.js";
import { growthWith } from "../bench/growth.js";
import { head, lines } from "../bench/row.js";

const RECEIPTS = Number(process.argv[2] ?? 1_000_000);
/** A verification URL and a journal are as long. */
const FILLER = "x".repeat(Number(process.argv[3] ?? 1_500));
/** Spread over about a year. */
const FIRST = Date.UTC(2025, 10, 1);
const EVERY_MS = Math.floor((400 * 86_400_000) / RECEIPTS);
const NO_FILTER = { kind: "", label: "", payment: "" };

const folder = mkdtempSync(join(tmpdir(), "tillseal-million-"));
try {
  await main();
  process.stdout.write(`${head()}\n${lines(await growthWith(RECEIPTS))}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const store = openStore(folder);
  store.db.pragma("synchronous = OFF");
  await cost(`insert ${RECEIPTS} receipts`, () => insert(store.db));
  const receipts = new Receipts(store.db);
  await cost("newest 50", () => receipts.latest(51).length);
  const day = { from: at(RECEIPTS / 2), to: at(RECEIPTS / 2 + 2500) };
  await cost("newest 50 of a day", () => receipts.during(day, 51).length);
  const sought = soughtOf("7777");
  await cost("search 7777", () => receipts.find(sought, ALWAYS, 51).length);
  const index = new ReceiptIndex(store.db, folder, indexedReceipt);
  await cost("make the index", async () => {
    await index.catchUp();
    return RECEIPTS;
  });
  await cost("the index again, after no sale", async () => {
    await index.catchUp();
    return 0;
  });
  const all = { sought: undefined, period: ALWAYS, limit: 51 };
  await cost("filter: refunds", async () => (await index.find({ ...NO_FILTER, kind: "Normal Refund" }, all)).length);
  for (const [name, text] of [
    ["one cashier", "cashier 7"],
    ["one article, found in the first receipt only", "article 1\n"],
    ["nothing", "there is no such article"],
  ] as const) {
    const wanted = { ...all, sought: soughtOf(text) };
    await cost(`search: ${name}`, async () => (await index.find(NO_FILTER, wanted)).length);
  }
  await cost("refunds of a sale", () => index.referringTo("CARDCARD-CARDCARD-5", 20).length);
  const dayOf = (n: number) => new Date(at(n)).toISOString().slice(0, 10);
  const one = dayOf(RECEIPTS / 2);
  await cost(
    "report of a day",
    async () => (await makeReport(receipts, { from: one, to: one }, "UTC")).report.total.receipts,
  );
  await cost(
    "report of 400 days",
    async () => (await makeReport(receipts, { from: dayOf(0), to: dayOf(RECEIPTS) }, "UTC")).report.total.receipts,
  );
  index.close();
  store.close();
}

function at(n: number): number {
  return FIRST + Math.floor(n) * EVERY_MS;
}

/** Rows as a sale writes them, with signatures that are never checked. */
function insert(db: Db): number {
  const put = db.prepare(`INSERT INTO invoices
    (id, request_id, request_hash, uid, state, intent, total_counter, number, signature, answer, checksum)
    VALUES (@id, @requestId, @requestHash, @uid, @state, @intent, @totalCounter, @number, @signature, @answer, @checksum)`);
  db.transaction(() => {
    for (let n = 1; n <= RECEIPTS; n++) put.run(rowOf(n));
  })();
  return RECEIPTS;
}

function rowOf(n: number): StoredEntry {
  const isRefund = n % 50 === 0;
  const amount = String((n % 9_000) + 1);
  const invoice = {
    invoiceType: "Normal",
    transactionType: isRefund ? "Refund" : "Sale",
    cashier: `Cashier ${n % 20}`,
    items: [
      { name: `Article ${n}`, quantity: "1", unitPrice: amount, totalAmount: amount, labels: ["A"] },
      { name: "Bag", quantity: "1", unitPrice: "0", totalAmount: "0", labels: ["B"] },
    ],
    payment: [{ amount, paymentType: n % 3 === 0 ? "Card" : "Cash" }],
    ...(isRefund ? { referentDocumentNumber: `CARDCARD-CARDCARD-${n - 45}` } : {}),
    options: { omitQRCodeGen: true, omitTextualRepresentation: true },
  };
  const tax = { categoryType: 0, categoryName: "VAT", orderId: 1, label: "A", rate: "20", amount: "1.6667" };
  const intent = {
    sdcTime: FIRST + n * EVERY_MS,
    uid: "CARDCARD",
    taxpayer: {},
    invoice,
    taxItems: [tax],
    timeZone: "UTC",
  };
  const number = `CARDCARD-CARDCARD-${n}`;
  const answer = `{"totalAmount":${amount},"invoiceCounterExtension":"${isRefund ? "NR" : "NS"}","invoiceNumber":"${number}","filler":"${FILLER}"}`;
  const signature = Buffer.alloc(8);
  signature.writeBigUInt64BE(BigInt(at(n)));
  const sold = { requestHash: "h", uid: "CARDCARD", state: "complete", intent: JSON.stringify(intent) } as const;
  const row = { id: n, requestId: `order-${n}`, ...sold, totalCounter: n, number, signature, answer };
  return { ...row, checksum: checksumOfEntry(row) };
}

async function cost(what: string, task: () => number | Promise<number>): Promise<void> {
  await setImmediate();
  const before = process.cpuUsage();
  let longest = 0;
  let last = process.hrtime.bigint();
  let done = false;
  const watch = async () => {
    while (!done) {
      await setImmediate();
      const now = process.hrtime.bigint();
      longest = Math.max(longest, Number(now - last) / 1e6);
      last = now;
    }
  };
  const watching = watch();
  const count = await task();
  done = true;
  await watching;
  const { user, system } = process.cpuUsage(before);
  const ms = ((user + system) / 1000).toFixed(0);
  process.stdout.write(
    `${what.padEnd(48)} ${String(count).padStart(9)} found ${ms.padStart(8)} ms CPU, longest wait ${longest.toFixed(0)} ms\n`,
  );
}
