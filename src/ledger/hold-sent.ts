/**
 * Takes out of a restored store what needs a person's yes: a backup is a file that any program may have changed. Notes
 * that the cards may have signed more than the store has.
 */
import { AUTHORITY_SQL, type NewCommand, type NewSent } from "./authority-ledger.js";
import { addRowChecksum, sealIn, unsealedIn } from "./row-checksums.js";
import { openDatabase } from "./sqlite.js";

/** What a restored store may use. */
export interface Allowed {
  /** Rates and parameters of all cards, in the order of sending. */
  readonly sent: readonly NewSent[];
  /** Set rates and parameters of the backup after a yes, in their order. */
  readonly commands: readonly NewCommand[];
  /** UIDs of the cards for which all that the backup says about audits counts. */
  readonly trusted: readonly string[];
  /** Checksums, in hex, of the audits of other cards that count. */
  readonly audits: readonly string[];
  /** Up to which entry the sales of other cards count as sent and proven. */
  readonly proven: readonly { readonly uid: string; readonly provenTo: number }[];
}

const IS_OTHER = "uid NOT IN (SELECT value FROM json_each(@trusted))";
const KEEP_AUDITS = [
  `DELETE FROM audit_progress WHERE ${IS_OTHER}`,
  `DELETE FROM unverified_packages WHERE ${IS_OTHER}`,
  `DELETE FROM audits WHERE ${IS_OTHER} AND hex(checksum) NOT IN (SELECT value FROM json_each(@audits))`,
];
const PROVEN = "INSERT INTO audit_progress (uid, sent_to, proven_to) VALUES (@uid, @provenTo, @provenTo)";

/** @param file the store, which no service uses */
export function holdSent(file: string, { sent, commands, trusted, audits, proven }: Allowed): void {
  const db = openDatabase(file);
  try {
    addRowChecksum(db);
    const run = (sql: string, values: object) => db.prepare<[object]>(sql).run(values);
    db.transaction(() => {
      // The list of what a backup brings has no commands, so those that are not executed wait, too.
      db.exec(
        `UPDATE authority_commands SET from_file = 1, needs_yes = 1, checksum = ${unsealedIn("authority_commands")}
          WHERE outcome IS NULL AND type NOT IN (5, 8)`,
      );
      db.exec(`UPDATE cards SET restored = 1, checksum = ${unsealedIn("cards")}; DELETE FROM authority_state`);
      for (const command of commands) run(AUTHORITY_SQL.received, { ...command, fromFile: 1, needsYes: 1 });
      for (const one of sent) run(AUTHORITY_SQL.sent, one);
      const kept = { trusted: JSON.stringify(trusted), audits: JSON.stringify(audits) };
      for (const sql of KEEP_AUDITS) run(sql, kept);
      for (const card of proven) run(PROVEN, card);
      for (const table of ["cards", "authority_commands", "authority_state", "audit_progress"] as const) {
        db.exec(sealIn(table));
      }
    }).immediate();
  } finally {
    db.close();
  }
}
