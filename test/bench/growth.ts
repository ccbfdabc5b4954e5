/** Compares sales, looks at the till and the start of a store with many receipts of real size and of an empty one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checksumOf } from "../../src/ledger/checksum.js";
import { STORE_FILE } from "../../src/ledger/database.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { type Sent, Timed } from "./client.js";
import { type Group, measured, median, type Row } from "./row.js";
import { invoice, once, readyToSell, startService } from "./service.js";

const RECEIPTS = 200_000;
const SALES = 150;
/** What a POS, a watch and an open page ask for again and again. */
const LOOKS = ["/api/v3/status", "/ready", "/console/till"];
const RUNS = 5;
const STARTS = 3;

/** The columns of the receipt that is copied. */
interface Own {
  readonly id: number;
  readonly uid: string;
  readonly request_hash: string;
  readonly intent: string;
  readonly number: string;
  readonly signature: Uint8Array;
  readonly answer: string;
}

/** Inserts copies of the present receipt, of last year, before it: it stays the card's last. */
function fill(dataDir: string): void {
  const db = openDatabase(join(dataDir, STORE_FILE));
  db.pragma("synchronous = OFF");
  const own = db
    .prepare<[], Own>("SELECT id, uid, request_hash, intent, number, signature, answer FROM invoices")
    .get();
  if (!own) throw new Error("the store has no receipt");
  const { uid, request_hash: requestHash, intent } = own;
  const indexes = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql <> ''",
    )
    .all();
  db.transaction(() => {
    db.prepare("UPDATE invoices SET id = ? WHERE id = ?").run(RECEIPTS + own.id, own.id);
    for (const { name } of indexes) db.exec(`DROP INDEX "${name}"`);
    const insert = db.prepare(`INSERT INTO invoices
      (id, request_id, request_hash, uid, state, intent, total_counter, number, signature, answer, checksum)
      VALUES (?, ?, ?, ?, 'complete', ?, ?, ?, ?, ?, ?)`);
    const signature = Buffer.from(own.signature);
    for (let id = 1; id <= RECEIPTS; id++) {
      const totalCounter = RECEIPTS + id;
      const number = `${uid}-${uid}-${totalCounter}`;
      signature.writeBigUInt64BE(BigInt(Date.UTC(2025, 0, 1) + id * 30_000));
      const answer = own.answer.replaceAll(own.number, number);
      const requestId = `order-${id}`;
      const row = {
        requestId,
        requestHash,
        uid,
        state: "complete",
        intent,
        totalCounter,
        number,
        signature,
        answer,
      } as const;
      insert.run(id, requestId, requestHash, uid, intent, totalCounter, number, signature, answer, checksumOf(row));
    }
    for (const { sql } of indexes) db.exec(sql);
  })();
  db.close();
}

/** How many times as long a request takes with the full store; they alternate, so that both see the same load of the machine. */
async function timesAsLong(sent: Sent, full: string, empty: string): Promise<number> {
  const [many, few] = [await Timed.open(full, sent), await Timed.open(empty, sent)];
  const took: [number[], number[]] = [[], []];
  for (let sale = 0; sale < SALES; sale++) {
    took[0].push(await many.send());
    took[1].push(await few.send());
  }
  many.close();
  few.close();
  return median(took[0]) / median(took[1]);
}

export const growth: Group = async () => {
  const empty = mkdtempSync(join(tmpdir(), "tillseal-bench-"));
  const full = mkdtempSync(join(tmpdir(), "tillseal-bench-"));
  try {
    const first = await startService(full);
    await readyToSell(first.url);
    await once(first.url, invoice());
    await first.stop();
    fill(full);
    const starts: number[] = [];
    for (let start = 0; start < STARTS; start++) {
      const service = await startService(full);
      starts.push(service.startMs / 1000);
      await service.stop();
    }
    const services = [await startService(empty), await startService(full)] as const;
    for (const { url } of services) await readyToSell(url);
    const stored = `${RECEIPTS.toLocaleString("en-US")} stored receipts`;
    const rows: Row[] = [];
    for (const [name, sent] of [
      ["an invoice", invoice({ qr: false })],
      ...LOOKS.map((path) => [path, { method: "GET", path }] as const),
    ] as const) {
      const ratios: number[] = [];
      // Two warm-up rounds: V8 compiles, and the disk's cache fills.
      for (let run = -2; run < RUNS; run++) {
        const ratio = await timesAsLong(sent, services[1].url, services[0].url);
        if (run >= 0) ratios.push(ratio);
      }
      rows.push({
        name: `${name} with ${stored} against none`,
        ...measured(ratios),
        goal: 1.1,
        higherIsBetter: false,
        unit: "times",
      });
    }
    for (const service of services) await service.stop();
    return [...rows, { name: `start with ${stored}`, ...measured(starts), goal: 1, higherIsBetter: false, unit: "s" }];
  } finally {
    for (const folder of [empty, full]) rmSync(folder, { recursive: true, force: true });
  }
};
