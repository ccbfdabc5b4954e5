/** Real ledgers on one store in memory, for tests of what uses them. */
import { AuditLedger } from "../../src/ledger/audit-ledger.js";
import { AuthorityLedger } from "../../src/ledger/authority-ledger.js";
import { openInMemory } from "../../src/ledger/database.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";

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
