/** Behind `tillseal restore`: the backup is checked by the rules of `tillseal verify` before it becomes the store. */
import { dirname } from "node:path";
import { StoreError } from "../../ledger/database.js";
import { type Restoring, restoreStore, type Swapped } from "../../ledger/restore.js";
import { type NewestReceipt, StoreReading } from "../../ledger/store-reading.js";
import type { Finding } from "../verify/finding.js";
import { verifyStore } from "../verify/verify-store.js";

/** The content of a backup. */
export interface Checked {
  readonly receipts: number;
  /** null if the backup has no receipt. */
  readonly newest: NewestReceipt | null;
  /** What is wrong with the backup, and so with the restored store. */
  readonly findings: readonly Finding[];
}

export interface RestoreOptions extends Omit<Restoring<Checked>, "inspect"> {
  /** Whether a backup in which something is wrong may become the store. */
  readonly damaged: boolean;
}

/** A backup in which something is wrong: the findings say what. */
export class DamagedBackup extends StoreError {
  constructor(
    file: string,
    readonly findings: readonly Finding[],
  ) {
    super(`${file} is damaged (findings: ${findings.length})`);
  }
}

/** @throws StoreError; then the present store is unchanged */
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
