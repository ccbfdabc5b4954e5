/** Keeps the audits in the ledger's SQLite file. The ledger's lock protects them too. */

import type { EpochMs } from "../base/epoch-ms.js";
import { INTACT_AUDIT, INTACT_PROGRESS, PROGRESS_SQL } from "./audit-rows.js";
import {
  type Audit,
  type AuditChange,
  type AuditOutcome,
  type AuditProgress,
  type MissingSales,
  type NewAudit,
  type PackageVerdict,
  REPEAT_MS,
  type Refusal,
  refusalsWith,
  type UnverifiedPackage,
} from "./audits.js";
import { LateStatements } from "./late-statements.js";
import type { Entry } from "./ledger.js";
import { SQL as ENTRIES } from "./sql.js";
import type { SqliteAccess } from "./sqlite-access.js";
import { entryOf, type StoredEntry } from "./stored-entry.js";

const AUDITS = `SELECT id, uid, started_at AS startedAt, request, sum, "limit", covers, requested_at AS requestedAt,
  asked AS proofSent, ended_at AS endedAt, outcome FROM audits`;

const UNVERIFIED = "SELECT entry, number, status, tries, at FROM unverified_packages";

export * from "./audits.js";

/** A number above every id. */
const NO_END = Number.MAX_SAFE_INTEGER;

interface AuditRow {
  readonly id: number;
  readonly uid: string;
  readonly startedAt: number;
  readonly request: Uint8Array;
  readonly sum: string;
  readonly limit: string;
  readonly covers: number;
  readonly requestedAt: number | null;
  readonly proofSent: number;
  readonly endedAt: number | null;
  readonly outcome: AuditOutcome | null;
}

interface ProgressRow {
  readonly sentTo: number;
  readonly provenTo: number;
  readonly last: string | null;
  readonly wrong: number;
  readonly lastWrong: string | null;
  readonly refused: string;
  readonly onStick: number;
}

/** `count` is the number of complete sales after `provenTo`, up to `to`. No sale up to `to` is open any more. */
interface Counted {
  readonly provenTo: number;
  readonly to: number;
  readonly count: number;
}

export class AuditLedger {
  private readonly statements;
  private readonly counted = new Map<string, Counted>();

