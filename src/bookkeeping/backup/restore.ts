/**
 * Does the work of `tillseal restore`. It checks the backup by the rules of `tillseal verify` before the backup
 * becomes the store.
 */
import { dirname } from "node:path";
import { StoreError } from "../../ledger/database.js";
import { type Restoring, restoreStore, type Swapped } from "../../ledger/restore.js";
import { type NewestReceipt, StoreReading } from "../../ledger/store-reading.js";
import type { Finding } from "../verify/finding.js";
import { verifyStore } from "../verify/verify-store.js";

/** The content of a checked backup. */
export interface Checked {
  readonly receipts: number;
  /** The newest receipt in the backup; null if the backup has no receipt. */
  readonly newest: NewestReceipt | null;
  /** The problems of the backup, which the restored store has, too. */
  readonly findings: readonly Finding[];
}

export interface RestoreOptions extends Omit<Restoring<Checked>, "inspect"> {
  /** Whether a backup in which something is wrong may become the store. */
  readonly damaged: boolean;
}

/** The error if a backup is damaged. The findings say what is wrong with the backup. */
export class DamagedBackup extends StoreError {
  constructor(
    file: string,
    readonly findings: readonly Finding[],
  ) {
    super(`${file} is damaged (findings: ${findings.length})`);
  }
}

/** Makes a backup the store. @throws StoreError; the present store is then unchanged */
export function restoreBackup({ damaged, ...restoring }: RestoreOptions): Swapped<Checked> {
  const inspect = (copy: string) => {
    const checked = check(copy);
    if (checked.findings.length > 0 && !damaged) throw new DamagedBackup(restoring.file, checked.findings);
    return checked;
  };
  return restoreStore({ ...restoring, inspect });
}

function check(copy: string): Checked {
  const store = StoreReading.openFile(copy, dirname(copy));
  try {
    const { findings } = verifyStore(store, () => undefined);
    return { receipts: store.receiptCount(), newest: store.newestReceipt(), findings };
  } finally {
    store.close();
  }
}
