/** Checks that the store has a recent backup. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../base/clock.js";
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
import { checkedIn } from "../bookkeeping/backup/backup-thread.js";
import { toIso } from "../fiscal/time.js";
import { STORE_FILE, StoreError } from "../ledger/database.js";
import { type Check, line } from "./check.js";

const SUBJECT = "backup";
const HOUR_MS = 3_600_000;
/** Number of backup intervals after which we warn. One is not enough, because shops switch the service off at night. */
const LATE = 2;

/** Lets SQLite read the backups, if no service runs that has done it. */
export async function readBackups(backupFolder: string | undefined, dataDir: string, { now }: Clock) {
  try {
    return backupFolder === undefined
      ? NOT_CHECKED
      : await checkedIn(backupsIn(backupFolder, nameOf(dataDir), now()), now);
  } catch {
    // The lines say why they cannot be read.
    return NOT_CHECKED;
  }
}

/** @param found what was found in them when SQLite read them */
export function checkBackups(
  backupFolder: string | undefined,
  dataDir: string,
  now: EpochMs,
  found = NOT_CHECKED,
): Check[] {
  if (!existsSync(join(dataDir, STORE_FILE))) return [];
  if (backupFolder === undefined) return [line(SUBJECT, "warn", "oneDisk")];
  try {
    const backups = backupsIn(backupFolder, nameOf(dataDir), now, found);
    const last = lastGoodOf(backups);
    if (!last) {
      const none = line(SUBJECT, "warn", "noBackup", { folder: backupFolder, now: toIso(now) });
      return [none, ...checkFuture(backups)];
    }
    const checked = found.newest?.file === last.file ? found.newest.at : undefined;
    return [checkAge(last, checked, now), ...checkFuture(backups)];
  } catch (error) {
    // The check of the store reports an outdated or unreadable store.
    if (error instanceof StoreError) return [];
    return [line(SUBJECT, "warn", "backupUnreadable", { folder: backupFolder, reason: messageOf(error) })];
  }
}

/** @param checked when SQLite has read it; undefined if only its header and its size are known */
function checkAge({ at, file }: BackupFile, checked: EpochMs | undefined, now: EpochMs): Check {
  const hours = Math.floor((now - at) / HOUR_MS);
  const age = { time: toIso(at), hours, file };
  if (hours >= BACKUP_INTERVAL_HOURS * LATE)
    return line(SUBJECT, "warn", "backupLate", { ...age, due: BACKUP_INTERVAL_HOURS });
  if (checked === undefined) return line(SUBJECT, "ok", "backupUnread", age);
  return line(SUBJECT, "ok", "backup", { ...age, checked: toIso(checked) });
}

function checkFuture({ future }: Backups): Check[] {
  const [newest] = future;
  if (!newest) return [];
  return [line(SUBJECT, "warn", "backupsAhead", { count: future.length, file: newest.file })];
}