  constructor(private readonly access: Pick<SqliteAccess, "db" | "read" | "commit" | "missing">) {
    const db = new LateStatements(access.db);
    this.statements = {
      supersede: db.prepare<[number, string]>(
        "UPDATE audits SET outcome = 'superseded', ended_at = ? WHERE uid = ? AND outcome IS NULL",
      ),
      started: db.prepare<[object]>(`INSERT INTO audits (uid, started_at, request, sum, "limit", covers)
    VALUES (@uid, @startedAt, @request, @sum, @limit, @covers)`),
      requested: db.prepare<[object]>(
        `UPDATE audits SET requested_at = @at WHERE id = @id AND outcome IS NULL AND ${INTACT_AUDIT}`,
      ),
      proofSent: db.prepare<[object]>(
        `UPDATE audits SET asked = @proofSent WHERE id = @id AND outcome IS NULL AND ${INTACT_AUDIT}`,
      ),
      closed: db.prepare<[object]>(
        `UPDATE audits SET outcome = @outcome, ended_at = @at WHERE id = @id AND outcome IS NULL AND ${INTACT_AUDIT}`,
      ),
      // Proven sales count as sent, because they need not be sent any more.
      proven: db.prepare<
        [object],
        { uid: string; covers: number }
      >(`INSERT INTO audit_progress (uid, sent_to, proven_to)
      SELECT uid, covers, covers FROM audits WHERE id = @id
    ON CONFLICT (uid) DO UPDATE SET sent_to = max(sent_to, excluded.sent_to), proven_to = max(proven_to, excluded.proven_to)
    RETURNING uid, (SELECT covers FROM audits WHERE id = @id) AS covers`),
      sent: db.prepare<[object]>(`INSERT INTO audit_progress (uid, sent_to, last, wrong, last_wrong)
      VALUES (@uid, @entry, @verdict, @wrong, iif(@wrong, @verdict, NULL))
    ON CONFLICT (uid) DO UPDATE SET sent_to = max(sent_to, @entry), last = @verdict, wrong = wrong + @wrong,
      last_wrong = iif(@wrong, @verdict, last_wrong)`),
      refused: db.prepare<[object]>(`INSERT INTO audit_progress (uid, sent_to, refused) VALUES (@uid, @sentTo, @refused)
    ON CONFLICT (uid) DO UPDATE SET sent_to = max(sent_to, @sentTo), refused = @refused`),
      key: db.prepare<[object]>(`INSERT INTO audit_progress (uid, authority_key) VALUES (@uid, @key)
    ON CONFLICT (uid) DO UPDATE SET authority_key = @key`),
      openAudit: db.prepare<[string], AuditRow>(`${AUDITS} WHERE uid = ? AND outcome IS NULL AND ${INTACT_AUDIT}`),
      lastAudit: db.prepare<[string], AuditRow>(`${AUDITS} WHERE uid = ? AND ${INTACT_AUDIT} ORDER BY id DESC LIMIT 1`),
      judged: db.prepare<[object]>(`INSERT INTO unverified_packages (uid, entry, number, status, tries, at)
      VALUES (@uid, @entry, @number, @status, 1, @at)
    ON CONFLICT (uid, entry) DO UPDATE SET status = @status, tries = tries + 1, at = @at`),
      verified: db.prepare<[string, number]>("DELETE FROM unverified_packages WHERE uid = ? AND entry = ?"),
      covered: db.prepare<[string, number]>("DELETE FROM unverified_packages WHERE uid = ? AND entry <= ?"),
      unverified: db.prepare<[string, number], UnverifiedPackage>(`${UNVERIFIED} WHERE uid = ? ORDER BY entry LIMIT ?`),
      // A time in the future means that the clock was set back: repeat the package then too.
      nextToRepeat: db.prepare<[object], UnverifiedPackage>(`${UNVERIFIED} WHERE uid = @uid AND status IN (0, 1)
      AND (at > @now OR at <= @now - iif(tries = 1, @first, @later))
    ORDER BY at LIMIT 1`),
      onStick: db.prepare<[object]>(`INSERT INTO audit_progress (uid, on_stick) VALUES (@uid, @entry)
    ON CONFLICT (uid) DO UPDATE SET on_stick = max(on_stick, @entry)`),
      progress: db.prepare<
        [string],
        ProgressRow
      >(`SELECT sent_to AS sentTo, proven_to AS provenTo, last, wrong, last_wrong AS lastWrong, refused,
      on_stick AS onStick
    FROM audit_progress
    WHERE uid = ? AND ${INTACT_PROGRESS}`),
      provenTo: db.prepare<[object], number>(PROGRESS_SQL.provenTo).pluck(),
      remove: db.prepare<[object]>(PROGRESS_SQL.remove),
      mend: db.prepare<[object]>(PROGRESS_SQL.mend),
      seal: db.prepare<[object]>(PROGRESS_SQL.seal),
      sealAudit: db.prepare<[object]>(PROGRESS_SQL.sealAudit),
      uidOf: db.prepare<[number], string>("SELECT uid FROM audits WHERE id = ?").pluck(),
      authorityKey: db
        .prepare<[string], Uint8Array | null>(
          `SELECT authority_key FROM audit_progress WHERE uid = ? AND ${INTACT_PROGRESS}`,
        )
        .pluck(),
      newest: db
        .prepare<[string], number>("SELECT coalesce(max(id), 0) FROM invoices WHERE uid = ? AND state = 'complete'")
        .pluck(),
      oldestOpen: db
        .prepare<[string], number | null>("SELECT min(id) FROM invoices WHERE uid = ? AND state = 'intent'")
        .pluck(),
      complete: db
        .prepare<[string, number, number], number>(
          "SELECT count(*) FROM invoices WHERE uid = ? AND state = 'complete' AND id > ? AND id <= ?",
        )
        .pluck(),
      nextSale: db.prepare<[object], StoredEntry>(
        `${ENTRIES.entries} WHERE uid = @uid AND state = 'complete' AND id > @after AND id < @before ORDER BY id LIMIT 1`,
      ),
      missing: db.prepare<
        [object],
        MissingSales
      >(`SELECT uid, from_counter AS "from", to_counter AS "to" FROM reports AS report
    WHERE kind = 'behind' AND from_counter IS NOT NULL AND to_counter IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM audits WHERE audits.uid = report.uid AND outcome = 'ended' AND started_at >= report.at)
      AND (@all OR confirmed_at IS NULL OR EXISTS (
        SELECT 1 FROM audits WHERE audits.uid = report.uid AND outcome IS NULL))
    ORDER BY id`),
      // Finds the UID of each next card through the index, without reading every sale.
      cards: db
        .prepare<[], string>(`WITH RECURSIVE card (uid) AS (
      SELECT min(uid) FROM invoices WHERE state = 'complete'
      UNION ALL
      SELECT (SELECT min(uid) FROM invoices WHERE state = 'complete' AND uid > card.uid) FROM card WHERE card.uid IS NOT NULL
    ) SELECT uid FROM card WHERE uid IS NOT NULL`)
        .pluck(),
    };
  }

