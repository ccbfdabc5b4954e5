/**
 * An index of receipts beside the store, for searches that the store's own indexes cannot answer (docs/decisions/0022).
 * The index is built from the store in slices, on demand. Sales do not depend on it, and it may be deleted at any time.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { EpochMs } from "../base/epoch-ms.js";
import { explained } from "./faults.js";
import { OpenFiles } from "./open-files.js";
import type { Period } from "./period.js";
import type { ReceiptTexts } from "./receipt-content.js";
import type { Sought } from "./receipts.js";
import { type Db, openDatabase } from "./sqlite.js";
import { STORE_FOLDER } from "./store-folder.js";
import type { StoredEntry } from "./stored-entry.js";

/** The index in a data folder. A restore replaces it with the store. */
export const RECEIPT_INDEX_FILE = join(STORE_FOLDER, "tillseal.receipts.db");

/** Deletes the index, so that it does not keep erased receipts. The service rebuilds the index from the store. */
export function removeReceiptIndex(dataDir: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) {
    rmSync(join(dataDir, RECEIPT_INDEX_FILE + suffix), { force: true });
  }
}

/** A receipt in the index. The texts that people search for are folded. */
export interface IndexedReceipt {
  /** The time that the card signed. */
  readonly time: EpochMs;
  /** The pair of types, such as `Normal Sale`. */
  readonly kind: string;
  /** Decimal text. */
  readonly amount: string;
  /** The tax labels, each with a space on both sides: ` A Ж `. `payments` has the payment types in the same form. */
  readonly labels: string;
  readonly payments: string;
  /** The cashier, the buyer, and the names and GTINs of the articles, one per line. */
  readonly words: string;
  /** Number of the receipt to which this receipt refers. */
  readonly referent: string | null;
}

/** Narrows a search. An empty text matches everything. The texts are in the form of {@link IndexedReceipt}. */
export interface Filter {
  readonly kind: string;
  readonly label: string;
  readonly payment: string;
}

/** How far the store was read into the index, in entries of the store. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

const VERSION = 3;
const SCHEMA = `
  CREATE TABLE receipts (
    id INTEGER PRIMARY KEY, request_id TEXT, number TEXT NOT NULL, total_counter INTEGER, time INTEGER NOT NULL, kind TEXT NOT NULL,
    amount TEXT NOT NULL, labels TEXT NOT NULL, payments TEXT NOT NULL, words TEXT NOT NULL, referent TEXT
  ) STRICT;
  CREATE INDEX receipts_by_referent ON receipts (referent) WHERE referent IS NOT NULL;
  -- Sales that were open when they were read.
  CREATE TABLE pending (id INTEGER PRIMARY KEY) STRICT;
  -- Up to which entry the store was read; and one entry that does not change any more, with its checksum: another store has another.
  CREATE TABLE progress (last_id INTEGER NOT NULL, mark_id INTEGER NOT NULL, mark BLOB) STRICT;
  INSERT INTO progress VALUES (0, 0, NULL);
  PRAGMA user_version = ${VERSION};
`;
const ENTRY = `SELECT id, state, request_id AS requestId, number, total_counter AS totalCounter, intent, checksum,
  CASE WHEN state = 'adopted' THEN answer END AS answer FROM invoices`;
/**
 * Entries per slice: READ when the store is read, LOOK when the index is searched. A sale waits for one slice at most.
 */
const READ = 50;
const LOOK = 10_000;

type Entry = Omit<StoredEntry, "requestHash" | "uid" | "signature">;
interface Mark {
  readonly lastId: number;
  readonly markId: number;
  readonly mark: Uint8Array | null;
}

export class ReceiptIndex {
  private opened: { readonly db: Db; readonly files: OpenFiles } | undefined;
  private running: Promise<void> | undefined;
  private closed = false;

  /**
   * @param store the store's database
   * @param describe a receipt for the index, with folded texts; undefined if the entry is damaged. A damaged entry can be
   *   found only by its number
   */
  constructor(
    private readonly store: Db,
    private readonly dataDir: string,
    private readonly describe: (receipt: ReceiptTexts) => IndexedReceipt | undefined,
  ) {}

  /**
   * Reads new entries of the store into the index. Calls during a run share that run.
   * @throws LedgerError that says what to do
   */
  catchUp(): Promise<void> {
    this.running ??= this.read()
      .catch((error: unknown) => {
        throw explained(error, this.dataDir);
      })
      .finally(() => {
        this.running = undefined;
      });
    return this.running;
  }

  /** How far the store was read; undefined if the index is complete. */
  progress(): Progress | undefined {
    const { lastId: done } = this.mark(this.db());
    const total = this.newest();
    return done < total ? { done, total } : undefined;
  }

  /** Ids of matching receipts, newest first. @param isWanted called before each slice; false ends the search */
  async find(
    filter: Filter,
    { sought, period, limit }: { sought: Sought | undefined; period: Period; limit: number },
    isWanted: () => boolean = () => true,
  ): Promise<number[]> {
    const criteria = { ...filter, ...period, ...(sought ?? NOTHING) };
    const ids: number[] = [];
    let below = this.newest() + 1;
    while (below > 1 && ids.length < limit && isWanted()) {
      const slice = this.db().prepare<[object], number>(FIND).pluck();
      ids.push(...slice.all({ ...criteria, below, first: below - LOOK, limit: limit - ids.length }));
      below -= LOOK;
      await setImmediate();
    }
    return ids;
  }

