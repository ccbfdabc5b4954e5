/**
 * One writer at a time, also if the lock file is deleted: the service keeps SQLite's own write lock on the store from
 * commit to commit. Others can read meanwhile, and back it up.
 */
import type { Db } from "./database.js";
import { ledgerError } from "./faults.js";

/** ms for which a start leaves the store to a service that may have it. */
const GIVE_WAY_MS = 1_000;
/** ms until the next try to take the store back. */
const REGAIN_MS = 50;

export class Hold {
  private readonly statements;
  /** Differs from everyone's who has had the store before, or takes it over. */
  private readonly generation: number;
  private next: NodeJS.Timeout | undefined;

  /**
   * Waits as long as the connection's busy timeout says; from then on nothing waits inside SQLite.
   * @param unlocked whether the folder's lock file was gone, and another service may have the store
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
      generation: db.prepare<[], number>("SELECT generation FROM holder").pluck(),
    };
    this.statements.begin.run();
    if (unlocked) this.giveWay();
    const update = "UPDATE holder SET generation = generation + 1 RETURNING generation";
    this.generation = db.prepare<[], number>(update).pluck().get() ?? 0;
    this.statements.commit.run();
    db.pragma("busy_timeout = 0");
    this.regain();
  }

  /** @throws LedgerError or what SQLite says where another program writes, or has taken the store over */
  begin(): void {
    if (!this.db.inTransaction) this.statements.begin.run();
    if (this.statements.generation.get() === this.generation) return;
    this.release();
    throw ledgerError("taken-over", this.dataDir);
  }

  /** What was written is on the disk when this returns. */
  commit(): void {
    this.statements.commit.run();
    this.regain();
  }

  rollback(): void {
    this.release();
    this.regain();
  }

  /** Runs what cannot be run while the lock is held. */
  without(task: () => void): void {
    this.release();
    task();
    this.regain();
  }

  /** A service that has the store takes it back at once, if this start has slipped in between two of its commits. */
  private giveWay(): void {
    this.release();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, GIVE_WAY_MS);
    this.db.pragma("busy_timeout = 0");
    this.statements.begin.run();
  }

  private release(): void {
    if (this.db.inTransaction) this.statements.rollback.run();
  }

  /** Between two commits another program may slip in; the store is taken back when it has ended. */
  private regain(): void {
    if (!this.db.open || this.db.inTransaction) return;
    try {
      this.statements.begin.run();
    } catch {
      // A commit that cannot wait says why.
      clearTimeout(this.next);
      this.next = setTimeout(() => this.regain(), REGAIN_MS).unref();
    }
  }
}
