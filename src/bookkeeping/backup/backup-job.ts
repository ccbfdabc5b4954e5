/**
 * Makes one backup: copies the store in slices, reads the copy back, and checks it by the rules of `tillseal verify`.
 */
import { statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { EpochMs } from "../../base/epoch-ms.js";
import { renamePatiently } from "../../base/rename-patiently.js";
import { syncFolder } from "../../base/write-durably.js";
import { backupStore } from "../../ledger/backup.js";
import { STORE_FILE, StoreError } from "../../ledger/database.js";
import { StoreReading } from "../../ledger/store-reading.js";
import { verifyStore } from "../verify/verify-store.js";
import { backupName } from "./backup-files.js";

export interface BackupJob {
  readonly dataDir: string;
  readonly folder: string;
  readonly at: EpochMs;
}

export interface BackupMade {
  readonly file: string;
  readonly invoices: number;
  /** Number of problems that `tillseal verify` finds in the copy. The store has the same problems. */
  readonly findings: number;
}

/** Number of pages of a slice (4 MiB). Between slices the disk serves sales. */
const PAGES = 1_024;
/** Bytes that must stay free on the folder's disk, because it may be the store's disk. */
const RESERVE_BYTES = 64 * 1024 * 1024;

/** Makes a backup. @param pause called between slices @throws StoreError; the folder then has no partial copy */
export async function makeBackup({ dataDir, folder, at }: BackupJob, pause: () => void): Promise<BackupMade> {
  requireRoom(dataDir, folder);
  const store = nameOf(dataDir);
  const target = join(folder, backupName(store, at));
  let findings = 0;
  const check = (copy: string) => {
    findings = StoreReading.openFile(copy).use((store) => verifyStore(store, () => undefined).findings.length);
  };
  const invoices = await backupStore(dataDir, target, { pages: PAGES, pause, check });
  if (findings === 0) return { file: target, invoices, findings };
  const damaged = join(folder, backupName(store, at, false));
  renamePatiently(target, damaged);
  syncFolder(folder);
  return { file: damaged, invoices, findings };
}

/** The name of a store. @throws StoreError if the store cannot be read */
export function nameOf(dataDir: string): string {
  return StoreReading.open(dataDir).use((store) => store.storeName());
}

function requireRoom(dataDir: string, folder: string): void {
  const file = join(dataDir, STORE_FILE);
  const sizes = [file, `${file}-wal`].map((one) => statSync(one, { throwIfNoEntry: false })?.size ?? 0);
  const needed = sizes.reduce((sum, size) => sum + size, RESERVE_BYTES);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= needed) return;
  const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MiB`;
  throw new StoreError(
    `${folder} has ${mebibytes(free)} free, and a copy needs ${mebibytes(needed)}: free some space, or lower backupKeep`,
  );
}
