/** Makes the ledgers of one store. */
import { setImmediate } from "node:timers/promises";
import { Eraser } from "../bookkeeping/eraser.js";
import { AuditLedger } from "../ledger/audit-ledger.js";
import { AuthorityLedger } from "../ledger/authority-ledger.js";
import { ChangeLog } from "../ledger/change-log.js";
import type { Store } from "../ledger/database.js";
import type { Ledger } from "../ledger/ledger.js";
import type { SqliteAccess } from "../ledger/sqlite-access.js";
import { SqliteLedger } from "../ledger/sqlite-ledger.js";
import type { ServiceHooks } from "./service-parts.js";

export interface Ledgers {
  readonly sales: Ledger;
  readonly authority: AuthorityLedger;
  readonly audits: AuditLedger;
  readonly changes: ChangeLog;
  readonly eraser: Eraser;
  /** Number of damaged entries that this process has read. */
  readonly damaged: () => number;
  /** Whether this process has noticed that an index or a row is damaged. */
  readonly indexDamaged: () => boolean;
  /** Takes note of the damage that SQLite's check of the whole file has found. */
  readonly noteCheck: (problems: readonly string[]) => void;
  readonly files: Pick<SqliteAccess, "requireFiles" | "requireSound" | "version">;
}

export function ledgersOf(store: Store, hooks: ServiceHooks = {}): Ledgers {
  const ledger = new SqliteLedger(store);
  const { access } = ledger;
  const changes = new ChangeLog(access);
  return {
    sales: hooks.ledger?.(ledger) ?? ledger,
    authority: new AuthorityLedger(access),
    audits: new AuditLedger(access),
    changes,
    damaged: () => ledger.damaged.size,
    indexDamaged: () => ledger.indexDamaged,
    noteCheck: (problems) => ledger.noteCheck(problems),
    files: access,
    eraser: new Eraser({ access, pause: () => setImmediate() }),
  };
}
