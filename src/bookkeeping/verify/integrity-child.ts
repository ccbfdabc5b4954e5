/** The code of the process that integrity.ts starts. Its output has a line for each damage. */
import { writeFileSync } from "node:fs";
import { messageOf } from "../../base/thrown.js";
import { LedgerError } from "../../ledger/ledger.js";
import { StoreReading } from "../../ledger/store-reading.js";

const STDOUT = 1;
const [, , dataDir = ""] = process.argv;

function problems(): readonly string[] {
  try {
    return StoreReading.open(dataDir).use((store) => store.integrity());
  } catch (error) {
    // SQLite's check breaks off at some damage. The line has the form of SQLite's own lines about the structure.
    if (error instanceof LedgerError && error.fault === "damaged") return [`*** ${messageOf(error.cause)}`];
    throw error;
  }
}

writeFileSync(STDOUT, problems().join("\n"));
