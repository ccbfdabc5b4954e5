/** Checks that the store has a recent backup. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EpochMs } from "../base/epoch-ms.js";
import { messageOf } from "../base/thrown.js";
import {
  BACKUP_INTERVAL_HOURS,
  type BackupFile,
  type Backups,
  backupsIn,
  lastGoodOf,
  NOT_CHECKED,
} from "../bookkeeping/backup/backup-files.js";
import { nameOf } from "../bookkeeping/backup/backup-job.js";
import { toIso } from "../fiscal/time.js";
import { STORE_FILE, StoreError } from "../ledger/database.js";
import { type Check, line } from "./check.js";

const SUBJECT = "backup";
const HOUR_MS = 3_600_000;
/** Number of backup intervals after which we warn. One is not enough, because shops switch the service off at night. */
const LATE = 2;

/** @param found what the service that runs has found in them */
export function checkBackups(
  backupFolder: string | undefined,
  dataDir: string,
  now: EpochMs,
  found = NOT_CHECKED,
): Check[] {
  if (!existsSync(join(dataDir, STORE_FILE))) return [];
  if (backupFolder === undefined) {
    return [line(SUBJECT, "warn", "oneDisk")];
  }
  try {
    const backups = backupsIn(backupFolder, nameOf(dataDir), now, found);
    const last = lastGoodOf(backups);
    if (!last) {
      const none = line(SUBJECT, "warn", "noBackup", { folder: backupFolder, now: toIso(now) });
      return [none, ...checkFuture(backups)];
    }
    // Before the service has read it, only its header and its size are known.
    const checked = found.newest?.file === last.file ? found.newest.at : now;
    return [checkAge(last, checked, now), ...checkFuture(backups)];
  } catch (error) {
    // The check of the store reports an outdated or unreadable store.
    if (error instanceof StoreError) return [];
    return [line(SUBJECT, "warn", "backupUnreadable", { folder: backupFolder, reason: messageOf(error) })];
  }
}

function checkAge({ at, file }: BackupFile, checked: EpochMs, now: EpochMs): Check {
  const hours = Math.floor((now - at) / HOUR_MS);
  const age = { time: toIso(at), hours, file, checked: toIso(checked) };
  if (hours < BACKUP_INTERVAL_HOURS * LATE) return line(SUBJECT, "ok", "backup", age);
  return line(SUBJECT, "warn", "backupLate", { ...age, due: BACKUP_INTERVAL_HOURS });
}

function checkFuture({ future }: Backups): Check[] {
  const [newest] = future;
  if (!newest) return [];
  return [line(SUBJECT, "warn", "backupsAhead", { count: future.length, file: newest.file })];
}
