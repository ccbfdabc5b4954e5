/**
 * Does the work of `tillseal restore`. It checks the backup by the rules of `tillseal verify` before the backup
 * becomes the store.
 */
import { StoreError } from "../../ledger/database.js";
import { holdSent } from "../../ledger/hold-sent.js";
import { type Restored, type Restoring, restoreStore } from "../../ledger/restore.js";
import { type NewestReceipt, StoreReading } from "../../ledger/store-reading.js";
import type { Finding } from "../verify/entry.js";
import { verifyStore } from "../verify/verify-store.js";
import { type Brought, broughtBy, commandsFor } from "./brought.js";

/** The content of a checked backup. */
export interface Checked {
  readonly receipts: number;
  /** The newest receipt in the backup; null if the backup has no receipt. */
  readonly newest: NewestReceipt | null;
  /** The problems of the backup, which the restored store has, too. */
  readonly findings: readonly Finding[];
  /** Cards whose rates and addresses wait for a yes in the restored store. */
  readonly held: readonly string[];
}

export interface RestoreOptions extends Omit<Restoring<Checked>, "inspect"> {
  /** Whether a backup in which something is wrong may become the store. */
  readonly damaged: boolean;
  /** The rates and addresses to which a person has said yes. All others wait for a yes. */
  readonly agreedOn?: Brought | undefined;
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
export function restoreBackup({ damaged, agreedOn, ...restoring }: RestoreOptions): Restored<Checked> {
  const { file, dataDir, at } = restoring;
  const inspect = (copy: string): Checked => {
    const { brought, ...checked } = StoreReading.openFile(copy).use((store) => {
      const { findings } = verifyStore(store, () => undefined);
      if (findings.length > 0 && !damaged) throw new DamagedBackup(file, findings);
      const brought = broughtBy(store, dataDir, at);
      return { receipts: store.receiptCount(), newest: store.newestReceipt(), findings, brought };
    });
    const waiting = brought.values === agreedOn?.values ? { ...brought, cards: [] } : brought;
    const held = waiting.cards.map(({ uid }) => uid);
    holdSent(copy, held, commandsFor(waiting, at), at);
    return { ...checked, held };
  };
  return restoreStore({ ...restoring, inspect });
}

/** Reads what a backup would bring into force; undefined if it cannot be read, which {@link restoreBackup} explains. */
export function broughtByFile(file: string, dataDir: string, now: number): Brought | undefined {
  try {
    return StoreReading.openFile(file).use((store) => broughtBy(store, dataDir, now));
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}
