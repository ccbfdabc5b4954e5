/** Keeps the ledger in SQLite. A commit is on the disk when it returns, and no call waits inside SQLite. */
import type { Logger } from "pino";
import { appendChange } from "./change-log.js";
import { sha256 } from "./checksum.js";
import type { Store } from "./database.js";
import { checksumOfErased, type StoredErased } from "./erasing.js";
import type { CardRecord, Change, Entry, LastingRefusal, Ledger, Report } from "./ledger.js";
import { readAnswer } from "./receipt-content.js";
import { SQL } from "./sql.js";
import { SqliteAccess } from "./sqlite-access.js";
import { Statements } from "./statements.js";
import { checksumOfEntry, type EntryRow, entryOf, type StoredEntry } from "./stored-entry.js";

/** Checksum of an entry that was damaged when it was settled. This checksum never matches. */
const NO_CHECKSUM = new Uint8Array();

type NewRow = Omit<EntryRow, "id">;
type Settled = Pick<EntryRow, "state" | "totalCounter" | "number" | "signature" | "answer">;

/** The result of a check of the whole file. */
export interface Integrity {
  /** SQLite's lines about the file's structure, an index or a row; empty if it finds no damage. */
  readonly problems: readonly string[];
  /** Ids of damaged entries. */
  readonly damaged: readonly number[];
}

interface CardRow {
  readonly lastCounter: number;
  readonly counting: string;
  readonly certificate: Uint8Array | null;
  readonly restored: number;
  readonly refusal: LastingRefusal | null;
  readonly refusedAt: number;
}

const UNSIGNED = { totalCounter: null, number: null, signature: null, answer: null };

export class SqliteLedger implements Ledger {
  /** Access to the store, for the other data in the same file. */
  readonly access: SqliteAccess;
  /** Ids of damaged entries that the last check found, or that were read since. */
  readonly damaged = new Set<number>();
  /** Whether an index, or a row, is damaged. Sales go on, because no look-up of a RequestId relies on one index. */
  indexDamaged = false;
  private readonly statements;
  private lastId: number;
  /** UIDs of cards whose first counter is in the record of changes. */
  private readonly recorded = new Set<string>();
  /** Open intents of this process, by id. */
  private readonly open = new Map<number, NewRow>();

  /** @throws StoreError if another program writes to the store, or it is damaged */
  constructor(store: Store, log?: Logger) {
    this.access = new SqliteAccess(store, log);
    this.statements = new Statements(store.db, SQL);
    this.lastId = this.access.starting(() => this.statements.value<number>("lastId") ?? 0);
    this.access.hasErased = this.access.starting(() => this.statements.value("hasErased") === 1);
  }

  async commit(changes: readonly Change[]): Promise<readonly number[]> {
    let undo = () => {};
    const write = () => {
      const { lastId } = this;
      undo = () => {
        this.lastId = lastId;
        this.recorded.clear();
      };
      return changes.flatMap((change) => this.apply(change) ?? []);
    };
    return this.access.commit(write, () => undo());
  }

  async byRequestId(requestId: string): Promise<Entry | undefined> {
    return this.access.read(() => {
      const first = this.lookUp(requestId, "");
      if (first?.intact) return first;
      const second = this.lookUp(requestId, "Again");
      if (!second?.intact) return this.noted(first ?? second);
      this.indexDamaged = true;
      return second;
    });
  }

  /** @param again whether the second B-trees are read */
  private lookUp(requestId: string, again: "" | "Again"): Entry | undefined {
    const { statements, access } = this;
    const entry = entryOf(statements.get<StoredEntry>(`byRequestId${again}`, { requestId }));
    // If nothing was ever erased, the table is not read.
    if (entry?.intact || !access.hasErased) return entry;
    const row = statements.get<StoredErased>(`erasedByRequestId${again}`, sha256(requestId));
    if (!row) return entry;
    const { id, requestHash, uid, totalCounter, checksum } = row;
    const intact = Buffer.from(checksum).equals(checksumOfErased(row));
    const gone = { intent: null, number: null, signature: null, answer: null };
    return { ...gone, id, requestId, requestHash, uid, totalCounter, state: "erased", intact };
  }

  noteCheck({ problems, damaged }: Integrity): void {
    this.damaged.clear();
    for (const id of damaged) this.damaged.add(id);
    if (problems.length > 0) this.indexDamaged = true;
    const structural = problems.find((line) => /^(Tree|Freelist|Page|\*{3}) /.test(line));
    if (structural !== undefined) this.access.noteDamage(structural);
  }

  async byNumber(number: string): Promise<readonly Entry[]> {
    return this.entries("byNumber", number);
  }

  async last(uid: string): Promise<Entry | undefined> {
    return (await this.entries("last", uid))[0];
  }

  async openIntents(uid?: string): Promise<readonly Entry[]> {
    return this.entries("openIntents", uid);
  }

  private entries(name: "byNumber" | "last" | "openIntents", of: string | undefined): Promise<readonly Entry[]> {
    return this.access.read(() => this.statements.all<StoredEntry>(name, of).map((row) => this.noted(entryOf(row))));
  }

