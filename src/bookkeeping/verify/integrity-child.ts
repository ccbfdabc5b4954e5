/** The code of the process that integrity.ts starts. Its output has a line for each damage. */
import { writeFileSync } from "node:fs";
import { StoreReading } from "../../ledger/store-reading.js";

const STDOUT = 1;
const [, , dataDir = ""] = process.argv;
const store = StoreReading.open(dataDir);
writeFileSync(STDOUT, store.integrity().join("\n"));
store.close();
