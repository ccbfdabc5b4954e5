/** Makes scheduled backups of the store in a separate thread. They never stop a sale. */
import { existsSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import { count } from "../../base/count.js";
import type { EpochMs } from "../../base/epoch-ms.js";
import { type Background, Repeater } from "../../base/repeater.js";
import { messageOf } from "../../base/thrown.js";
import {
  BACKUP_INTERVAL_HOURS,
  type Backups,
  backupsIn,
  type CheckedBackups,
  lastGoodOf,
  NOT_CHECKED,
  removeOld,
  removeUnfinished,
} from "./backup-files.js";
import { type BackupJob, type BackupMade, nameOf } from "./backup-job.js";
import { checkedIn, inBackupThread } from "./backup-thread.js";

const BACKUP_CHECK_INTERVAL_MS = 60_000;
/** ms until the next attempt after a failure. */
const RETRY_MS = 600_000;
const CHECK_AGAIN_MS = 86_400_000;
const BACKUP_INTERVAL_MS = BACKUP_INTERVAL_HOURS * 3_600_000;

const FROM_THE_FUTURE =
  "backups are dated in the future: the clock was ahead when they were made, or is behind now. They do not count, and " +
  "are not removed: check the clock, and remove them when you do not need them";

interface ScheduleParts extends Background, Omit<BackupJob, "at"> {
  readonly keep: number;
}

export interface BackupState {
  readonly folder: string;
  /** Of the last backup without known damage whose size is right; undefined without one. */
  readonly lastGood: EpochMs | undefined;
  /** Files of backups that are dated in the future: the clock was ahead when they were made, or is behind now. */
  readonly future: readonly string[];
  /** Why the last attempt failed, for people; undefined if it did not fail. */
  readonly problem: string | undefined;
}

export class BackupSchedule extends Repeater {
  private worker: Worker | undefined;
  private known: Omit<BackupState, "folder"> = { lastGood: undefined, future: [], problem: undefined };
  /** Why the last copy is not good; undefined if it is good. */
  private damage: string | undefined;
  /** The timer's time (ms) before which no attempt is made. */
  private notBefore = Number.NEGATIVE_INFINITY;
  checked: CheckedBackups = NOT_CHECKED;
  /** The timer's time (ms) of the last check of the newest backup. */
  private checkedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: ScheduleParts) {
    super(() => this.look(), parts.timer, BACKUP_CHECK_INTERVAL_MS);
  }

  get state(): BackupState {
    return { folder: this.parts.folder, ...this.known };
  }

  /** Stops the schedule. A running backup is given up, and its partial copy is removed. */
  override async stop(): Promise<void> {
    const ended = super.stop();
    await this.worker?.terminate();
    await ended;
  }

  private async look(): Promise<void> {
    const { dataDir, folder, keep, timer } = this.parts;
    if (timer.now() < this.notBefore) return;
    try {
      // Never create the folder, because it may be the mount point of a disk that is not connected.
      if (!existsSync(folder)) throw new Error(`the folder ${folder} does not exist; create it, or connect its disk`);
      const store = nameOf(dataDir);
      removeUnfinished(folder, store);
      await this.checkNewest(store);
      if (this.isDue(this.backups(store))) {
        this.damage = await this.backUp();
        removeOld(this.backups(store), keep);
      }
      const backups = this.backups(store);
      const future = backups.future.map(({ file }) => file);
      this.become({ lastGood: lastGoodOf(backups)?.at, future, problem: this.damage });
    } catch (error) {
      if (this.ended.aborted) return this.clean();
      this.become({ ...this.known, problem: messageOf(error) });
      this.notBefore = timer.now() + RETRY_MS;
    }
  }

  private backups(store: string): Backups {
    return backupsIn(this.parts.folder, store, this.parts.clock.now(), this.checked);
  }

  /** Lets SQLite read the newest good backup each day: a disk may damage it, and its size stays right. */
  private async checkNewest(store: string): Promise<void> {
    const { folder, timer, clock, log } = this.parts;
    const isChecked = lastGoodOf(this.backups(store))?.file === this.checked.newest?.file;
    if (isChecked && timer.now() - this.checkedAt < CHECK_AGAIN_MS) return;
    this.checked = await checkedIn(backupsIn(folder, store, clock.now()), clock.now, this.started);
    this.checkedAt = timer.now();
    const { broken: files } = this.checked;
    if (files.length > 0) log.error({ files }, "backups are damaged, and do not count: check the disk of their folder");
  }

  private isDue({ past }: Backups): boolean {
    const newest = past.find(({ file }) => !this.checked.broken.includes(file));
    return newest === undefined || this.parts.clock.now() - newest.at >= BACKUP_INTERVAL_MS;
  }

  private become(next: Omit<BackupState, "folder">): void {
    const { folder, log, changed } = this.parts;
    const { known } = this;
    this.known = next;
    if (next.problem !== undefined && next.problem !== known.problem) {
      log.error({ folder }, `no good backup: ${next.problem}`);
    }
    if (next.future.length > 0 && String(next.future) !== String(known.future)) {
      log.warn({ files: next.future }, FROM_THE_FUTURE);
    }
    if (JSON.stringify(next) !== JSON.stringify(known)) changed();
  }

  /** Makes a backup. @returns why the copy is not good; undefined if it is good */
  private async backUp(): Promise<string | undefined> {
    const { dataDir, folder, clock, log } = this.parts;
    const job = { dataDir, folder, at: clock.now() };
    const { file, invoices, findings } = await inBackupThread<BackupMade>(job, this.started);
    if (findings > 0) {
      const problems = count(findings, "finding");
      return `the store is damaged, and so is its copy ${file} (${problems}): run tillseal verify`;
    }
    log.info({ file, invoices }, "backup made and checked");
    return undefined;
  }

  private readonly started = (worker: Worker): void => {
    this.worker = worker;
  };

  private clean(): void {
    const { dataDir, folder } = this.parts;
    try {
      removeUnfinished(folder, nameOf(dataDir));
    } catch {
      // The next start removes the partial copy.
    }
  }
}
