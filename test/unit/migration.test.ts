/** A store of an earlier version keeps all its data. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/ledger/database.js";
import { MIGRATIONS } from "../../src/ledger/migrations.js";
import { Receipts } from "../../src/ledger/receipts.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { completion } from "../contract/ledger.contract.js";
import { temporaryFolder } from "../support/folder.js";

const ANSWER = '{"sdcDateTime":"2026-01-01T00:00:00.000Z","totalAmount":12.50,"invoiceCounterExtension":"NS"}';

/** A store of schema 2 with an entry in every state, and one that the disk has damaged. */
function oldStore(): string {
  const folder = temporaryFolder();
  const db = openDatabase(join(folder, "tillseal.db"));
  db.pragma("journal_mode = WAL");
  for (const sql of MIGRATIONS.slice(0, 2)) db.exec(sql);
  db.exec(`
    INSERT INTO invoices (request_id, request_hash, uid, state, intent, total_counter, number, signature, answer) VALUES
      ('a', 'h', 'CARDAAAA', 'complete', '{"sdcTime":1}', 1, 'CARDAAAA-CARDAAAA-1', x'01', '${ANSWER}'),
      ('b', 'h', 'CARDAAAA', 'complete', '{"sdcTime":2}', 2, 'CARDAAAA-CARDAAAA-2', x'02', '{"rots":1}'),
      ('c', 'h', 'CARDAAAA', 'lost', '{"sdcTime":3}', NULL, NULL, NULL, NULL),
      ('d', 'h', 'CARDBBBB', 'intent', '{"sdcTime":4}', NULL, NULL, NULL, NULL)`);
  db.pragma("user_version = 2");
  db.close();
  const file = join(folder, "tillseal.db");
  writeFileSync(file, readFileSync(file, "latin1").replace('{"rots"', '!"rots"'), "latin1");
  return folder;
}

function opened(folder: string, migrating?: (entries: number) => void) {
  const store = openStore(folder, migrating === undefined ? {} : { migrating });
  onTestFinished(() => store.close());
  return { ledger: new SqliteLedger(store), receipts: new Receipts(store.db) };
}

it("migrates a store of schema 2: entries get checksums, cards appear, and losses are reported", async () => {
  const announced: number[] = [];
  const { ledger, receipts } = opened(oldStore(), (count) => announced.push(count));
  expect(announced).toEqual([4]);
  const entries = await Promise.all(["a", "b", "c", "d"].map((requestId) => ledger.byRequestId(requestId)));
  expect(entries.map((entry) => [entry?.state, entry?.intact])).toEqual([
    ["complete", true],
    ["complete", true],
    ["lost", true],
    ["intent", true],
  ]);
  expect(entries[0]).toMatchObject({ id: 1, totalCounter: 1, answer: ANSWER, intent: '{"sdcTime":1}' });
  expect([(await ledger.card("CARDAAAA")).lastCounter, (await ledger.card("CARDBBBB")).lastCounter]).toEqual([
    2,
    undefined,
  ]);
  const lost = { uid: "CARDAAAA", kind: "lost", from: null, to: null, at: 3, requestId: "c", confirmedAt: null };
  expect(await ledger.reports()).toEqual([{ id: 1, ...lost }]);
  expect((await ledger.openIntents("CARDBBBB")).map(({ requestId }) => requestId)).toEqual(["d"]);
  expect(receipts.latest(9).map(({ id, time, totalAmount, extension }) => [id, time, totalAmount, extension])).toEqual([
    [4, null, null, null],
    [3, null, null, null],
    [2, null, null, null],
    [1, "2026-01-01T00:00:00.000Z", "12.50", "NS"],
  ]);
});

it("lists an adopted receipt by time, number and amount, like any other", async () => {
  const { ledger, receipts } = opened(temporaryFolder());
  const receipt = { uid: "CARDAAAA", ...completion(7, "CARDAAAA"), answer: ANSWER };
  await ledger.commit([{ change: "adopt", receipt }]);
  const row = {
    state: "adopted",
    number: "CARDAAAA-CARDAAAA-7",
    totalAmount: "12.50",
    extension: "NS",
    requestId: null,
  };
  const day = { from: "2026-01-01T00:00:00.000Z", to: "2026-01-02T00:00:00.000Z" };
  expect(receipts.latest(1)).toMatchObject([row]);
  expect(receipts.during(day, 1)).toMatchObject([row]);
  const nothing = { counter: undefined, amount: undefined, otherAmount: undefined };
  expect(receipts.find({ ...nothing, text: row.number }, day, 1)).toMatchObject([row]);
  expect(receipts.find({ ...nothing, text: "12.50", amount: "12.50" }, day, 1)).toMatchObject([row]);
  expect([...receipts.between(day)]).toMatchObject([[{ ...row, intent: null }]]);
});
