/** Keeps the audits in the ledger's SQLite file. The ledger's lock protects them too. */
import type { EpochMs } from "../base/epoch-ms.js";
import {
  type Audit,
  type AuditChange,
  type AuditProgress,
  type MissingSales,
  type NewAudit,
  type NotReached,
  type PackageRefusal,
  type PackageVerdict,
  REPEAT_MS,
  type UnverifiedPackage,
} from "./audits.js";
import type { Entry } from "./ledger.js";
import { INTACT_AUDIT, INTACT_PROGRESS, PROGRESS_SQL, sealIn, unsealedIn } from "./row-checksums.js";
import { ENTRIES } from "./sql.js";
import type { SqliteAccess } from "./sqlite-access.js";
import { Statements } from "./statements.js";
import { entryOf, type StoredEntry } from "./stored-entry.js";

export * from "./audits.js";

/** A number above every id. */
const NO_END = Number.MAX_SAFE_INTEGER;

const AUDITS = `SELECT id, uid, started_at AS startedAt, request, sum, "limit", covers, requested_at AS requestedAt,
  asked AS proofSent, ended_at AS endedAt, outcome FROM audits`;
const OPEN = `id = @id AND outcome IS NULL AND ${INTACT_AUDIT} RETURNING uid, covers`;
const UNVERIFIED = "SELECT entry, number, status, tries, at FROM unverified_packages";

const SQL = {
  ...PROGRESS_SQL,
  supersede: "UPDATE audits SET outcome = 'superseded', ended_at = ? WHERE uid = ? AND outcome IS NULL",
  started: `INSERT INTO audits (uid, started_at, request, sum, "limit", covers)
    VALUES (@uid, @startedAt, @request, @sum, @limit, @covers)`,
  requested: `UPDATE audits SET requested_at = @at WHERE ${OPEN}`,
  proofSent: `UPDATE audits SET asked = @proofSent WHERE ${OPEN}`,
  closed: `UPDATE audits SET outcome = @outcome, ended_at = @at WHERE ${OPEN}`,
  openAudit: `${AUDITS} WHERE uid = ? AND outcome IS NULL AND ${INTACT_AUDIT}`,
  // A damaged row that may be the open audit: by the index on open ones, and the newest.
  damagedAudit: `SELECT EXISTS (SELECT 1 FROM audits WHERE uid = @uid AND NOT ${INTACT_AUDIT}
    AND (outcome IS NULL OR id = (SELECT max(id) FROM audits WHERE uid = @uid)))`,
  lastAudit: `${AUDITS} WHERE uid = ? AND ${INTACT_AUDIT} ORDER BY id DESC LIMIT 1`,
  judged: `INSERT INTO unverified_packages (uid, entry, number, status, tries, at)
      VALUES (@uid, @entry, @number, @status, 1, @at)
    ON CONFLICT (uid, entry) DO UPDATE
      SET status = @status, tries = tries + 1, at = @at, checksum = ${unsealedIn("unverified_packages")}`,
  sealPackages: sealIn("unverified_packages"),
  verified: "DELETE FROM unverified_packages WHERE uid = ? AND entry = ?",
  covered: "DELETE FROM unverified_packages WHERE uid = ? AND entry <= ?",
  unverified: `${UNVERIFIED} WHERE uid = ? ORDER BY entry LIMIT ?`,
  // A time in the future means that the clock was set back: repeat the package then too.
  nextToRepeat: `${UNVERIFIED} WHERE uid = @uid AND status IN (0, 1)
    AND (at > @now OR at <= @now - iif(tries = 1, @first, @later)) ORDER BY at LIMIT 1`,
  progress: `SELECT sent_to AS sentTo, proven_to AS provenTo, last, wrong, last_wrong AS lastWrong, refused,
    on_stick AS onStick FROM audit_progress WHERE uid = ? AND ${INTACT_PROGRESS}`,
  setProgress: `UPDATE audit_progress SET sent_to = @sentTo, proven_to = @provenTo, last = @last, wrong = @wrong,
    last_wrong = @lastWrong, refused = @refused, on_stick = @onStick, authority_key = coalesce(@key, authority_key)
    WHERE uid = @uid`,
  authorityKey: `SELECT authority_key FROM audit_progress WHERE uid = ? AND ${INTACT_PROGRESS}`,
  newest: "SELECT coalesce(max(id), 0) FROM invoices WHERE uid = ? AND state = 'complete'",
  oldestOpen: "SELECT min(id) FROM invoices WHERE uid = ? AND state = 'intent'",
  complete: "SELECT count(*) FROM invoices WHERE uid = ? AND state = 'complete' AND id > ? AND id <= ?",
  nextSale: `${ENTRIES} WHERE uid = @uid AND state = 'complete' AND id > @after AND id < @before ORDER BY id LIMIT 1`,
  missing: `SELECT uid, from_counter AS "from", to_counter AS "to" FROM reports AS report
    WHERE kind = 'behind' AND from_counter IS NOT NULL AND to_counter IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM audits WHERE audits.uid = report.uid AND outcome = 'ended' AND started_at >= report.at)
      AND (@all OR confirmed_at IS NULL OR EXISTS (
        SELECT 1 FROM audits WHERE audits.uid = report.uid AND outcome IS NULL))
    ORDER BY id`,
  waiting: `${ENTRIES} WHERE uid = ? AND state IN ('intent', 'complete') AND id > ?
    ORDER BY id LIMIT 1000`,
  withoutPackage: "SELECT entry FROM unverified_packages WHERE uid = ? AND status IS NULL",
  signedAt: "SELECT time FROM invoices WHERE id = ?",
  uids: "SELECT uid FROM invoices UNION SELECT uid FROM cards",
  restored: "SELECT uid FROM cards WHERE restored = 1",
  unexplained: `SELECT from_counter FROM reports AS report WHERE kind IN ('lost', 'unproven') AND confirmed_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM audits WHERE audits.uid = report.uid AND outcome = 'ended' AND started_at >= report.at)
    ORDER BY id`,
  // Finds the UID of each next card through the index, without reading every sale.
  cards: `WITH RECURSIVE card (uid) AS (
      SELECT min(uid) FROM invoices WHERE state = 'complete'
      UNION ALL
      SELECT (SELECT min(uid) FROM invoices WHERE state = 'complete' AND uid > card.uid) FROM card WHERE card.uid IS NOT NULL
    ) SELECT uid FROM card WHERE uid IS NOT NULL`,
};

