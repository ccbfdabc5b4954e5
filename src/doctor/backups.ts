/** Checks that the store has a recent backup. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../base/thrown.js";
import { type Backups, backupsIn, lastGoodOf } from "../bookkeeping/backup/backup-files.js";
import { nameOf } from "../bookkeeping/backup/backup-job.js";
import type { Settings } from "../config/settings.js";
import { toIso } from "../fiscal/time.js";
import { STORE_FILE, StoreError } from "../ledger/database.js";
import { type Check, ok, warn } from "./check.js";

const SUBJECT = "backup";
const HOUR_MS = 3_600_000;
/** Backup intervals after which a warning is due: a service that is switched off at night is normal. */
const LATE = 2;

type Configured = Pick<Settings, "backupFolder" | "backupHours">;

/** @param now ms since the epoch */
export function checkBackups({ backupFolder, backupHours }: Configured, dataDir: string, now: number): Check[] {
  if (!existsSync(join(dataDir, STORE_FILE))) return [];
  if (backupFolder === undefined) {
    return [warn(SUBJECT, "the receipts are on one disk only: set backupFolder to a folder on another disk")];
  }
  try {
    const backups = backupsIn(backupFolder, nameOf(dataDir), now);
    return [checkAge(backups, { backupFolder, backupHours }, now), ...checkFuture(backups)];
  } catch (error) {
    // The check of the store reports an outdated store.
    if (error instanceof StoreError) return [];
    const reason = messageOf(error);
    return [warn(SUBJECT, `${backupFolder} cannot be read (${reason}): create it, or connect its disk`)];
  }
}

function checkAge(backups: Backups, { backupFolder, backupHours }: Configured, now: number): Check {
  const last = lastGoodOf(backups);
  if (!last) return warn(SUBJECT, `${backupFolder} has no good backup of this store yet`);
  const hours = Math.floor((now - last.at) / HOUR_MS);
  const age = `the last good backup is from ${toIso(last.at)}, ${hours} h ago: ${last.file}`;
  if (hours < backupHours * LATE) return ok(SUBJECT, age);
  return warn(SUBJECT, `${age}. A backup is due every ${backupHours} h; the service's log says why there is none`);
}

function checkFuture({ future }: Backups): Check[] {
  const [newest] = future;
  if (!newest) return [];
  const message =
    `backups dated in the future: ${future.length}, the last one ${newest.file}. The clock was ahead when they were made, or is ` +
    "behind now. They do not count, and are not removed: check the clock, and remove them when you do not need them";
  return [warn(SUBJECT, message)];
}
