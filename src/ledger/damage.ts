/**
 * Remembers over a restart that the store is damaged. Reading an intact part of it does not show the damage again, and a
 * check of all pages takes too long for each start.
 */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../base/thrown.js";
import { writeDurably } from "../base/write-durably.js";
import { ledgerError } from "./faults.js";
import type { LedgerError } from "./ledger.js";
import type { Db } from "./sqlite.js";

const MARK = "tillseal.damaged";

export function rememberDamage(dataDir: string, { message }: LedgerError): void {
  try {
    writeDurably(join(dataDir, MARK), `${message}\n`);
  } catch {
    // This process remembers it.
  }
}

/** Checks a store in which an earlier process has met damage. @returns undefined if the store is intact */
export function remainingDamage(db: Db, dataDir: string): LedgerError | undefined {
  const file = join(dataDir, MARK);
  if (!existsSync(file)) return undefined;
  const result = checked(db);
  if (result !== "ok") return ledgerError("damaged", dataDir, result);
  rmSync(file, { force: true });
  return undefined;
}

function checked(db: Db): string {
  try {
    return String(db.pragma("integrity_check(1)", { simple: true }));
  } catch (error) {
    return messageOf(error);
  }
}
