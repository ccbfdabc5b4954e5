/**
 * Makes and removes the copies of a store that upgrades need. A copy's name says when it was made and how many
 * invoices it has.
 */
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { EpochMs } from "../../base/epoch-ms.js";
import { messageOf } from "../../base/thrown.js";
import { backupStore } from "../../ledger/backup.js";
import { StoreError } from "../../ledger/database.js";

export const UPGRADE_FOLDER = "before-upgrade";

/** Number of copies of earlier versions that stay beside the newest copy. */
const EARLIER = 3;
const NAME = /^\d{8}T\d{6}Z-(\d+)\.db$/;

/**
 * Copies the store into the data folder before a new version converts it, and removes old copies.
 * @throws StoreError if the copy cannot be written; no older copy is removed then
 */
export async function copyBeforeUpgrade(dataDir: string, now: EpochMs) {
  const folder = join(dataDir, UPGRADE_FOLDER);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StoreError(`${folder} cannot be made: ${messageOf(error)}`);
  }
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  const counting = join(folder, `${time}.db`);
  const invoices = await backupStore(dataDir, counting);
  const file = join(folder, `${time}-${invoices}.db`);
  renameSync(counting, file);
  // The clock may be behind, or have been ahead before: the copy that was just made need not have the newest name.
  const old = copiesToRemove(readdirSync(folder)).filter((name) => join(folder, name) !== file);
  for (const name of old) rmSync(join(folder, name), { force: true });
  return { file, invoices };
}

/**
 * The copies to remove. The newest copy and the copies of the last three versions that sold are kept. If several copies
 * have the same number of invoices, only the oldest of them counts: the versions after it sold nothing, so the oldest
 * copy has the form of the version that sold.
 * @param names names of all files in the folder
 */
export function copiesToRemove(names: readonly string[]): string[] {
  const copies = names.filter((name) => NAME.test(name)).toSorted();
  const newest = copies.at(-1);
  const invoices = (name: string) => NAME.exec(name)?.[1];
  const firsts = copies.filter((name, at) => at === 0 || invoices(name) !== invoices(copies[at - 1] ?? ""));
  const kept = new Set(firsts.slice(-EARLIER).concat(newest ?? []));
  return copies.filter((name) => !kept.has(name));
}
