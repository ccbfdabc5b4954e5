/** The code of the process that integrity.ts starts. It prints what it found, as JSON. */
import { writeFileSync } from "node:fs";
import { messageOf } from "../../base/thrown.js";
import { LedgerError } from "../../ledger/ledger.js";
import type { Integrity } from "../../ledger/sqlite-ledger.js";
import { StoreReading } from "../../ledger/store-reading.js";

const STDOUT = 1;
const [, , dataDir = ""] = process.argv;

const problems: string[] = [];
const damaged: number[] = [];
try {
  StoreReading.open(dataDir).use((store) => {
    problems.push(...store.integrity());
    for (const { id, intact } of store.entries()) if (!intact) damaged.push(id);
  });
} catch (error) {
  // SQLite's check breaks off at some damage. The line has the form of SQLite's own lines about the structure.
  if (!(error instanceof LedgerError && error.fault === "damaged")) throw error;
  problems.push(`*** ${messageOf(error.cause)}`);
}
writeFileSync(STDOUT, JSON.stringify({ problems, damaged } satisfies Integrity));
