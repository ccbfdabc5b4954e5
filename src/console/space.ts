/** The console's requests about space on the disk. They delete old backups, and test a folder for new backups. */
import { rmSync, type Stats, statSync } from "node:fs";
import { mkdtemp, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Clock } from "../base/clock.js";
import { codeOf, messageOf } from "../base/thrown.js";
import { type BackupFile, backupsIn, lastGoodOf } from "../bookkeeping/backup/backup-files.js";
import { nameOf } from "../bookkeeping/backup/backup-job.js";
import { checkedIn } from "../bookkeeping/backup/backup-thread.js";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import type { EndpointCall } from "../http/endpoint-router.js";
import type { FreeBytes } from "../state/disk.js";
import type { SpaceRecord, TriedFolderRecord } from "./records/space.js";

export interface SpaceParts {
  readonly folder: string;
  readonly backupFolder: string | undefined;
  /** The file of the settings; undefined with temporary data. */
  readonly settingsFile: () => string | undefined;
  readonly freeBytes: FreeBytes;
  /** Whether a person needs the card's PIN to delete old backups. */
  readonly asksPin: boolean;
  readonly clock: Clock;
}

export function spaceHandlers(parts: SpaceParts) {
  return {
    space: () => spaceRecord(parts),
    freeSpace: async () => {
      for (const { file } of await removableBackups(parts)) rmSync(file, { force: true });
      return spaceRecord(parts);
    },
    tryFolder: ({ body }: EndpointCall) => triedFolder((body as { readonly folder: string }).folder.trim(), parts),
  };
}

async function spaceRecord(parts: SpaceParts): Promise<SpaceRecord> {
  const { folder, freeBytes, asksPin } = parts;
  const old = oldBackups(parts);
  const bytes = old.reduce((sum, { file }) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
  return { folder, free: await freeBytes(folder).catch(() => null), backups: old.length, bytes, asksPin };
}

/** The backups that are older than the newest one that SQLite finds intact; none if no backup is intact. */
async function removableBackups(parts: SpaceParts): Promise<readonly BackupFile[]> {
  const old = oldBackups(parts);
  const { folder, backupFolder = "", clock } = parts;
  if (old.length === 0) return [];
  const backups = backupsIn(backupFolder, nameOf(folder), clock.now());
  const { newest } = await checkedIn(backups, clock.now);
  const kept = backups.past.findIndex(({ file }) => file === newest?.file);
  return kept < 0 ? [] : backups.past.slice(kept + 1);
}

/**
 * Returns all backups except the newest good backup. It returns none if the backups are on another disk, because
 * deleting them would not free space for the store.
 */
function oldBackups({ folder, backupFolder, clock }: SpaceParts): readonly BackupFile[] {
  if (backupFolder === undefined) return [];
  try {
    if (statSync(folder).dev !== statSync(backupFolder).dev) return [];
    const backups = backupsIn(backupFolder, nameOf(folder), clock.now());
    const newest = lastGoodOf(backups);
    // If there is no good backup, delete none: a damaged backup may be all that is left.
    return newest === undefined ? [] : backups.past.filter((backup) => backup !== newest);
  } catch {
    // Ignore the error: the doctor has its own line about a folder or a store that cannot be read.
    return [];
  }
}

async function triedFolder(folder: string, { folder: dataDir, settingsFile }: SpaceParts): Promise<TriedFolderRecord> {
  const [entry, data] = await Promise.all([statOf(folder), stat(dataDir)]);
  const problem = await folderProblem(folder, entry);
  return {
    folder,
    problem: problem?.kind ?? null,
    reason: problem?.reason ?? "",
    sameDisk: problem === undefined && entry?.dev === data.dev,
    file: settingsFile() ?? null,
    line: stringify({ backupFolder: folder }).trim(),
  };
}

/** @returns undefined if nothing has this name @throws FiscalError 2806 if nothing can have this name */
async function statOf(folder: string): Promise<Stats | undefined> {
  try {
    return await stat(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return undefined;
    throw FiscalError.of("2806", "folder", `This is no path of a folder that can be read: ${messageOf(error)}`);
  }
}

interface FolderProblem {
  readonly kind: NonNullable<TriedFolderRecord["problem"]>;
  readonly reason: string;
}

/**
 * Finds why backups cannot be written to a folder; undefined if they can. It makes and removes a folder inside, because
 * only an attempt shows whether rights and mounts allow writing.
 */
async function folderProblem(folder: string, entry: Stats | undefined): Promise<FolderProblem | undefined> {
  if (!entry) return { kind: "missing", reason: "" };
  if (!entry.isDirectory()) return { kind: "no-folder", reason: "" };
  try {
    await rmdir(await mkdtemp(join(folder, "tillseal-try-")));
    return undefined;
  } catch (error) {
    return { kind: "not-writable", reason: messageOf(error) };
  }
}
