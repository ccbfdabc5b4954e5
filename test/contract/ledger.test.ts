/** The contract on SQLite, and on a ledger whose disk can fail. */
import { onTestFinished } from "vitest";
import { faultyLedger } from "../../emulator/faults/faulty-ledger.js";
import { openStore } from "../../src/ledger/database.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { temporaryFolder } from "../support/folder.js";
import { newLedger } from "../support/ledgers.js";
import { standingTimes } from "../support/times.js";
import { ledgerContract } from "./ledger.contract.js";

ledgerContract("in a file", () => {
  const store = openStore(temporaryFolder());
  onTestFinished(() => store.close());
  return new SqliteLedger(store);
});
ledgerContract("whose disk can fail, and does not", () =>
  faultyLedger(newLedger(), standingTimes(), "/data", () => undefined),
);
