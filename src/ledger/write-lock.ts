/**
 * Ensures that only one process writes to the store, also if the lock file is deleted: the service keeps SQLite's write
 * lock between commits. Other processes can read the store and back it up meanwhile.
 */
import type { Db } from "./database.js";
import { ledgerError } from "./faults.js";

/** ms for which a start leaves the store to another service that may be running. */
const YIELD_MS = 1_000;
/** ms until the next attempt to take the lock back. */
const REGAIN_MS = 50;

export class WriteLock {
  private readonly statements;
  /** Number of this owner in the column `generation`: no earlier or later owner has the same number. */
  private readonly ownerNumber: number;
  private next: NodeJS.Timeout | undefined;
  /** How often the lock was taken. */
  private times = 0;

  /**
   * Takes the lock, and waits for it up to the connection's busy timeout. Later calls do not wait inside SQLite.
   * @param unlocked whether the folder's lock file was missing, so that another service may have the store
   */
  constructor(
    private readonly db: Db,
    private readonly dataDir: string,
    unlocked = false,
  ) {
    this.statements = {
      begin: db.prepare("BEGIN IMMEDIATE"),
      commit: db.prepare("COMMIT"),
      rollback: db.prepare("ROLLBACK"),
      ownerNumber: db.prepare<[], number>("SELECT generation FROM holder").pluck(),
    };
    this.statements.begin.run();
    if (unlocked) this.yieldToRunningService();
    const update = "UPDATE holder SET generation = generation + 1 RETURNING generation";
    this.ownerNumber = db.prepare<[], number>(update).pluck().get() ?? 0;
    this.statements.commit.run();
    db.pragma("busy_timeout = 0");
    this.regain();
  }

  /**
   * Number of the period in which this service has held the lock without a break; undefined if it does not hold it. The
   * store does not change during a period, because each commit begins a new one.
   */
  get period(): number | undefined {
    return this.db.inTransaction ? this.times : undefined;
  }

  /** Begins a commit. @throws LedgerError, or SQLite's error, if another program writes or has taken over the store */
  begin(): void {
    if (!this.db.inTransaction) this.statements.begin.run();
    if (this.statements.ownerNumber.get() === this.ownerNumber) return;
    this.release();
    throw ledgerError("taken-over", this.dataDir);
  }

  /** Commits; the data is on the disk when this returns. */
  commit(): void {
    this.statements.commit.run();
    this.regain();
  }

  rollback(): void {
    this.release();
    this.regain();
  }

  /** Releases the lock while a task runs, and takes it back afterwards. */
  without(task: () => void): void {
    this.release();
    try {
      task();
    } finally {
      this.regain();
    }
  }

  /** Lets a running service take the store back, if this start took the lock between two commits of that service. */
  private yieldToRunningService(): void {
    this.release();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, YIELD_MS);
    this.db.pragma("busy_timeout = 0");
    this.statements.begin.run();
  }

  private release(): void {
    if (this.db.inTransaction) this.statements.rollback.run();
  }

  /** Takes the lock again after each commit, and also after another program has held it in between. */
  private regain(): void {
    if (!this.db.open || this.db.inTransaction) return;
    try {
      this.statements.begin.run();
      this.times++;
    } catch {
      // Another program holds the lock. The next commit reports the problem.
      clearTimeout(this.next);
      this.next = setTimeout(() => this.regain(), REGAIN_MS).unref();
    }
  }
}
