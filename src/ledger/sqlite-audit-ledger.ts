/** Keeps the audits in the ledger's SQLite file. The ledger's lock protects them too. */
import {
  type Audit,
  type AuditChange,
  type AuditLedger,
  type AuditOutcome,
  type AuditProgress,
  type MissingSales,
  type NewAudit,
  type PackageVerdict,
  REPEAT_MS,
  type Refusal,
  refusalsWith,
  type UnverifiedPackage,
} from "./audit-ledger.js";
import { INTACT_AUDIT, INTACT_PROGRESS, PROGRESS_SQL } from "./audit-rows.js";
import { LateStatements } from "./late-statements.js";
import type { Entry } from "./ledger.js";
import { SQL as ENTRIES } from "./sql.js";
import type { SqliteAccess } from "./sqlite-access.js";
import { entryOf, type StoredEntry } from "./stored-entry.js";

const AUDITS = `SELECT id, uid, started_at AS startedAt, request, sum, "limit", covers, requested_at AS requestedAt,
  asked AS proofSent, ended_at AS endedAt, outcome FROM audits`;

const UNVERIFIED = "SELECT entry, number, status, tries, at FROM unverified_packages";

const SQL = {
  supersede: "UPDATE audits SET outcome = 'superseded', ended_at = ? WHERE uid = ? AND outcome IS NULL",
  started: `INSERT INTO audits (uid, started_at, request, sum, "limit", covers)
    VALUES (@uid, @startedAt, @request, @sum, @limit, @covers)`,
  requested: `UPDATE audits SET requested_at = @at WHERE id = @id AND outcome IS NULL AND ${INTACT_AUDIT}`,
  proofSent: `UPDATE audits SET asked = @proofSent WHERE id = @id AND outcome IS NULL AND ${INTACT_AUDIT}`,
  closed: `UPDATE audits SET outcome = @outcome, ended_at = @at WHERE id = @id AND outcome IS NULL AND ${INTACT_AUDIT}`,
  // Proven sales count as sent, because they need not be sent any more.
  proven: `INSERT INTO audit_progress (uid, sent_to, proven_to)
      SELECT uid, covers, covers FROM audits WHERE id = @id
    ON CONFLICT (uid) DO UPDATE SET sent_to = max(sent_to, excluded.sent_to), proven_to = max(proven_to, excluded.proven_to)
    RETURNING uid, (SELECT covers FROM audits WHERE id = @id) AS covers`,
  sent: `INSERT INTO audit_progress (uid, sent_to, last, wrong, last_wrong)
      VALUES (@uid, @entry, @verdict, @wrong, iif(@wrong, @verdict, NULL))
    ON CONFLICT (uid) DO UPDATE SET sent_to = max(sent_to, @entry), last = @verdict, wrong = wrong + @wrong,
      last_wrong = iif(@wrong, @verdict, last_wrong)`,
  refused: `INSERT INTO audit_progress (uid, sent_to, refused) VALUES (@uid, @sentTo, @refused)
    ON CONFLICT (uid) DO UPDATE SET sent_to = max(sent_to, @sentTo), refused = @refused`,
  key: `INSERT INTO audit_progress (uid, authority_key) VALUES (@uid, @key)
    ON CONFLICT (uid) DO UPDATE SET authority_key = @key`,
  openAudit: `${AUDITS} WHERE uid = ? AND outcome IS NULL AND ${INTACT_AUDIT}`,
  lastAudit: `${AUDITS} WHERE uid = ? AND ${INTACT_AUDIT} ORDER BY id DESC LIMIT 1`,
  judged: `INSERT INTO unverified_packages (uid, entry, number, status, tries, at)
      VALUES (@uid, @entry, @number, @status, 1, @at)
    ON CONFLICT (uid, entry) DO UPDATE SET status = @status, tries = tries + 1, at = @at`,
  verified: "DELETE FROM unverified_packages WHERE uid = ? AND entry = ?",
  covered: "DELETE FROM unverified_packages WHERE uid = ? AND entry <= ?",
  unverified: `${UNVERIFIED} WHERE uid = ? ORDER BY entry LIMIT ?`,
  // A time in the future means that the clock was set back: repeat the package then too.
  nextToRepeat: `${UNVERIFIED} WHERE uid = @uid AND status IN (0, 1)
      AND (at > @now OR at <= @now - iif(tries = 1, @first, @later))
    ORDER BY at LIMIT 1`,
  onStick: `INSERT INTO audit_progress (uid, on_stick) VALUES (@uid, @entry)
    ON CONFLICT (uid) DO UPDATE SET on_stick = max(on_stick, @entry)`,
  progress: `SELECT sent_to AS sentTo, proven_to AS provenTo, last, wrong, last_wrong AS lastWrong, refused,
      on_stick AS onStick
    FROM audit_progress
    WHERE uid = ? AND ${INTACT_PROGRESS}`,
  authorityKey: `SELECT authority_key FROM audit_progress WHERE uid = ? AND ${INTACT_PROGRESS}`,
  uidOf: "SELECT uid FROM audits WHERE id = ?",
  newest: "SELECT coalesce(max(id), 0) FROM invoices WHERE uid = ? AND state = 'complete'",
  oldestOpen: "SELECT min(id) FROM invoices WHERE uid = ? AND state = 'intent'",
  complete: "SELECT count(*) FROM invoices WHERE uid = ? AND state = 'complete' AND id > ? AND id <= ?",
  nextSale: `${ENTRIES.entries} WHERE uid = @uid AND state = 'complete' AND id > @after AND id < @before ORDER BY id LIMIT 1`,
  missing: `SELECT uid, from_counter AS "from", to_counter AS "to" FROM reports AS report
    WHERE kind = 'behind' AND from_counter IS NOT NULL AND to_counter IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM audits WHERE audits.uid = report.uid AND outcome = 'ended' AND started_at >= report.at)
    ORDER BY id`,
  // Finds the UID of each next card through the index, without reading every sale.
  cards: `WITH RECURSIVE card (uid) AS (
      SELECT min(uid) FROM invoices WHERE state = 'complete'
      UNION ALL
      SELECT (SELECT min(uid) FROM invoices WHERE state = 'complete' AND uid > card.uid) FROM card WHERE card.uid IS NOT NULL
    ) SELECT uid FROM card WHERE uid IS NOT NULL`,
};

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

