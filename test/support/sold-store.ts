/** Stores in files, for tests of what the SQLite ledger does beyond the contract. */
import type { Logger } from "pino";
import type { Change } from "../../src/ledger/ledger.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { completion, newIntent } from "../contract/ledger.contract.js";
import { temporaryFolder } from "./folder.js";
import { openedStore } from "./ledgers.js";

/** A store with its ledger, closed when the test ends. */
export function opened(folder = temporaryFolder(), log?: Logger) {
  const store = openedStore(folder);
  return { folder, store, ledger: new SqliteLedger(store, log) };
}

export const complete = (id: number): Change => ({ kind: "complete", id, completion: completion(id) });

/** One complete entry and one intent. */
export async function sold(log?: Logger) {
  const parts = opened(undefined, log);
  await parts.ledger.commit([newIntent("order-1"), newIntent("order-2")]);
  await parts.ledger.commit([complete(1)]);
  return parts;
}
