/**
 * Takes rates and parameters of a restored store out of force, so that they wait for a person's yes, and notes that the
 * cards may have signed more than the store has.
 */
import { AUTHORITY_SQL, type NewCommand } from "./authority-ledger.js";
import { addRowChecksum, sealIn, unsealedIn } from "./row-checksums.js";
import { openDatabase } from "./sqlite.js";

/**
 * @param file the store, which no service uses
 * @param uids cards whose values are not in force any more; groups of files that ended before `now` stay
 * @param commands set the same values after a yes, in their order
 */
export function holdSent(file: string, uids: readonly string[], commands: readonly NewCommand[], now: number): void {
  const db = openDatabase(file);
  try {
    addRowChecksum(db);
    const remove = db.prepare<[string, number]>(
      "DELETE FROM authority_state WHERE uid = ? AND NOT (file_until IS NOT NULL AND file_until <= ?)",
    );
    const add = db.prepare<[object]>(AUTHORITY_SQL.received);
    db.transaction(() => {
      // The list of what a backup brings has no commands, so those that are not executed wait, too.
      db.exec(
        `UPDATE authority_commands SET from_file = 1, needs_yes = 1, checksum = ${unsealedIn("authority_commands")}
          WHERE outcome IS NULL AND type NOT IN (5, 8)`,
      );
      db.exec(`UPDATE cards SET restored = 1, checksum = ${unsealedIn("cards")}; ${sealIn("cards")}`);
      for (const uid of uids) remove.run(uid, now);
      for (const command of commands) add.run({ ...command, fromFile: 1, needsYes: 1 });
      db.exec(sealIn("authority_commands"));
    }).immediate();
  } finally {
    db.close();
  }
}
