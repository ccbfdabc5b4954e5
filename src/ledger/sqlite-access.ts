/** One writer's access to the store: commits in their order, all or nothing, and reads. Nothing waits inside SQLite. */
import { setTimeout as sleep } from "node:timers/promises";
import { Mutex } from "../mutex.js";
import { type Db, inUse, type Store, StoreError } from "./database.js";
import { explained, ledgerError } from "./faults.js";
import { Hold } from "./hold.js";
import { LedgerError } from "./ledger.js";
import { OpenFiles } from "./open-files.js";

/** ms between two attempts, while another program holds the store. */
const RETRY_MS = 50;
/** ms in all; a POS waits for 30 s. */
const PATIENCE_MS = 5_000;
/** ms after the last commit. */
const IDLE_MS = 3_000;

export interface SqliteOptions {
  /** ms for which a call tries again while another program holds the store. */
  readonly patienceMs?: number;
  /** ms after the last commit; then the write-ahead log is written into the store itself. */
  readonly idleMs?: number;
}

export class SqliteAccess {
  readonly db: Db;
  readonly dataDir: string;
  /** Whether something was ever erased here: a repeat of it must be known. */
  hasErased = false;
  private readonly hold: Hold;
  private readonly files: OpenFiles;
  private readonly attempts: number;
  private readonly order = new Mutex();
  private readonly idle: NodeJS.Timeout;

  /** @throws StoreError where another program writes to the store, or it is damaged */
  constructor(
    { db, dataDir, file, temporary, unlocked }: Store,
    { patienceMs = PATIENCE_MS, idleMs = IDLE_MS }: SqliteOptions = {},
  ) {
    this.db = db;
    this.dataDir = dataDir;
    this.attempts = Math.ceil(patienceMs / RETRY_MS);
    this.hold = this.starting(() => new Hold(db, dataDir, unlocked));
    // With the log or its index gone, commits would go where no other process ever finds them. None looks for temporary ones.
    this.files = new OpenFiles(temporary ? [] : [file, `${file}-wal`, `${file}-shm`]);
    this.hasErased = this.starting(
      () => db.prepare<[], number>("SELECT EXISTS (SELECT 1 FROM erased)").pluck().get() === 1,
    );
    this.idle = setTimeout(() => this.checkpoint(), idleMs).unref();
  }

  /** What a start needs of the store. @throws StoreError */
  starting<T>(task: () => T): T {
    try {
      return task();
    } catch (error) {
      throw startError(error, this.dataDir);
    }
  }

  /** Tries again while another program holds the store; everything else goes on meanwhile. @throws LedgerError */
  async read<T>(task: () => T): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return task();
      } catch (error) {
        const told = this.db.open ? explained(error, this.dataDir) : ledgerError("gone", this.dataDir, "it is closed");
        if (!(told instanceof LedgerError && told.fault === "busy") || attempt > this.attempts) throw told;
      }
      await sleep(RETRY_MS);
    }
  }

  /** What the task writes is on the disk when the promise resolves, all of it or nothing. @throws LedgerError */
  commit<T>(task: () => T): Promise<T> {
    return this.order.run(() => this.read(() => this.write(task)));
  }

  /**
   * Writes the store anew, so that nothing is left in its free places, and empties the log. Needs as much room as the store has.
   * @throws LedgerError the store is what it was
   */
  rewrite(): Promise<void> {
    return this.order.run(() =>
      this.read(() =>
        this.hold.without(() => {
          this.db.exec("VACUUM");
          this.db.pragma("wal_checkpoint(TRUNCATE)");
        }),
      ),
    );
  }

  /** Of what the caller expected in the store. */
  missing(what: string): LedgerError {
    return ledgerError("damaged", this.dataDir, `there is no ${what}`);
  }

  private write<T>(task: () => T): T {
    const changed = this.files.changed();
    if (changed !== undefined) throw ledgerError("gone", this.dataDir, changed);
    this.hold.begin();
    try {
      const result = task();
      this.hold.commit();
      this.idle.refresh();
      return result;
    } catch (error) {
      this.hold.rollback();
      throw error;
    }
  }

  /** What is only in the log is lost with it. */
  private checkpoint(): void {
    if (!this.db.open) return;
    try {
      this.hold.without(() => this.db.pragma("wal_checkpoint(TRUNCATE)"));
    } catch {
      // The log has it, and the next pause tries again.
    }
  }
}

function startError(error: unknown, dataDir: string): unknown {
  const told = explained(error, dataDir);
  if (!(told instanceof LedgerError)) return told;
  // A service that runs without its lock file is found here.
  return new StoreError(told.fault === "busy" ? inUse(dataDir, "another program") : told.message, { cause: error });
}