  async card(uid: string): Promise<CardRecord> {
    return this.access.read(() => {
      const row: Partial<CardRow> = this.statements.get<CardRow>("card", uid) ?? {};
      const { lastCounter, counting = "[]", certificate, restored, refusal, refusedAt: at = 0 } = row;
      return {
        lastCounter,
        counting: kindsIn(counting),
        certificate: certificate ?? undefined,
        restored: restored === 1,
        refusal: refusal ? { why: refusal, at } : undefined,
      };
    });
  }

  async reports(): Promise<readonly Report[]> {
    return this.access.read(() => this.statements.all<Report>("reports"));
  }

  private noted<T extends Entry | undefined>(entry: T): T {
    if (entry?.intact === false) this.damaged.add(entry.id);
    return entry;
  }

  /** Writes a change. @returns the id of a new intent */
  private apply(change: Change): number | undefined {
    const { statements } = this;
    switch (change.kind) {
      case "intent": {
        const { requestId, requestHash, uid, intent } = change.intent;
        const row: NewRow = { requestId, requestHash, uid, state: "intent", intent, ...UNSIGNED };
        const id = this.insert(row);
        this.open.set(id, row);
        return id;
      }
      case "adopt":
        this.insert({ requestId: null, requestHash: "", intent: null, ...change.receipt, state: "adopted" });
        this.recordFirst(change.receipt.uid, change.receipt);
        return undefined;
      case "complete":
      case "unproven":
        return this.settle(change.id, { state: change.kind, ...UNSIGNED, ...change.completion });
      case "lose":
        return this.settle(change.id, { state: "lost", ...UNSIGNED, totalCounter: change.totalCounter });
      case "abandon":
        this.one(statements.run("abandon", change.id), `open intent ${change.id}`);
        this.open.delete(change.id);
        return undefined;
      case "card": {
        const { uid, lastCounter, counting, certificate = null } = change;
        statements.run("keepCertificate", { uid, certificate });
        statements.run("putCard", { uid, lastCounter, counting: JSON.stringify(counting), certificate });
        for (const seal of ["sealCertificates", "sealCards"] as const) statements.run(seal);
        return undefined;
      }
      case "refused":
        statements.run("putRefusal", { uid: change.uid, refusal: change.why, at: change.at });
        statements.run("sealCards");
        return undefined;
      case "accepted":
        statements.run("forgetRefusal", change.uid);
        statements.run("sealCards");
        return undefined;
      case "report":
        statements.run("report", { ...change.report, confirmedAt: change.known ? change.report.at : null });
        statements.run("sealReports");
        return undefined;
      case "confirm":
        this.one(statements.run("confirm", change.at, change.id), `open report ${change.id}`);
        statements.run("sealReports");
        return undefined;
    }
  }

  private insert(row: NewRow): number {
    const id = ++this.lastId;
    this.statements.run("insert", { id, checksum: checksumOfEntry({ id, ...row }), ...row });
    return id;
  }

  private settle(id: number, settled: Settled): undefined {
    const { requestId, requestHash, uid, intent, intact } = this.openIntent(id);
    const next: NewRow = { requestId, requestHash, uid, intent, ...settled };
    // A damaged entry gets no valid checksum, because a valid one would hide the damage.
    const checksum = intact ? checksumOfEntry({ id, ...next }) : NO_CHECKSUM;
    this.one(this.statements.run("settle", { id, checksum, ...next }), `open intent ${id}`);
    this.recordFirst(uid, settled);
    this.open.delete(id);
  }

  /**
   * Records the first counter of a card. Without this row, `tillseal verify` would not notice that the oldest receipts
   * are missing.
   */
  private recordFirst(uid: string, { answer }: Pick<EntryRow, "answer">): void {
    const { statements, access } = this;
    if (answer === null || this.recorded.has(uid)) return;
    if (statements.value("isRecorded", uid) === undefined) {
      const counter = statements.value("firstCounter", { uid });
      const at = Date.parse(readAnswer(answer).sdcDateTime) || 0;
      appendChange(access.db, { at, kind: "card", what: { uid, firstCounter: String(counter) } });
    }
    this.recorded.add(uid);
  }

  /**
   * Returns an open intent. If this process has written the intent, its memory is used and the row is not read. If the
   * row was damaged since, its new checksum does not match.
   */
  private openIntent(id: number): NewRow & Pick<Entry, "intact"> {
    const written = this.open.get(id);
    if (written) return { intact: true, ...written };
    const stored = entryOf(this.statements.get<StoredEntry>("byId", id));
    if (!stored) throw this.access.missing(`open intent ${id}`);
    return stored;
  }

  private one({ changes }: { changes: number }, change: string): void {
    if (changes !== 1) throw this.access.missing(change);
  }
}

/** @returns an empty list if the JSON is damaged: no invoice type is then known to add to the card's sum */
function kindsIn(json: string): readonly string[] {
  try {
    const kinds: unknown = JSON.parse(json);
    return Array.isArray(kinds) ? kinds.filter((kind) => typeof kind === "string") : [];
  } catch {
    return [];
  }
}
