/** The contract on SQLite, and on a ledger whose disk can fail. */
import { faultyLedger } from "../../emulator/faults/faulty-ledger.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { newLedger, openedStore } from "../support/ledgers.js";
import { standingTimes } from "../support/times.js";
import { ledgerContract } from "./ledger.contract.js";

ledgerContract("in a file", () => {
  const store = openedStore();
  return new SqliteLedger(store);
});
ledgerContract("whose disk can fail, and does not", () =>
  faultyLedger(newLedger(), standingTimes(), "/data", () => undefined),
);