type AuditRow = Omit<Audit, "sum" | "limit" | "proofSent"> & {
  readonly sum: string;
  readonly limit: string;
  readonly proofSent: number;
};

type ProgressRow = Omit<AuditProgress, "last" | "lastWrong" | "refused"> & {
  readonly last: string | null;
  readonly lastWrong: string | null;
  readonly refused: string;
};

/** Each call throws a LedgerError if the store fails. */
export class AuditLedger {
  private readonly statements;
  /** By UID: `count` complete sales are after `provenTo`, up to `to`. No sale up to `to` is open any more. */
  private readonly counted = new Map<string, { provenTo: number; to: number; count: number }>();

  constructor(private readonly access: SqliteAccess) {
    this.statements = new Statements(access.db, SQL);
  }

  /**
   * Writes all changes or none; they are on the disk when the promise resolves. A change of an audit that is not open
   * fails as "damaged", because the store contradicts the caller.
   */
  commit(changes: readonly AuditChange[]): Promise<void> {
    return this.access.commit(() => {
      for (const change of changes) this.apply(change);
    });
  }

  async openAudit(uid: string): Promise<Audit | undefined> {
    return this.access.read(() => auditOf(this.statements.get("openAudit", uid)));
  }

  /** Whether the open audit, or the last one, is damaged: then it is not known whether an audit is open. */
  async isAuditDamaged(uid: string): Promise<boolean> {
    return this.access.read(() => this.statements.value("damagedAudit", { uid }) === 1);
  }

  /** The audit that was started last, open or not. */
  async lastAudit(uid: string): Promise<Audit | undefined> {
    return this.access.read(() => auditOf(this.statements.get("lastAudit", uid)));
  }

  async progress(uid: string): Promise<AuditProgress> {
    return this.access.read(() => this.progressOf(uid));
  }

  /** Number of complete sales without a proof. Each call reads only the sales since the last call. */
  async unsent(uid: string): Promise<number> {
    return this.access.read(() => {
      const { statements } = this;
      const { provenTo } = this.progressOf(uid);
      const known = this.counted.get(uid);
      const before = known?.provenTo === provenTo ? known : { provenTo, to: provenTo, count: 0 };
      // A sale in doubt may become complete: the next call counts from the oldest sale in doubt on again.
      const open = statements.value<number | null>("oldestOpen", uid);
      const to = Math.max(before.to, typeof open === "number" ? open - 1 : (statements.value("newest", uid) ?? 0));
      const count = before.count + (statements.value<number>("complete", uid, before.to, to) ?? 0);
      this.counted.set(uid, { provenTo, to, count });
      return count + (typeof open === "number" ? (statements.value<number>("complete", uid, to, NO_END) ?? 0) : 0);
    });
  }