  /**
   * Writes all changes or none; they are on the disk when the promise resolves. A change of an audit that is not open
   * fails as "damaged", because the store contradicts the caller.
   * @throws LedgerError nothing was written
   */
  commit(changes: readonly AuditChange[]): Promise<void> {
    return this.access.commit(() => {
      for (const change of changes) this.apply(change);
    });
  }

  /** @throws LedgerError */
  async openAudit(uid: string): Promise<Audit | undefined> {
    return this.access.read(() => auditOf(this.statements.openAudit.get(uid)));
  }

  /** The audit that was started last, open or not. @throws LedgerError */
  async lastAudit(uid: string): Promise<Audit | undefined> {
    return this.access.read(() => auditOf(this.statements.lastAudit.get(uid)));
  }

  /** @throws LedgerError */
  async progress(uid: string): Promise<AuditProgress> {
    return this.access.read(() => this.progressOf(uid));
  }

  /**
   * Number of complete sales without a proof. Each call reads only the sales since the last call.
   * @throws LedgerError
   */
  async unsent(uid: string): Promise<number> {
    return this.access.read(() => {
      const { statements } = this;
      const { provenTo } = this.progressOf(uid);
      const known = this.counted.get(uid);
      const before = known?.provenTo === provenTo ? known : { provenTo, to: provenTo, count: 0 };
      // A sale in doubt may become complete: the next call counts from the oldest sale in doubt on again.
      const open = statements.oldestOpen.get(uid);
      const to = Math.max(before.to, typeof open === "number" ? open - 1 : (statements.newest.get(uid) ?? 0));
      const count = before.count + (statements.complete.get(uid, before.to, to) ?? 0);
      this.counted.set(uid, { provenTo, to, count });
      return count + (typeof open === "number" ? (statements.complete.get(uid, to, NO_END) ?? 0) : 0);
    });
  }

  /** Id of the newest complete sale of a card; 0 if there is none. @throws LedgerError */
  async newest(uid: string): Promise<number> {
    return this.access.read(() => this.statements.newest.get(uid) ?? 0);
  }

  /**
   * Returns the next complete sale of a card. It returns none after a sale in doubt, because the sale in doubt may
   * become complete.
   * @param after id of an entry
   * @throws LedgerError
   */
  async nextSale(uid: string, after: number): Promise<Entry | undefined> {
    return this.access.read(() => {
      const before = this.statements.oldestOpen.get(uid) ?? NO_END;
      return entryOf(this.statements.nextSale.get({ uid, after, before }));
    });
  }

  /**
   * Unverified packages that no proof covers, oldest first.
   * @param most maximum number of packages
   * @throws LedgerError
   */
  async unverified(uid: string, most: number): Promise<readonly UnverifiedPackage[]> {
    return this.access.read(() => this.statements.unverified.all(uid, most));
  }

  /**
   * Returns the package that waits longest to be sent again, or undefined if none is due. A package is due a minute
   * after it was sent for the first time, and an hour after each further time.
   * @throws LedgerError
   */
  async nextToRepeat(uid: string, now: EpochMs): Promise<UnverifiedPackage | undefined> {
    return this.access.read(() => this.statements.nextToRepeat.get({ uid, now, ...REPEAT_MS }));
  }

  /**
   * Returns the sales of every card that were reported as `behind` and that no proof covers, the oldest report first. A
   * proof covers such sales if an audit that was started after the report has ended.
   * @throws LedgerError
   */
  async missing(): Promise<readonly MissingSales[]> {
    return this.access.read(() => this.statements.missing.all({ all: 1 }));
  }

  /** Those of {@link missing} that no person has confirmed, or that an open audit needs. @throws LedgerError */
  async missed(): Promise<readonly MissingSales[]> {
    return this.access.read(() => this.statements.missing.all({ all: 0 }));
  }

  /** UIDs of the cards with complete sales in the store, sorted. @throws LedgerError */
  async cards(): Promise<readonly string[]> {
    return this.access.read(() => this.statements.cards.all());
  }

  /**
   * The tax authority's key as the card exports it, 259 bytes; undefined if the key was never read.
   * @throws LedgerError
   */
  async authorityKey(uid: string): Promise<Uint8Array | undefined> {
    return this.access.read(() => this.statements.authorityKey.get(uid) ?? undefined);
  }

  private progressOf(uid: string): AuditProgress {
    const row = this.statements.progress.get(uid);
    if (!row) {
      // Either nothing was sent yet, or the row is damaged: send again all that no proof covers.
      const provenTo = this.statements.provenTo.get({ uid }) ?? 0;
      return { sentTo: provenTo, provenTo, last: null, wrong: 0, lastWrong: null, refused: [], onStick: 0 };
    }
    const { last, lastWrong, refused } = row;
    return { ...row, last: jsonIn(last), lastWrong: jsonIn(lastWrong), refused: jsonIn(refused) ?? [] };
  }

