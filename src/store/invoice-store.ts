/** Invoices from the intent to the stored answer. Every method that writes returns after the commit. */
import type { Db } from "../ledger/database.js";

export type InvoiceState = "intent" | "complete" | "lost";

export interface StoredInvoice {
  readonly id: number;
  readonly requestId: string | null;
  readonly requestHash: string;
  readonly uid: string;
  readonly state: InvoiceState;
  /** JSON. */
  readonly intent: string;
  readonly totalCounter: number | null;
  readonly number: string | null;
  /** JSON, without the QR code; null until complete. */
  readonly answer: string | null;
}

export interface NewIntent {
  readonly requestId: string | null;
  readonly requestHash: string;
  readonly uid: string;
  readonly intent: string;
}

export interface Completion {
  readonly totalCounter: number;
  readonly number: string;
  /** The card's words. */
  readonly signature: Uint8Array;
  /** JSON, without the QR code. */
  readonly answer: string;
}

const COLUMNS = `id, request_id AS requestId, request_hash AS requestHash, uid, state, intent,
  total_counter AS totalCounter, number, answer`;

export class InvoiceStore {
  private readonly statements;

  constructor(private readonly db: Db) {
    this.statements = {
      insert: db.prepare(
        `INSERT INTO invoices (request_id, request_hash, uid, state, intent, checksum)
         VALUES (@requestId, @requestHash, @uid, 'intent', @intent,
           checksum(@requestId, @requestHash, @uid, 'intent', @intent, NULL, NULL, NULL, NULL))`,
      ),
      complete: db.prepare(
        `UPDATE invoices SET state = 'complete', total_counter = @totalCounter, number = @number,
           signature = @signature, answer = @answer, checksum = checksum(request_id, request_hash, uid, 'complete',
             intent, @totalCounter, @number, @signature, @answer) WHERE id = @id`,
      ),
      card: db.prepare(
        `INSERT INTO cards (uid, last_counter, counting) SELECT uid, total_counter, '[]' FROM invoices WHERE id = ?
         ON CONFLICT (uid) DO UPDATE SET last_counter = excluded.last_counter`,
      ),
      abandon: db.prepare("DELETE FROM invoices WHERE id = ? AND state = 'intent'"),
      lose: db.prepare(
        `UPDATE invoices SET state = 'lost', checksum = checksum(request_id, request_hash, uid, 'lost', intent,
           total_counter, number, signature, answer) WHERE id = ? AND state = 'intent'`,
      ),
      byRequestId: db.prepare<[string], StoredInvoice>(`SELECT ${COLUMNS} FROM invoices WHERE request_id = ?`),
      byNumber: db.prepare<[string], StoredInvoice>(`SELECT ${COLUMNS} FROM invoices WHERE number = ?`),
      last: db.prepare<[string], StoredInvoice>(
        `SELECT ${COLUMNS} FROM invoices WHERE uid = ? AND number IS NOT NULL ORDER BY id DESC LIMIT 1`,
      ),
      open: db.prepare<[string], StoredInvoice>(
        `SELECT ${COLUMNS} FROM invoices WHERE uid = ? AND state = 'intent' ORDER BY id`,
      ),
      count: db.prepare<[InvoiceState], { count: number }>("SELECT count(*) AS count FROM invoices WHERE state = ?"),
    };
  }

  /** The intent is on the disk before the card is asked. Returns its id. */
  begin(intent: NewIntent): number {
    return Number(this.statements.insert.run(intent).lastInsertRowid);
  }

  /** @param settled what to do, in the same commit, with intents that this signature decides */
  complete(id: number, completion: Completion, settled: { abandon?: number[]; lose?: number[] } = {}): void {
    this.db.transaction(() => {
      this.statements.complete.run({ ...completion, id });
      this.statements.card.run(id);
      for (const other of settled.abandon ?? []) this.statements.abandon.run(other);
      for (const other of settled.lose ?? []) this.statements.lose.run(other);
    })();
  }

  /** The card has not signed it: the caller may send it again. */
  abandon(id: number): void {
    this.statements.abandon.run(id);
  }

  /** The card may have counted it, and nobody can tell its signature any more. */
  lose(id: number): void {
    this.statements.lose.run(id);
  }

  byRequestId(requestId: string): StoredInvoice | undefined {
    return this.statements.byRequestId.get(requestId);
  }

  byNumber(number: string): StoredInvoice | undefined {
    return this.statements.byNumber.get(number);
  }

  /** The invoice with the highest total counter of a card. */
  last(uid: string): StoredInvoice | undefined {
    return this.statements.last.get(uid);
  }

  /** Intents of a card whose outcome is not known, oldest first. */
  openIntents(uid: string): StoredInvoice[] {
    return this.statements.open.all(uid);
  }

  count(state: InvoiceState): number {
    return this.statements.count.get(state)?.count ?? 0;
  }
}
