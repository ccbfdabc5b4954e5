/** The ledger in memory: the simplest definition of each change. The contract tests compare the real one with it. */
import {
  type CardRecord,
  type Change,
  type Entry,
  type EntryState,
  type Ledger,
  LedgerError,
  type Report,
} from "../../../src/ledger/ledger.js";

export class MemoryLedger implements Ledger {
  private contents = new Contents();

  async commit(changes: readonly Change[]): Promise<readonly number[]> {
    // If a change fails, the copy is dropped.
    const copy = new Contents(this.contents);
    const ids = changes.flatMap((change) => copy.apply(change));
    this.contents = copy;
    return ids;
  }

  async byRequestId(requestId: string): Promise<Entry | undefined> {
    return this.entries.find((entry) => entry.requestId === requestId);
  }

  async byNumber(number: string): Promise<readonly Entry[]> {
    return this.entries.filter((entry) => entry.number === number);
  }

  async last(uid: string): Promise<Entry | undefined> {
    return this.entries.findLast((entry) => entry.uid === uid && entry.number !== null);
  }

  async openIntents(uid?: string): Promise<readonly Entry[]> {
    return this.entries.filter((entry) => entry.state === "intent" && (uid === undefined || entry.uid === uid));
  }

  async card(uid: string): Promise<CardRecord> {
    return this.contents.cards.get(uid) ?? NEW_CARD;
  }

  get allReports(): readonly Report[] {
    return this.contents.reports;
  }

  async reports(): Promise<readonly Report[]> {
    return this.contents.reports.filter(({ confirmedAt }) => confirmedAt === null);
  }

  /** In the order of their ids. */
  get entries(): readonly Entry[] {
    return [...this.contents.entries.values()];
  }
}

class Contents {
  readonly entries: Map<number, Entry>;
  readonly cards: Map<string, CardRecord>;
  readonly reports: Report[];
  private lastId: number;

  constructor(from?: Contents) {
    this.entries = new Map(from?.entries);
    this.cards = new Map(from?.cards);
    this.reports = [...(from?.reports ?? [])];
    this.lastId = from?.lastId ?? 0;
  }

  /** @returns the id of a new intent @throws LedgerError */
  apply(change: Change): number[] {
    switch (change.kind) {
      case "intent": {
        const { requestId } = change.intent;
        const taken = [...this.entries.values()].some((entry) => entry.requestId === requestId);
        if (requestId !== null && taken) throw damaged(`RequestId ${requestId} is in use`);
        return [this.insert({ ...UNSIGNED, ...change.intent, state: "intent" })];
      }
      case "adopt":
        this.insert({ ...UNSIGNED, ...change.receipt, state: "adopted" });
        return [];
      case "complete":
        this.settle(change.id, "complete", change.completion);
        return [];
      case "unproven":
        this.settle(change.id, "unproven", change.completion);
        return [];
      case "lose":
        this.settle(change.id, "lost", { totalCounter: change.totalCounter });
        return [];
      case "abandon":
        this.entries.delete(this.openIntent(change.id).id);
        return [];
      case "card":
        this.card(change);
        return [];
      case "report":
        this.report(change);
        return [];
      case "confirm":
        this.confirm(change.id, change.at);
        return [];
    }
  }

  private card({ uid, lastCounter, counting, certificate }: Change & { kind: "card" }): void {
    const { certificate: earlier } = this.cards.get(uid) ?? NEW_CARD;
    this.cards.set(uid, { lastCounter, counting: [...counting], certificate: certificate ?? earlier });
  }

  private insert(entry: Omit<Entry, "id">): number {
    const id = ++this.lastId;
    this.entries.set(id, { ...entry, id });
    return id;
  }

  private settle(id: number, state: EntryState, settled: Partial<Entry>): void {
    this.entries.set(id, { ...this.openIntent(id), ...settled, state });
  }

  private openIntent(id: number): Entry {
    const entry = this.entries.get(id);
    if (entry?.state !== "intent") throw damaged(`there is no open intent ${id}`);
    return entry;
  }

  private report({ report, known }: Change & { kind: "report" }): void {
    this.reports.push({ ...report, id: this.reports.length + 1, confirmedAt: known ? report.at : null });
  }

  private confirm(id: number, at: number): void {
    const report = this.reports[id - 1];
    if (!report || report.confirmedAt !== null) throw damaged(`there is no open report ${id}`);
    this.reports[id - 1] = { ...report, confirmedAt: at };
  }
}

const NEW_CARD: CardRecord = { lastCounter: undefined, counting: [], certificate: undefined };

/** The fields of an entry before anything is signed. */
const UNSIGNED = {
  requestId: null,
  requestHash: "",
  intent: null,
  intact: true,
  totalCounter: null,
  number: null,
  signature: null,
  answer: null,
} as const;

function damaged(what: string): LedgerError {
  return new LedgerError("damaged", what);
}
