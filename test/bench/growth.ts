/** What sales, looks at the till and a start cost with many receipts of real size that no audit has proven. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STORE_FILE } from "../../src/ledger/database.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { checksumOfEntry } from "../../src/ledger/stored-entry.js";
import { type Sent, times } from "./client.js";
import { type Group, measured, type Row } from "./row.js";
import { type BenchService, invoice, once, readyToSell, startService, withService } from "./service.js";

const RECEIPTS = 200_000;
const REQUESTS = 100;
const STATUS = "/api/v3/status";
/** What a POS, a watch and an open page ask for again and again. */
const LOOKS = [STATUS, "/ready", "/console/till"];
const RUNS = 5;
const get = (path: string): Sent => ({ method: "GET", path });

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
      insert.run(
        id,
        requestId,
        requestHash,
        uid,
        intent,
        totalCounter,
        number,
        signature,
        answer,
        checksumOfEntry({ id, ...row }),
      );
    }
    for (const { sql } of indexes) db.exec(sql);
  })();
  db.close();
}

/** Sends a request again and again. @returns ms of the main thread for each */
async function cost(service: BenchService, sent: Sent): Promise<number> {
  const began = service.mainThreadMs();
  await times(service.url, sent, REQUESTS);
  return (service.mainThreadMs() - began) / REQUESTS;
}

async function costs(service: BenchService, sent: Sent): Promise<number[]> {
  const runs: number[] = [];
  // Two warm-up rounds: V8 compiles, and the disk's cache fills.
  for (let run = -2; run < RUNS; run++) {
    const ms = await cost(service, sent);
    if (run >= 0) runs.push(ms);
  }
  return runs;
}

export const growth: Group = async () => {
  const full = mkdtempSync(join(tmpdir(), "tillseal-bench-"));
  try {
    const first = await startService(full);
    await readyToSell(first.url);
    await once(first.url, invoice());
    await first.stop();
    fill(full);
    const began = performance.now();
    // The emulated authority would take the unsent receipts during the measurement.
    const service = await startService(full, [], ["--no-authority"]);
    const startS = (performance.now() - began) / 1000;
    await readyToSell(service.url);
    const stored = `${RECEIPTS.toLocaleString("en-US")} stored receipts`;
    const rows: Row[] = [];
    for (const [path, sent] of [
      ["an invoice", invoice()],
      ...LOOKS.map((path) => [`\`${path}\``, get(path)] as const),
    ] as const)
      rows.push({
        name: `${path} with ${stored}, main thread`,
        ...measured(await costs(service, sent)),
        goal: sent.path === STATUS ? 0.5 : 5,
        higherIsBetter: false,
        unit: "ms",
      });
    await service.stop();
    const empty = await withService({}, (none) => costs(none, get(STATUS)));
    return [
      {
        name: "status with an empty store, main thread",
        ...measured(empty),
        goal: 0.5,
        higherIsBetter: false,
        unit: "ms",
      },
      ...rows,
      { name: `start with ${stored}`, value: startS, goal: 2, higherIsBetter: false, unit: "s" },
    ];
  } finally {
    rmSync(full, { recursive: true, force: true });
  }
};
