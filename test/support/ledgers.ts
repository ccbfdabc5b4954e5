/** Real stores and ledgers, for tests of what uses them. */
import { onTestFinished } from "vitest";
import { AuditLedger } from "../../src/ledger/audit-ledger.js";
import { AuthorityLedger } from "../../src/ledger/authority-ledger.js";
import { openInMemory, openStore } from "../../src/ledger/database.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { temporaryFolder } from "./folder.js";

/** The store of a folder, closed at the end of the test. */
export function openedStore(folder = temporaryFolder()) {
  const store = openStore(folder);
  onTestFinished(() => store.close());
  return store;
}

/** The store of a folder, and what the authority sent in it; closed at the end of the test. */
export function storedAuthority(folder?: string) {
  const store = openedStore(folder);
  return { store, ledger: new AuthorityLedger(new SqliteLedger(store).access) };
}

/** Ledgers on one store in memory. */
export function newLedgers() {
  const store = openInMemory("/data", {});
  const ledger = new SqliteLedger(store);
  return {
    db: store.db,
    ledger,
    audits: new AuditLedger(ledger.access),
    authority: new AuthorityLedger(ledger.access),
  };
}

export const newLedger = () => newLedgers().ledger;
export const newAuthorityLedger = () => newLedgers().authority;