  /** Id of the newest complete sale of a card; 0 if there is none. */
  async newest(uid: string): Promise<number> {
    return this.access.read(() => this.statements.value("newest", uid) ?? 0);
  }

  /**
   * Returns the next complete sale of a card. It returns none after a sale in doubt, because the sale in doubt may
   * become complete.
   * @param after id of an entry
   */
  async nextSale(uid: string, after: number): Promise<Entry | undefined> {
    return this.access.read(() => {
      const before = this.statements.value<number | null>("oldestOpen", uid) ?? NO_END;
      return entryOf(this.statements.get<StoredEntry>("nextSale", { uid, after, before }));
    });
  }

  /** Unverified packages that no proof covers, oldest first. @param most maximum number of packages */
  async unverified(uid: string, most: number): Promise<readonly UnverifiedPackage[]> {
    return this.access.read(() => this.statements.all<UnverifiedPackage>("unverified", uid, most));
  }

  /**
   * Returns the package that waits longest to be sent again, or undefined if none is due. A package is due a minute
   * after it was sent for the first time, and an hour after each further time.
   */
  async nextToRepeat(uid: string, now: EpochMs): Promise<UnverifiedPackage | undefined> {
    return this.access.read(() => this.statements.get("nextToRepeat", { uid, now, ...REPEAT_MS }));
  }

  /**
   * Returns the sales of every card that were reported as `behind` and that no proof covers, the oldest report first. A
   * proof covers such sales if an audit that was started after the report has ended.
   */
  async missing(): Promise<readonly MissingSales[]> {
    return this.access.read(() => this.statements.all<MissingSales>("missing", { all: 1 }));
  }

  /** Those of {@link missing} that no person has confirmed, or that an open audit needs. */
  async missed(): Promise<readonly MissingSales[]> {
    return this.access.read(() => this.statements.all<MissingSales>("missing", { all: 0 }));
  }

  /** Whether no package can be made of a sale that no proof covers, because it is damaged. */
  async isPackageMissing(uid: string): Promise<boolean> {
    return this.access.read(() => this.statements.values("withoutPackage", uid).length > 0);
  }

  /** The receipts that the authority may not have. Reads each receipt that no proof covers. */
  async notReached(): Promise<NotReached> {
    return this.access.read(() => {
      const { statements } = this;
      let waiting = 0;
      const oldest: Entry[] = [];
      const damaged: Entry[] = [];
      let inDoubt = 0;
      for (const uid of statements.values<string>("uids")) {
        const { sentTo, provenTo, onStick, refused } = this.progressOf(uid);
        const leftOut = new Set(statements.values<number>("withoutPackage", uid));
        const isRefused = (id: number) => refused.some(({ entry }) => entry === id);
        let waits = 0;
        let rows = statements.all<StoredEntry>("waiting", uid, provenTo);
        while (rows.length > 0) {
          for (const entry of rows.map((row) => entryOf(row))) {
            const { id, state, intact } = entry;
            if (state === "intent") inDoubt++;
            else if (leftOut.has(id) || (!intact && (id > sentTo || isRefused(id)))) damaged.push(entry);
            else if (id > onStick && (id > sentTo || isRefused(id)) && waits++ === 0) oldest.push(entry);
          }
          rows = statements.all("waiting", uid, rows.at(-1)?.id);
        }
        waiting += waits;
      }
      return {
        waiting,
        oldest,
        damaged,
        inDoubt,
        missing: statements.all<MissingSales>("missing", { all: 0 }),
        unsigned: statements.values<number | null>("unexplained"),
        restored: statements.values<string>("restored"),
      };
    });
  }

  /** When the card signed an entry, as the column of the signed header says; undefined if that is damaged. */
  async signedAt(id: number): Promise<EpochMs | undefined> {
    return this.access.read(() => this.statements.value<EpochMs | null>("signedAt", id) ?? undefined);
  }

  /** UIDs of the cards with complete sales in the store, sorted. */
  async cards(): Promise<readonly string[]> {
    return this.access.read(() => this.statements.values<string>("cards"));
  }

  /** The tax authority's key as the card exports it, 259 bytes; undefined if the key was never read. */
  async authorityKey(uid: string): Promise<Uint8Array | undefined> {
    return this.access.read(() => this.statements.value<Uint8Array | null>("authorityKey", uid) ?? undefined);
  }

