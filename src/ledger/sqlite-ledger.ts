/** The ledger in SQLite: every commit is on the disk when it returns, and nothing waits inside SQLite. */
import { setTimeout as sleep } from "node:timers/promises";
import { Mutex } from "../mutex.js";
import { checksumOf } from "./checksum.js";
import { type Db, inUse, type Store, StoreError } from "./database.js";
import { explained, ledgerError } from "./faults.js";
import { Hold } from "./hold.js";
import { type CardRecord, type Change, type Entry, type Ledger, LedgerError, type Report } from "./ledger.js";
import { OpenFiles } from "./open-files.js";
import { SQL } from "./sql.js";
import { type EntryRow, entryOf, isIntact, type StoredEntry } from "./stored-entry.js";

/** ms between two attempts, while another program holds the store. */
const RETRY_MS = 50;
/** ms in all; a POS waits for 30 s. */
const PATIENCE_MS = 5_000;
/** ms after the last commit. */
const IDLE_MS = 3_000;
/** Of an entry that was damaged when it was settled: it fits nothing. */
const NO_CHECKSUM = new Uint8Array();

export interface SqliteLedgerOptions {
  /** ms for which a call tries again while another program holds the store. */
  readonly patienceMs?: number;
  /** ms after the last commit; then the write-ahead log is written into the store itself. */
  readonly idleMs?: number;
}

export class SqliteLedger implements Ledger {
  private readonly db: Db;
  private readonly dataDir: string;
  private readonly statements;
  private readonly hold: Hold;
  private readonly files: OpenFiles;
  private readonly attempts: number;
  private readonly order = new Mutex();
  private readonly idle: NodeJS.Timeout;
  private lastId: number;

  /** @throws StoreError where another program writes to the store, or it is damaged */
  constructor({ db, dataDir, file }: Store, { patienceMs = PATIENCE_MS, idleMs = IDLE_MS }: SqliteLedgerOptions = {}) {
    this.db = db;
    this.dataDir = dataDir;
    this.attempts = Math.ceil(patienceMs / RETRY_MS);
    try {
      this.hold = new Hold(db, dataDir);
      this.statements = statementsOf(db);
      this.lastId = db.prepare<[], number>(SQL.lastId).pluck().get() ?? 0;
    } catch (error) {
      throw startError(error, dataDir);
    }
    // With the log or its index gone, commits would go where no other process ever finds them.
    this.files = new OpenFiles([file, `${file}-wal`, `${file}-shm`]);
    this.idle = setTimeout(() => this.checkpoint(), idleMs).unref();
  }

  commit(changes: readonly Change[]): Promise<readonly number[]> {
    return this.order.run(() => this.patiently(() => this.write(changes)));
  }

  async byRequestId(requestId: string): Promise<Entry | undefined> {
    return this.patiently(() => entryOf(this.statements.byRequestId.get(requestId)));
  }

  async byNumber(number: string): Promise<readonly Entry[]> {
    return this.patiently(() => this.statements.byNumber.all(number).map((row) => entryOf(row)));
  }

  async last(uid: string): Promise<Entry | undefined> {
    return this.patiently(() => entryOf(this.statements.last.get(uid)));
  }

  async openIntents(uid?: string): Promise<readonly Entry[]> {
    return this.patiently(() => this.statements.openIntents.all(uid ?? null).map((row) => entryOf(row)));
  }

  async card(uid: string): Promise<CardRecord> {
    return this.patiently(() => {
      const { lastCounter, counting } = this.statements.card.get(uid) ?? { lastCounter: undefined, counting: "[]" };
      const wentBack = this.statements.wentBack.get(uid) === 1;
      return { lastCounter, counting: kindsIn(counting), wentBack };
    });
  }

  async reports(): Promise<readonly Report[]> {
    return this.patiently(() => this.statements.reports.all());
  }

