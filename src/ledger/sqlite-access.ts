/**
 * Gives one writer access to the store, for reads and for commits. Commits are written in order, each of them all or
 * nothing. No call waits inside SQLite.
 */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Logger } from "pino";
import { systemTimer } from "../base/clock.js";
import { Mutex } from "../base/mutex.js";
import { systemRandom } from "../base/random.js";
import { messageOf } from "../base/thrown.js";
import { writeDurably } from "../base/write-durably.js";
import { type Db, inUse, type Store, StoreError } from "./database.js";
import { explained, ledgerError } from "./faults.js";
import { LedgerError } from "./ledger.js";
import { OpenFiles } from "./open-files.js";
import { WriteLock } from "./write-lock.js";

/** ms between two attempts, while another program holds the store. */
const RETRY_MS = 50;
/** In all 5 s; a POS waits 30 s for its answer. */
const ATTEMPTS = 100;
/** ms after the last commit until the write-ahead log is written back into the store. */
const IDLE_MS = 3_000;
/** Number of failures to write the log back after which a person must know. */
const FAILED_CHECKPOINTS = 3;
/** ms for a commit above which the disk is slow. While a commit runs, no request is answered. */
const SLOW_MS = 5_000;
/** Bytes that a trial writes: more than all but the largest invoices. */
const TRIAL_BYTES = 64 * 1024;
/** A file in the data folder. Without it, a start would have to read all pages to find the damage again. */
const DAMAGE_MARK = "tillseal.damaged";

export class SqliteAccess {
  readonly db: Db;
  readonly dataDir: string;
  /** Whether receipts were ever erased from this store. Repeats of erased sales must be refused. */
  hasErased = false;
  /** Undefined if the store is only read. */
  private readonly lock: WriteLock | undefined;
  private readonly files: OpenFiles;
  private readonly order = new Mutex();
  private failedCheckpoints = 0;
  private wasSlow = false;
  /** Whether the log has a new number for the file. */
  private isNumbered = false;
  private readonly idle: NodeJS.Timeout | undefined;

  /** The damage that this process has met, or that an earlier one has met and that is still there. */
  private damage: LedgerError | undefined;
  /** Called with each failure of the store, and when damage is met for the first time. */
  watcher: { failed(error: LedgerError): void; damaged(): void } | undefined;

  /** @throws StoreError if another program writes to the store, or it is damaged */
  constructor(
    { db, dataDir, files, readHeader, unlocked, isReadOnly = false }: Store,
    private readonly log?: Logger,
  ) {
    this.db = db;
    this.dataDir = dataDir;
    this.lock = isReadOnly ? undefined : this.starting(() => new WriteLock(db, dataDir, unlocked));
    // If the log or its index was removed, commits would go into a file that no other process finds.
    this.files = new OpenFiles(files, readHeader);
    if (isReadOnly) return;
    this.damage = this.remainingDamage();
    this.idle = setTimeout(() => this.checkpoint(), IDLE_MS).unref();
  }

  /** Runs a task of the start, and turns errors of SQLite and the system into StoreErrors. @throws StoreError */
  starting<T>(task: () => T): T {
    try {
      return task();
    } catch (error) {
      const problem = explained(error, this.dataDir);
      // The store is busy if a service runs on it whose lock file was deleted.
      if (!(problem instanceof LedgerError && problem.fault === "busy")) throw problem;
      throw new StoreError(inUse(this.dataDir, "another program"), { cause: error });
    }
  }

