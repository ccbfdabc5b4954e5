/** `npm run bench -- index`: what a second way to know a RequestId costs at a million receipts. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/ledger/database.js";
import { RequestKeys } from "../../src/ledger/request-keys.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import type { Group, Row } from "./row.js";

const RECEIPTS = 1_000_000;
const requestId = (n: number) => `till-7-${String((n * 7919) % RECEIPTS).padStart(8, "0")}-4f2a-9c1d`;

export const requestIndex: Group = async () => {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-index-"));
  const store = openStore(folder);
  try {
    const { db } = store;
    const entry = db.prepare<[number, string]>(
      `INSERT INTO invoices (id, request_id, request_hash, uid, state, intent, checksum)
        VALUES (?, ?, '', 'TESTCARD', 'intent', '{}', x'')`,
    );
    const keys = new RequestKeys(db);
    const bytes = () =>
      Number(db.pragma("page_count", { simple: true })) * Number(db.pragma("page_size", { simple: true }));
    const inOneCommit = (each: (n: number) => void) =>
      db.transaction(() => {
        for (let n = 0; n < RECEIPTS; n++) each(n);
      })();
    inOneCommit((n) => entry.run(n + 1, requestId(n)));
    const without = bytes();
    const began = process.cpuUsage();
    inOneCommit((n) => keys.add(n + 1, requestId(n)));
    const each = microseconds(process.cpuUsage(began)) / RECEIPTS;
    const onDisk = (bytes() - without) / 1024 / 1024;
    const ledger = new SqliteLedger(store);
    const memory = process.memoryUsage().rss;
    const longest = watchDelays();
    const checking = process.cpuUsage();
    await ledger.checkIndex(new AbortController().signal);
    const spent = microseconds(process.cpuUsage(checking)) / 1e6;
    if (ledger.indexDamaged) throw new Error("the comparison is wrong: the index is not damaged");
    const grown = (process.memoryUsage().rss - memory) / 1024 / 1024;
    return [
      row("processor time of a sale for the key of its RequestId", each, 20, "us"),
      row("size of a million keys on the disk", onDisk, 16, "MB"),
      row("processor time of the comparison after a start", spent, 1, "s"),
      row("longest wait of a sale for the comparison", longest(), 5, "ms"),
      row("memory of the comparison", grown, 16, "MB"),
    ];
  } finally {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

function row(name: string, value: number, goal: number, unit: Row["unit"]): Row {
  return { name, value, goal, unit, higherIsBetter: false };
}

function microseconds({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}

/** @returns the longest time in ms that the main thread was busy since */
function watchDelays(): () => number {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}