  /** Tries again while another program holds the store; everything else goes on meanwhile. @throws LedgerError */
  private async patiently<T>(task: () => T): Promise<T> {
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

  private write(changes: readonly Change[]): readonly number[] {
    const changed = this.files.changed();
    if (changed !== undefined) throw ledgerError("gone", this.dataDir, changed);
    this.hold.begin();
    const { lastId } = this;
    try {
      const ids = changes.flatMap((change) => this.apply(change));
      this.hold.commit();
      this.idle.refresh();
      return ids;
    } catch (error) {
      this.lastId = lastId;
      this.hold.rollback();
      throw error;
    }
  }

  /** @returns the id of a new intent */
  private apply(change: Change): number[] {
    const { statements } = this;
    switch (change.change) {
      case "intent": {
        const unsigned = { totalCounter: null, number: null, signature: null, answer: null };
        return [this.insert({ ...change.intent, ...unsigned, state: "intent" })];
      }
      case "adopt":
        this.insert({ requestId: null, requestHash: "", intent: null, ...change.receipt, state: "adopted" });
        return [];
      case "complete":
        this.settle(change.id, { state: "complete", ...change.completion });
        return [];
      case "unproven":
        this.settle(change.id, { state: "unproven", ...change.completion });
        return [];
      case "lose":
        this.settle(change.id, { state: "lost", totalCounter: change.totalCounter });
        return [];
      case "abandon":
        this.one(statements.abandon.run(change.id), `open intent ${change.id}`);
        return [];
      case "card": {
        const { uid, lastCounter, counting, certificate = null } = change;
        statements.putCard.run({ uid, lastCounter, counting: JSON.stringify(counting), certificate });
        return [];
      }
      case "report":
        statements.report.run({ ...change.report, confirmedAt: change.known ? change.report.at : null });
        return [];
      case "confirm":
        this.one(statements.confirm.run(change.at, change.id), `open report ${change.id}`);
        return [];
    }
  }

  private insert(row: Omit<EntryRow, "id">): number {
    const id = ++this.lastId;
    this.statements.insert.run({ ...row, id, checksum: checksumOf(row) });
    return id;
  }

  private settle(id: number, settled: Partial<EntryRow>): void {
    const open = this.statements.byId.get(id);
    if (!open) throw this.missing(`open intent ${id}`);
    const { checksum: _, ...row } = open;
    const next: EntryRow = { ...row, ...settled };
    // Damage is not mended by a new checksum.
    const checksum = isIntact(open) ? checksumOf(next) : NO_CHECKSUM;
    this.one(this.statements.settle.run({ ...next, checksum }), `open intent ${id}`);
  }

  private one({ changes }: { changes: number }, what: string): void {
    if (changes !== 1) throw this.missing(what);
  }

  private missing(what: string): LedgerError {
    return ledgerError("damaged", this.dataDir, `there is no ${what}`);
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

function statementsOf(db: Db) {
  const entries = (sql: string) => db.prepare<[string], StoredEntry>(sql);
  return {
    byId: db.prepare<[number], StoredEntry>(SQL.byId),
    byRequestId: entries(SQL.byRequestId),
    byNumber: entries(SQL.byNumber),
    last: entries(SQL.last),
    openIntents: db.prepare<[string | null], StoredEntry>(SQL.openIntents),
    insert: db.prepare<[StoredEntry]>(SQL.insert),
    settle: db.prepare<[StoredEntry]>(SQL.settle),
    abandon: db.prepare<[number]>(SQL.abandon),
    card: db.prepare<[string], { lastCounter: number; counting: string }>(SQL.card),
    wentBack: db.prepare<[string], number>(SQL.wentBack).pluck(),
    putCard: db.prepare<[object]>(SQL.putCard),
    reports: db.prepare<[], Report>(SQL.reports),
    report: db.prepare<[Omit<Report, "id">]>(SQL.report),
    confirm: db.prepare<[number, number]>(SQL.confirm),
  };
}

/** @param json as it was read; none where the disk has damaged it: then no kind has been seen to count */
function kindsIn(json: string): readonly string[] {
  try {
    const kinds: unknown = JSON.parse(json);
    return Array.isArray(kinds) ? kinds.filter((kind) => typeof kind === "string") : [];
  } catch {
    return [];
  }
}

function startError(error: unknown, dataDir: string): unknown {
  const told = explained(error, dataDir);
  if (!(told instanceof LedgerError)) return told;
  // A service that runs without its lock file is found here.
  return new StoreError(told.fault === "busy" ? inUse(dataDir, "another program") : told.message, { cause: error });
}