  private progressOf(uid: string): AuditProgress {
    const row = this.statements.get<ProgressRow>("progress", uid);
    if (!row) {
      // Either nothing was sent yet, or the row is damaged: send again all that no proof covers.
      const provenTo = this.statements.value<number>("provenTo", { uid }) ?? 0;
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
        this.changeOpen("requested", { id: change.id, at: change.at });
        return;
      case "proof-sent":
        this.changeOpen("proofSent", { id: change.id, proofSent: change.proofSent ? 1 : 0 });
        return;
      case "closed": {
        const { id, at, outcome } = change;
        const { uid, covers } = this.changeOpen("closed", { id, at, outcome });
        if (outcome !== "ended") return;
        // Proven sales count as sent, because they need not be sent any more.
        this.advance(uid, ({ sentTo, provenTo, refused }) => ({
          sentTo: Math.max(sentTo, covers),
          provenTo: Math.max(provenTo, covers),
          refused: refused.filter(({ entry }) => entry > covers),
        }));
        statements.run("covered", uid, covers);
        return;
      }
      case "sent": {
        const { uid, verdict, judged } = change;
        const { entry } = verdict;
        this.advance(uid, ({ sentTo, wrong, lastWrong, refused }) => ({
          sentTo: Math.max(sentTo, entry),
          last: verdict,
          ...(judged === "wrong" ? { wrong: wrong + 1, lastWrong: verdict } : { wrong, lastWrong }),
          refused: refused.filter((refusal) => refusal.entry !== entry),
        }));
        if (judged === "verified") statements.run("verified", uid, entry);
        else {
          statements.run("judged", { uid, ...verdict });
          statements.run("sealPackages");
        }
        return;
      }
      case "refused": {
        const { uid, refusal } = change;
        const { entry } = refusal;
        this.advance(uid, ({ sentTo, refused }) => ({
          sentTo: Math.max(sentTo, entry),
          refused: [...refused.filter((one) => one.entry !== entry), refusal].toSorted((a, b) => a.entry - b.entry),
        }));
        statements.run("verified", uid, entry);
        return;
      }
      case "on-stick":
        this.advance(change.uid, ({ onStick }) => ({ onStick: Math.max(onStick, change.entry) }));
        return;
      case "key":
        this.advance(change.uid, () => ({}), change.key);
    }
  }

  private start({ sum, limit, ...audit }: NewAudit): void {
    const { statements } = this;
    const open = statements.get<AuditRow>("openAudit", audit.uid);
    statements.run("supersede", audit.startedAt, audit.uid);
    // Only an intact audit gets a new checksum. A new checksum on a damaged audit would hide the damage.
    if (open) statements.run("sealAudit", { id: open.id });
    const { lastInsertRowid: id } = statements.run("started", { ...audit, sum: String(sum), limit: String(limit) });
    statements.run("sealAudit", { id });
  }

  private changeOpen(
    change: "requested" | "proofSent" | "closed",
    values: { readonly id: number; readonly [name: string]: number | string | null },
  ): Pick<NewAudit, "uid" | "covers"> {
    const audit = this.statements.get<Pick<NewAudit, "uid" | "covers">>(change, values);
    if (!audit) throw this.access.missing(`open audit ${values.id}`);
    this.statements.run("sealAudit", { id: values.id });
    return audit;
  }

  /** Changes the progress of a card. A damaged row is replaced by what the audits still prove. */
  private advance(uid: string, changed: (before: AuditProgress) => Partial<AuditProgress>, key?: Uint8Array): void {
    const { statements } = this;
    statements.run("remove", { uid });
    statements.run("mend", { uid });
    const before = this.progressOf(uid);
    const { last, lastWrong, refused, ...numbers } = { ...before, ...changed(before) };
    const texts = { last: jsonOf(last), lastWrong: jsonOf(lastWrong), refused: JSON.stringify(refused) };
    statements.run("setProgress", { uid, key, ...numbers, ...texts });
    statements.run("seal", { uid });
  }
}

function auditOf(row: AuditRow | undefined): Audit | undefined {
  return row && { ...row, sum: BigInt(row.sum), limit: BigInt(row.limit), proofSent: row.proofSent === 1 };
}

function jsonOf(verdict: PackageVerdict | null): string | null {
  return verdict && JSON.stringify(verdict);
}

/** Parses the JSON of a row. Returns null if the JSON cannot be read, although the checksum of the row is right. */
function jsonIn<T extends PackageVerdict | readonly PackageRefusal[]>(json: string | null): T | null {
  try {
    return json === null ? null : (JSON.parse(json) as T);
  } catch {
    return null;
  }
}
