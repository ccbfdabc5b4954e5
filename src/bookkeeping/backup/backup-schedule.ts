/** Scheduled backups of the store, made in a separate thread. They never stop a sale. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import type { Clock, Timer } from "../../base/clock.js";
import { PACKAGE_ROOT } from "../../base/package-root.js";
import { Repeater } from "../../base/repeater.js";
import { messageOf } from "../../base/thrown.js";
import { backupsIn, lastGoodBackup, removeOld, removeUnfinished } from "./backup-files.js";
import type { BackupJob, BackupMade } from "./backup-job.js";
import { nameOf } from "./backup-job.js";
import type { BackupAnswer } from "./backup-worker.js";

const WORKER = join(PACKAGE_ROOT, "dist", "src", "bookkeeping", "backup", "backup-worker.js");
/** ms between checks whether a backup is due. */
const LOOK_MS = 60_000;
/** ms until the next attempt after a failure. */
const RETRY_MS = 600_000;
const HOUR_MS = 3_600_000;

export interface ScheduleParts {
  readonly dataDir: string;
  readonly folder: string;
  /** Hours between two backups. */
  readonly hours: number;
  /** Number of backups to keep in the folder. */
  readonly keep: number;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Logger;
  readonly changed: () => void;
}

/** State of the scheduled backups. */
export interface BackupState {
  readonly folder: string;
  /** ms since the epoch of the last undamaged backup; undefined without one. */
  readonly lastGood: number | undefined;
  /** Why the last attempt failed, for people; undefined if it did not. */
  readonly problem: string | undefined;
}

export class BackupSchedule {
  private readonly repeater: Repeater;
  private worker: Worker | undefined;
  private lastGood: number | undefined;
  private problem: string | undefined;
  /** The timer's time (ms) before which no attempt is made. */
  private notBefore = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: ScheduleParts) {
    this.repeater = new Repeater(() => this.look(), { timer: parts.timer, everyMs: LOOK_MS });
  }

  get state(): BackupState {
    const { lastGood, problem } = this;
    return { folder: this.parts.folder, lastGood, problem };
  }

  start(): void {
    this.repeater.start();
  }

  /** Abandons a running backup and removes its partial copy. */
  async stop(): Promise<void> {
    const ended = this.repeater.end();
    await this.worker?.terminate();
    await ended;
  }

  private async look(): Promise<void> {
    const { dataDir, folder, keep, timer } = this.parts;
    if (timer.now() < this.notBefore) return;
    try {
      // Never create the folder: it may be the mount point of a disk that is not connected.
      if (!existsSync(folder)) throw new Error(`the folder ${folder} does not exist; create it, or connect its disk`);
      const store = nameOf(dataDir);
      removeUnfinished(folder, store);
      if (this.isDue(store)) {
        await this.backUp();
        removeOld(folder, store, keep);
      }
      this.lastGood = lastGoodBackup(folder, store)?.at;
    } catch (error) {
      if (this.repeater.ended.aborted) return this.clean();
      this.failed(messageOf(error));
      this.notBefore = timer.now() + RETRY_MS;
    }
  }

  /** A backup dated in the future was made before the clock was set back, and is ignored. */
  private isDue(store: string): boolean {
    const { folder, hours, clock } = this.parts;
    const now = clock.now();
    const newest = backupsIn(folder, store)[0];
    return newest === undefined || newest.at > now || now - newest.at >= hours * HOUR_MS;
  }

  private async backUp(): Promise<void> {
    const { dataDir, folder, clock, log, changed } = this.parts;
    const { file, invoices, findings } = await this.inThread({ dataDir, folder, at: clock.now() });
    if (findings > 0) {
      this.failed(`the store is damaged, and so is its copy ${file} (${findings} findings): run tillseal verify`);
      return;
    }
    this.problem = undefined;
    log.info({ file, invoices }, "backup made and checked");
    changed();
  }

  private failed(problem: string): void {
    const { folder, log, changed } = this.parts;
    if (problem !== this.problem) log.error({ folder }, `no good backup: ${problem}`);
    this.problem = problem;
    changed();
  }

  private clean(): void {
    const { dataDir, folder } = this.parts;
    try {
      removeUnfinished(folder, nameOf(dataDir));
    } catch {
      // The next start removes the partial copy.
    }
  }

  /** @throws Error that says why there is no backup, for people */
  private inThread(workerData: BackupJob): Promise<BackupMade> {
    return new Promise((resolve, reject) => {
      const worker = new Worker(WORKER, { workerData });
      this.worker = worker;
      worker.once("message", (answer: BackupAnswer) => {
        if ("made" in answer) resolve(answer.made);
        else reject(new Error(answer.problem));
      });
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("the thread that makes backups has ended")));
    });
  }
}
