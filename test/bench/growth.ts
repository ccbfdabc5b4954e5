/** Compares sales and start of a store with a million receipts and of an empty one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checksumOf } from "../../src/ledger/checksum.js";
import { STORE_FILE } from "../../src/ledger/database.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import type { EntryRow } from "../../src/ledger/stored-entry.js";
import { Timed } from "./client.js";
import { type Group, measured, median } from "./row.js";
import { invoice, once, readyToSell, startService } from "./service.js";

const RECEIPTS = 1_000_000;
const SALES = 150;
const RUNS = 5;
const STARTS = 3;

/** Inserts receipts of last year before the present one, which stays the card's last. */
function fill(dataDir: string): void {
  const db = openDatabase(join(dataDir, STORE_FILE));
  db.pragma("synchronous = OFF");
  const [own] = db.prepare<[], { id: number; uid: string }>("SELECT id, uid FROM invoices").all();
  if (!own) throw new Error("the store has no receipt");
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
      VALUES (?, ?, ?, ?, 'complete', '{}', ?, ?, ?, ?, ?)`);
    const signature = Buffer.alloc(64);
    for (let id = 1; id <= RECEIPTS; id++) {
      const counter = RECEIPTS + id;
      const number = `${own.uid}-${own.uid}-${counter}`;
      signature.writeBigUInt64BE(BigInt(Date.UTC(2025, 0, 1) + id * 30_000));
      const answer = JSON.stringify({ totalAmount: (id % 5000) + 1, invoiceNumber: number });
      const row: EntryRow = {
        id,
        requestId: `order-${id}`,
        requestHash: "0".repeat(64),
        uid: own.uid,
        state: "complete",
        intent: "{}",
        totalCounter: counter,
        number,
        signature,
        answer,
      };
      const { requestId, requestHash, uid, totalCounter } = row;
      const checksum = checksumOf(row);
      insert.run(id, requestId, requestHash, uid, totalCounter, number, signature, answer, checksum);
    }
    for (const { sql } of indexes) db.exec(sql);
  })();
  db.close();
}

/** How many times as long a sale takes with the full store; they alternate, so that both see the same load of the machine. */
async function timesAsLong(full: string, empty: string): Promise<number> {
  const sent = invoice({ qr: false });
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
    const ratios: number[] = [];
    // Two warm-up rounds: V8 compiles, and the disk's cache fills.
    for (let run = -2; run < RUNS; run++) {
      const ratio = await timesAsLong(services[1].url, services[0].url);
      if (run >= 0) ratios.push(ratio);
    }
    for (const service of services) await service.stop();
    const stored = `${RECEIPTS.toLocaleString("en-US")} stored receipts`;
    return [
      {
        name: `an invoice with ${stored} against none`,
        ...measured(ratios),
        goal: 1.1,
        higherIsBetter: false,
        unit: "times",
      },
      { name: `start with ${stored}`, ...measured(starts), goal: 1, higherIsBetter: false, unit: "s" },
    ];
  } finally {
    for (const folder of [empty, full]) rmSync(folder, { recursive: true, force: true });
  }
};