  /** Ids of receipts that refer to the receipt with this number, oldest first. */
  referringTo(number: string, limit: number): number[] {
    const sql = "SELECT id FROM receipts WHERE referent = ? ORDER BY id LIMIT ?";
    return this.db().prepare<[string, number], number>(sql).pluck().all(number, limit);
  }

  close(): void {
    this.closed = true;
    this.opened?.db.close();
    this.opened = undefined;
  }

  private async read(): Promise<void> {
    if (!this.isOfThisStore()) this.begin();
    while (!this.closed && this.readSlice()) await setImmediate();
  }

  /** Reads the next slice of the store. @returns whether there may be more entries */
  private readSlice(): boolean {
    const db = this.db();
    const { store } = this;
    const { lastId, markId, mark } = this.mark(db);
    const waiting = db.prepare<[], number>("SELECT id FROM pending").pluck().all();
    const one = store.prepare<[number], Entry>(`${ENTRY} WHERE id = ?`);
    const settled = waiting.map((id) => ({ id, entry: one.get(id) })).filter(({ entry }) => entry?.state !== "intent");
    const next = store.prepare<[number], Entry>(`${ENTRY} WHERE id > ? ORDER BY id LIMIT ${READ}`).all(lastId);
    const last = next.at(-1);
    // The ledger deletes an abandoned entry and may use its id again after a restart: continue from the id before it.
    const gone = settled.filter(({ entry }) => !entry).map(({ id }) => id - 1);
    if (!last && settled.length === 0) return false;
    const stable = next.findLast(({ state }) => state !== "intent");
    const put = db.prepare(PUT);
    db.transaction(() => {
      for (const { id } of settled) db.prepare("DELETE FROM pending WHERE id = ?").run(id);
      for (const entry of [...settled.flatMap((one) => one.entry ?? []), ...next]) {
        if (entry.state === "intent") db.prepare("INSERT OR IGNORE INTO pending VALUES (?)").run(entry.id);
        const described = entry.number === null ? undefined : this.describe(entry);
        if (described) {
          const { id, requestId, number, totalCounter } = entry;
          put.run({ id, requestId, number, totalCounter, ...described });
        }
      }
      db.prepare("UPDATE progress SET last_id = ?, mark_id = ?, mark = ?").run(
        Math.min(last?.id ?? lastId, ...gone),
        stable?.id ?? markId,
        stable?.checksum ?? mark,
      );
    })();
    return next.length > 0;
  }

  /**
   * Whether the index was made from this store; false if a backup was restored or another store has replaced this
   * store.
   */
  private isOfThisStore(): boolean {
    const { markId, mark, lastId } = this.mark(this.db());
    if (markId === 0) return lastId === 0;
    const sql = "SELECT checksum FROM invoices WHERE id = ?";
    const now = this.store.prepare<[number], Uint8Array>(sql).pluck().get(markId);
    return now !== undefined && mark !== null && Buffer.from(now).equals(mark);
  }

  private newest(): number {
    return this.store.prepare<[], number>("SELECT coalesce(max(id), 0) FROM invoices").pluck().get() ?? 0;
  }

  private mark(db: Db): Mark {
    const sql = "SELECT last_id AS lastId, mark_id AS markId, mark FROM progress";
    return db.prepare<[], Mark>(sql).get() ?? { lastId: 0, markId: 0, mark: null };
  }

  /** The open index. If its file was deleted, is of another version or damaged, a new index is opened. */
  private db(): Db {
    if (this.opened && this.opened.files.changed() === undefined) return this.opened.db;
    if (this.closed) throw new Error("the index of receipts is closed");
    try {
      return this.openFile();
    } catch {
      return this.begin();
    }
  }

  private openFile(): Db {
    this.opened?.db.close();
    this.opened = undefined;
    const file = join(this.dataDir, RECEIPT_INDEX_FILE);
    const db = openDatabase(file);
    try {
      db.pragma("journal_mode = WAL");
      // A commit does not wait for the disk. After a power loss, the last slices are read from the store again.
      db.pragma("synchronous = NORMAL");
      const version = Number(db.pragma("user_version", { simple: true }));
      if (version === 0) db.exec(SCHEMA);
      else if (version !== VERSION) throw new Error(`${file} is of version ${version}`);
    } catch (error) {
      db.close();
      throw error;
    }
    this.opened = { db, files: new OpenFiles([file]) };
    return db;
  }

  /** Creates an empty index. @throws if the folder cannot be written */
  private begin(): Db {
    this.opened?.db.close();
    removeReceiptIndex(this.dataDir);
    return this.openFile();
  }
}

const NOTHING: Sought = { text: "", words: "", counter: undefined, amount: undefined, otherAmount: undefined };

const PUT = `INSERT OR REPLACE INTO receipts VALUES (@id, @requestId, @number, @totalCounter, @time, @kind, @amount,
  @labels, @payments, @words, @referent)`;

const FIND = `SELECT id FROM receipts WHERE id < @below AND id >= @first AND time >= @from AND time < @to
    AND (@kind = '' OR kind = @kind)
    AND (@label = '' OR instr(labels, ' ' || @label || ' '))
    AND (@payment = '' OR instr(payments, ' ' || @payment || ' '))
    AND (@text = '' OR number = @text OR total_counter = @counter OR amount IN (@amount, @otherAmount)
      OR substr(request_id, 1, length(@text)) = @text OR instr(words, @words))
  ORDER BY id DESC LIMIT @limit`;
