/**
 * Does the work of `tillseal restore`. It checks the backup by the rules of `tillseal verify` before the backup
 * becomes the store.
 */
import { StoreError } from "../../ledger/database.js";
import { holdSent } from "../../ledger/hold-sent.js";
import { type Restored, type Restoring, restoreStore } from "../../ledger/restore.js";
import { type NewestReceipt, StoreReading } from "../../ledger/store-reading.js";
import type { EntryFinding } from "../verify/entry.js";
import { verifyStore } from "../verify/verify-store.js";
import { type Brought, broughtBy } from "./brought.js";

export interface Checked {
  readonly receipts: number;
  /** The newest receipt in the backup; null if the backup has no receipt. */
  readonly newest: NewestReceipt | null;
  /** The problems of the backup, which the restored store has, too. */
  readonly findings: readonly EntryFinding[];
  /** Cards whose rates and addresses wait for a yes in the restored store. */
  readonly held: readonly string[];
  /** Cards of which more sales count as unsent than the backup says. */
  readonly unsent: readonly string[];
}

/** The error if a backup is damaged. The findings say what is wrong with the backup. */
export class DamagedBackup extends StoreError {
  constructor(
    file: string,
    readonly findings: readonly EntryFinding[],
  ) {
    super(`${file} is damaged (findings: ${findings.length})`);
  }
}

/**
 * Makes a backup the store.
 * @param damaged whether a backup in which something is wrong may become the store
 * @param agrees asks a person about what the backup brings; without a yes, nothing of it counts
 * @throws StoreError; the present store is then unchanged
 */
export function restoreBackup(
  restoring: Omit<Restoring<Checked>, "inspect">,
  damaged: boolean,
  agrees?: (brought: Brought) => Promise<boolean>,
): Promise<Restored<Checked>> {
  const { file, dataDir, at } = restoring;
  const inspect = async (copy: string): Promise<Checked> => {
    const { checked, allowed } = await StoreReading.openFile(copy).use(async (store) => {
      const { findings } = verifyStore(store, () => undefined);
      if (findings.length > 0 && !damaged) throw new DamagedBackup(file, findings);
      const brought = await broughtBy(store, dataDir, at);
      const agreed = await agrees?.(brought);
      const refused = agreed ? [] : brought.cards;
      const checked = {
        receipts: store.receiptCount(),
        newest: store.newestReceipt(),
        findings,
        held: refused.filter(({ changes }) => changes.length > 0).map(({ uid }) => uid),
        unsent: refused.filter(({ reached }) => reached).map(({ uid }) => uid),
      };
      return { checked, allowed: agreed ? brought.withYes : brought.withoutYes };
    });
    holdSent(copy, allowed);
    return checked;
  };
  return restoreStore({ ...restoring, inspect });
}