  private apply(change: AuditChange): void {
    const { statements } = this;
    switch (change.kind) {
      case "started":
        this.start(change.audit);
        return;
      case "requested":
        this.one(statements.requested.run({ id: change.id, at: change.at }), change.id);
        statements.sealAudit.run({ id: change.id });
        return;
      case "proof-sent":
        this.one(statements.proofSent.run({ id: change.id, proofSent: change.proofSent ? 1 : 0 }), change.id);
        statements.sealAudit.run({ id: change.id });
        return;
      case "closed": {
        const { id, at, outcome } = change;
        this.one(statements.closed.run({ id, at, outcome }), id);
        statements.sealAudit.run({ id });
        if (outcome === "ended") this.progressing(statements.uidOf.get(id) ?? "", () => this.prove(id));
        return;
      }
      case "sent": {
        const { uid, verdict, judged } = change;
        const { entry } = verdict;
        this.progressing(uid, () => {
          statements.sent.run({ uid, entry, verdict: JSON.stringify(verdict), wrong: judged === "wrong" ? 1 : 0 });
          statements.seal.run({ uid });
          this.settle(uid, (refusal) => refusal.entry === entry);
        });
        if (judged === "verified") statements.verified.run(uid, entry);
        else statements.judged.run({ uid, ...verdict });
        return;
      }
      case "refused": {
        const { uid, refusal } = change;
        const { entry } = refusal;
        this.progressing(uid, () =>
          this.refuse(uid, refusalsWith(this.progressOf(uid).refused, entry, refusal), entry),
        );
        statements.verified.run(uid, entry);
        return;
      }
      case "on-stick":
        this.progressing(change.uid, () => {
          statements.onStick.run({ uid: change.uid, entry: change.entry });
          statements.seal.run({ uid: change.uid });
        });
        return;
      case "key":
        this.progressing(change.uid, () => void statements.key.run({ uid: change.uid, key: change.key }));
    }
  }

  private start({ uid, startedAt, request, sum, limit, covers }: NewAudit): void {
    const { statements } = this;
    const open = statements.openAudit.get(uid);
    statements.supersede.run(startedAt, uid);
    // Only an intact audit gets a new checksum. A new checksum on a damaged audit would hide the damage.
    if (open) statements.sealAudit.run({ id: open.id });
    const audit = { uid, startedAt, request, covers, sum: String(sum), limit: String(limit) };
    const { lastInsertRowid } = statements.started.run(audit);
    statements.sealAudit.run({ id: lastInsertRowid });
  }

  /** Changes the progress of a card. Before that, replaces a damaged row by what the audits still prove. */
  private progressing(uid: string, change: () => void): void {
    const { statements } = this;
    statements.remove.run({ uid });
    statements.mend.run({ uid });
    statements.seal.run({ uid });
    change();
    statements.seal.run({ uid });
  }

  /** Records that the sales of an audit are proven, and removes them from the refused and the unverified packages. */
  private prove(id: number): void {
    const { uid = "", covers = 0 } = this.statements.proven.get({ id }) ?? {};
    this.statements.seal.run({ uid });
    this.settle(uid, ({ entry }) => entry <= covers);
    this.statements.covered.run(uid, covers);
  }

  private settle(uid: string, isSettled: (refusal: Refusal) => boolean): void {
    const { refused } = this.progressOf(uid);
    if (!refused.some(isSettled)) return;
    this.refuse(
      uid,
      refused.filter((refusal) => !isSettled(refusal)),
    );
  }

  /** @param sentTo id of an entry */
  private refuse(uid: string, refused: readonly Refusal[], sentTo = 0): void {
    this.statements.refused.run({ uid, sentTo, refused: JSON.stringify(refused) });
  }

  private one({ changes }: { changes: number }, id: number): void {
    if (changes !== 1) throw this.access.missing(`open audit ${id}`);
  }
}

function auditOf(row: AuditRow | undefined): Audit | undefined {
  return row && { ...row, sum: BigInt(row.sum), limit: BigInt(row.limit), proofSent: row.proofSent === 1 };
}

/** Parses the JSON of a row. Returns null if the JSON cannot be read, although the checksum of the row is right. */
function jsonIn<T extends PackageVerdict | readonly Refusal[]>(json: string | null): T | null {
  try {
    return json === null ? null : (JSON.parse(json) as T);
  } catch {
    return null;
  }
}