export class SqliteAuditLedger implements AuditLedger {
  private readonly statements;
  private readonly counted = new Map<string, Counted>();

  constructor(private readonly access: Pick<SqliteAccess, "db" | "read" | "commit" | "missing">) {
    const db = new LateStatements(access.db);
    this.statements = {
      supersede: db.prepare<[number, string]>(SQL.supersede),
      started: db.prepare<[object]>(SQL.started),
      requested: db.prepare<[object]>(SQL.requested),
      proofSent: db.prepare<[object]>(SQL.proofSent),
      closed: db.prepare<[object]>(SQL.closed),
      proven: db.prepare<[object], { uid: string; covers: number }>(SQL.proven),
      sent: db.prepare<[object]>(SQL.sent),
      refused: db.prepare<[object]>(SQL.refused),
      key: db.prepare<[object]>(SQL.key),
      openAudit: db.prepare<[string], AuditRow>(SQL.openAudit),
      lastAudit: db.prepare<[string], AuditRow>(SQL.lastAudit),
      judged: db.prepare<[object]>(SQL.judged),
      verified: db.prepare<[string, number]>(SQL.verified),
      covered: db.prepare<[string, number]>(SQL.covered),
      unverified: db.prepare<[string, number], UnverifiedPackage>(SQL.unverified),
      nextToRepeat: db.prepare<[object], UnverifiedPackage>(SQL.nextToRepeat),
      onStick: db.prepare<[object]>(SQL.onStick),
      progress: db.prepare<[string], ProgressRow>(SQL.progress),
      provenTo: db.prepare<[object], number>(PROGRESS_SQL.provenTo).pluck(),
      remove: db.prepare<[object]>(PROGRESS_SQL.remove),
      mend: db.prepare<[object]>(PROGRESS_SQL.mend),
      seal: db.prepare<[object]>(PROGRESS_SQL.seal),
      sealAudit: db.prepare<[object]>(PROGRESS_SQL.sealAudit),
      uidOf: db.prepare<[number], string>(SQL.uidOf).pluck(),
      authorityKey: db.prepare<[string], Uint8Array | null>(SQL.authorityKey).pluck(),
      newest: db.prepare<[string], number>(SQL.newest).pluck(),
      oldestOpen: db.prepare<[string], number | null>(SQL.oldestOpen).pluck(),
      complete: db.prepare<[string, number, number], number>(SQL.complete).pluck(),
      nextSale: db.prepare<[object], StoredEntry>(SQL.nextSale),
      missing: db.prepare<[], MissingSales>(SQL.missing),
      cards: db.prepare<[], string>(SQL.cards).pluck(),
    };
  }

  commit(changes: readonly AuditChange[]): Promise<void> {
    return this.access.commit(() => {
      for (const change of changes) this.apply(change);
    });
  }

  async openAudit(uid: string): Promise<Audit | undefined> {
    return this.access.read(() => auditOf(this.statements.openAudit.get(uid)));
  }

  async lastAudit(uid: string): Promise<Audit | undefined> {
    return this.access.read(() => auditOf(this.statements.lastAudit.get(uid)));
  }

  async progress(uid: string): Promise<AuditProgress> {
    return this.access.read(() => this.progressOf(uid));
  }

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

  async newest(uid: string): Promise<number> {
    return this.access.read(() => this.statements.newest.get(uid) ?? 0);
  }

  async nextSale(uid: string, after: number): Promise<Entry | undefined> {
    return this.access.read(() => {
      const before = this.statements.oldestOpen.get(uid) ?? NO_END;
      return entryOf(this.statements.nextSale.get({ uid, after, before }));
    });
  }

  async unverified(uid: string, most: number): Promise<readonly UnverifiedPackage[]> {
    return this.access.read(() => this.statements.unverified.all(uid, most));
  }

  async nextToRepeat(uid: string, now: number): Promise<UnverifiedPackage | undefined> {
    return this.access.read(() => this.statements.nextToRepeat.get({ uid, now, ...REPEAT_MS }));
  }

  async missing(): Promise<readonly MissingSales[]> {
    return this.access.read(() => this.statements.missing.all());
  }

  async cards(): Promise<readonly string[]> {
    return this.access.read(() => this.statements.cards.all());
  }

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