  /**
   * Runs a task, and repeats it while another program holds the store. The service continues with everything else
   * meanwhile.
   * @throws LedgerError
   */
  async read<T>(task: () => T): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return task();
      } catch (error) {
        const problem = this.db.open ? this.noted(error) : ledgerError("gone", this.dataDir, "it is closed");
        if (!(problem instanceof LedgerError && problem.fault === "busy") || attempt > ATTEMPTS) {
          if (problem instanceof LedgerError) this.watcher?.failed(problem);
          throw problem;
        }
      }
      await sleep(RETRY_MS);
    }
  }

  /**
   * Commits the task's writes, all or nothing; they are on the disk when the promise resolves.
   * @param undo takes back what the task has remembered; called each time when its writes are rolled back
   * @throws LedgerError
   */
  commit<T>(task: () => T, undo?: () => void): Promise<T> {
    return this.order.run(() => this.read(() => this.write(task, undo)));
  }

  /**
   * Writes and syncs as much as a large sale, and frees the space again. Only this shows that the store can be written
   * after a failure: another file may be on a good part of the disk.
   * @throws LedgerError
   */
  async tryWrite(): Promise<void> {
    await this.commit(() => void this.db.prepare("UPDATE trial SET content = randomblob(?)").run(TRIAL_BYTES));
    this.checkpoint();
  }

  /** Whether the log could not be written back into the store several times. */
  get keepsLog(): boolean {
    return this.failedCheckpoints >= FAILED_CHECKPOINTS;
  }

  /** Whether the file ends before its last page. It may, after a crash; a check of the whole store shows the rest. */
  get isShort(): boolean {
    const pages = Number(this.db.pragma("page_count", { simple: true }));
    return this.files.databaseSize() < pages * Number(this.db.pragma("page_size", { simple: true }));
  }

  /** Another number after each change of the store; undefined while another program may change it. */
  get version(): number | undefined {
    return this.lock?.period;
  }

  /** Returns the error for something that the caller expected in the store and that is not there. */
  missing(content: string): LedgerError {
    return ledgerError("damaged", this.dataDir, `there is no ${content}`);
  }

  /** @throws LedgerError if a file of the store was removed or replaced */
  requireFiles(): void {
    const changed = this.files.changed();
    if (changed !== undefined) throw ledgerError("gone", this.dataDir, changed);
    const difference = this.files.difference();
    if (difference === "cut" || (difference === "header" && !this.isWrittenBack())) {
      this.noteDamage("another program has changed its file");
    }
  }

  /**
   * Until a start finds the store intact, new sales are refused: each could be written over earlier ones. The answers of
   * sales that the card has signed are still written.
   * @throws LedgerError if the store is damaged, or one of its files was removed or replaced
   */
  requireSound(): void {
    this.requireFiles();
    if (this.damage !== undefined) throw this.damage;
  }

  /**
   * Whether another program has only written the log back, so that the header has what SQLite reads. While a third one
   * reads an older state, the file may grow and keep its header.
   */
  private isWrittenBack(): boolean {
    const here = ["application_id", "page_count", "schema_version"].map((name) =>
      this.db.pragma(name, { simple: true }),
    );
    return isDeepStrictEqual(this.files.numbers(), here);
  }

  /** Remembers damage that a check of the whole file has found. */
  noteDamage(problem: string): void {
    this.noted(ledgerError("damaged", this.dataDir, problem));
  }

  /** Explains an error, and remembers damage. */
  private noted(error: unknown): unknown {
    const problem = explained(error, this.dataDir);
    if (problem instanceof LedgerError && problem.fault === "damaged" && this.damage === undefined) {
      this.damage = problem;
      this.watcher?.damaged();
      try {
        if (this.lock) writeDurably(join(this.dataDir, DAMAGE_MARK), `${problem.message}\n`);
      } catch {
        // This process remembers it.
      }
    }
    return problem;
  }

  /** Checks a store in which an earlier process has met damage. */
  private remainingDamage(): LedgerError | undefined {
    const mark = join(this.dataDir, DAMAGE_MARK);
    if (!existsSync(mark)) return undefined;
    let result: string;
    try {
      result = String(this.db.pragma("integrity_check(1)", { simple: true }));
    } catch (error) {
      result = messageOf(error);
    }
    if (result !== "ok") return ledgerError("damaged", this.dataDir, result);
    rmSync(mark, { force: true });
    return undefined;
  }

  private write<T>(task: () => T, undo?: () => void): T {
    const { lock } = this;
    if (!lock) throw new StoreError("the store is only read");
    this.requireFiles();
    lock.begin();
    try {
      // The next file on the disk differs from all earlier ones, also from those with the same pages.
      if (!this.isNumbered) this.db.pragma(`application_id = ${Buffer.from(systemRandom.bytes(4)).readInt32BE()}`);
      const result = task();
      const began = systemTimer.now();
      lock.commit();
      this.isNumbered = true;
      this.files.difference();
      this.noteDuration(systemTimer.now() - began);
      this.idle?.refresh();
      return result;
    } catch (error) {
      undo?.();
      lock.rollback();
      throw error;
    }
  }

  /** Writes the log back into the store, because data that is only in the log is lost with the log. */
  private checkpoint(): void {
    if (!this.db.open) return;
    try {
      this.requireFiles();
      this.lock?.without(() => this.db.pragma("wal_checkpoint(TRUNCATE)"));
      this.isNumbered = false;
      this.failedCheckpoints = 0;
    } catch (error) {
      // The data stays in the log.
      if (this.failedCheckpoints++ === 0) {
        this.log?.warn({ err: error }, `the log of the store cannot be written back into ${this.dataDir}`);
      }
      this.idle?.refresh();
    } finally {
      this.files.difference();
    }
  }

  private noteDuration(ms: number): void {
    if (ms < SLOW_MS || this.wasSlow) return;
    this.wasSlow = true;
    const seconds = Math.round(ms / 1000);
    this.log?.warn(`the disk needed ${seconds} s for one sale, and no request was answered meanwhile: check the disk`);
  }
}
