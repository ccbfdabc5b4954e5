/** What sales and looks at the till cost with many receipts of real size that no audit has proven. */
import { join } from "node:path";
import { STORE_FILE } from "../../src/ledger/database.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { checksumOfEntry } from "../../src/ledger/stored-entry.js";
import type { Sent } from "./client.js";
import { type Group, inTurns, type Row } from "./row.js";
import { cost, invoice, once, readyToSell, STATUS, startService, withFolder, withService } from "./service.js";

/** The emulated authority would take the unsent receipts during the measurement. */
const ALONE = ["--no-authority"];
const page = (path: string): Sent => ({ method: "GET", path });
/** A sale, and what a POS, a watch and an open page ask for again and again. */
const REQUESTS = [
  ["a sale", invoice()],
  ["status", STATUS],
  ["`/ready`", page("/ready")],
  ["the page Till", page("/console/till")],
] as const;
type Cost = () => Promise<number>;

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
function fill(dataDir: string, receipts: number): void {
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
    db.prepare("UPDATE invoices SET id = ? WHERE id = ?").run(receipts + own.id, own.id);
    for (const { name } of indexes) db.exec(`DROP INDEX "${name}"`);
    const insert = db.prepare(`INSERT INTO invoices
      (id, request_id, request_hash, uid, state, intent, total_counter, number, signature, answer, checksum)
      VALUES (@id, @requestId, @requestHash, @uid, @state, @intent, @totalCounter, @number, @signature, @answer, @checksum)`);
    const signature = Buffer.from(own.signature);
    for (let id = 1; id <= receipts; id++) {
      const totalCounter = receipts + id;
      const number = `${uid}-${uid}-${totalCounter}`;
      signature.writeBigUInt64BE(BigInt(Date.UTC(2025, 0, 1) + id * 30_000));
      const answer = own.answer.replaceAll(own.number, number);
      const sold = { requestHash, uid, state: "complete", intent, totalCounter, number, signature, answer } as const;
      const row = { id, requestId: `order-${id}`, ...sold };
      insert.run({ ...row, checksum: checksumOfEntry(row) });
    }
    for (const { sql } of indexes) db.exec(sql);
  })();
  db.close();
}

/** `npm run test:long -- million` measures it with a million. */
export function growthWith(receipts: number): Promise<Row[]> {
  return withFolder(async (full) => {
    const first = await startService(full);
    await readyToSell(first.url);
    await once(first.url, invoice());
    await first.stop();
    fill(full, receipts);
    return withService({ kept: true, flags: ALONE }, async (empty) => {
      const service = await startService(full, [], ALONE);
      await readyToSell(service.url);
      const rows: Row[] = [];
      for (const [name, sent] of REQUESTS) {
        const [own, other] = [service, empty].map((server) => () => cost(server, sent, 1)) as [Cost, Cost];
        const beside = "an empty store";
        const goal = name === "a sale" ? { goal: 1.2 } : {};
        rows.push({ name: `${name}, main thread`, beside, ...goal, ...(await inTurns(own, other)), unit: "us" });
      }
      await service.stop();
      return rows.map((row) => ({ ...row, name: `${row.name}, ${receipts.toLocaleString("en-US")} stored receipts` }));
    });
  });
}

export const growth: Group = () => growthWith(200_000);
