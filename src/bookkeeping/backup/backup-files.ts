/**
 * Finds, names and removes the backups of one store in a folder. A backup's name says which store it copies, when it
 * was made, and whether the copy was free of errors. Its header says how long the file must be.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { EpochMs } from "../../base/epoch-ms.js";
import { hasWholeSize, PARTIAL, removeCopy } from "../../ledger/backup.js";

export interface BackupFile {
  readonly file: string;
  readonly at: EpochMs;
  /**
   * False if the store itself was damaged, because the copy has the same damage, if the file is not as long as its
   * header says, and if SQLite has found it damaged.
   */
  readonly good: boolean;
}

/** Hours between two scheduled backups. */
export const BACKUP_INTERVAL_HOURS = 24;

const DAMAGED = "-damaged";
const NAME = /^tillseal-([0-9a-f]+)-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(-damaged)?\.db$/;

/** The file name of a backup, such as `tillseal-1a2b3c4d-20260301T120000Z.db`. @param store name of the store */
export function backupName(store: string, at: EpochMs, good = true): string {
  const time = new Date(at).toISOString().replace(/[-:]|\.\d+/g, "");
  return `tillseal-${store}-${time}${good ? "" : DAMAGED}.db`;
}

export interface Backups {
  /** Backups from the past, newest first. */
  readonly past: readonly BackupFile[];
  /**
   * Backups that are dated in the future, newest first: the clock was ahead when they were made. They do not count,
   * and only a person removes them.
   */
  readonly future: readonly BackupFile[];
}

export interface CheckedBackups {
  /** The newest good backup, and when SQLite read all of it; undefined before. */
  readonly newest: { readonly file: string; readonly at: EpochMs } | undefined;
  readonly broken: readonly string[];
}

export const NOT_CHECKED: CheckedBackups = { newest: undefined, broken: [] };

/** The backups of a store in a folder. @throws the system's error if the folder cannot be read */
export function backupsIn(folder: string, store: string, now: EpochMs, { broken } = NOT_CHECKED): Backups {
  const all = readdirSync(folder)
    .flatMap((name): BackupFile[] => {
      const [, of, year, month, day, hour, minute, second, damaged] = NAME.exec(name) ?? [];
      if (of !== store) return [];
      const at = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
      const file = join(folder, name);
      return [{ file, at, good: damaged === undefined && !broken.includes(file) && hasWholeSize(file) }];
    })
    .toSorted((one, other) => other.at - one.at);
  return { past: all.filter(({ at }) => at <= now), future: all.filter(({ at }) => at > now) };
}

/** The newest undamaged backup from the past; undefined if there is none. */
export function lastGoodOf({ past }: Backups): BackupFile | undefined {
  return past.find(({ good }) => good);
}

/**
 * Removes old backups, but keeps the newest `keep` good ones and the newest `keep` damaged ones.
 * @returns how many were removed
 */
export function removeOld({ past }: Backups, keep: number): number {
  const old = [true, false].flatMap((sort) => past.filter(({ good }) => good === sort).slice(keep));
  for (const { file } of old) rmSync(file, { force: true });
  return old.length;
}

/** Removes unfinished copies of this store, which a killed service has left. */
export function removeUnfinished(folder: string, store: string): void {
  for (const name of readdirSync(folder)) {
    const [whole, ending] = name.split(PARTIAL);
    if (ending !== undefined && NAME.exec(whole ?? "")?.[1] === store) removeCopy(join(folder, `${whole}${PARTIAL}`));
  }
}
