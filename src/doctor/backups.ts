/** Whether the store has a copy elsewhere that is young enough. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { lastGoodBackup } from "../backup/backup-files.js";
import { nameOf } from "../backup/backup-job.js";
import type { Settings } from "../config/settings.js";
import { toIso } from "../fiscal/time.js";
import { STORE_FILE, StoreError } from "../ledger/database.js";
import { type Finding, ok, warn } from "./finding.js";

const SUBJECT = "backup";
const HOUR_MS = 3_600_000;
/** A service that was switched off over night is no reason to worry. */
const LATE = 2;

type Configured = Pick<Settings, "backupFolder" | "backupHours">;

/** @param now ms since the epoch */
export function checkBackups({ backupFolder, backupHours }: Configured, dataDir: string, now: number): Finding[] {
  if (!existsSync(join(dataDir, STORE_FILE))) return [];
  if (backupFolder === undefined) {
    return [warn(SUBJECT, "the receipts are on one disk only: set backupFolder to a folder on another one")];
  }
  try {
    const last = lastGoodBackup(backupFolder, nameOf(dataDir));
    if (!last) return [warn(SUBJECT, `${backupFolder} has no good backup of this store yet`)];
    const hours = Math.floor((now - last.at) / HOUR_MS);
    const said = `the last good one is of ${toIso(last.at)}, ${hours} h ago: ${last.file}`;
    if (hours < backupHours * LATE) return [ok(SUBJECT, said)];
    return [warn(SUBJECT, `${said}. One is due every ${backupHours} h: the log of the service says why there is none`)];
  } catch (error) {
    // An older store says so itself.
    if (error instanceof StoreError) return [];
    const reason = error instanceof Error ? error.message : String(error);
    return [warn(SUBJECT, `${backupFolder} cannot be read (${reason}): make it, or connect its disk`)];
  }
}
