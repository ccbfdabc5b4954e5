/** Keeps what the tax authority sent in the ledger's SQLite file. The ledger's lock protects it too. */
import { isIntactIn, sealIn, unsealedIn } from "./row-checksums.js";
import {
  type AuthorityChange,
  KEPT_CHARACTERS,
  type MadeChange,
  MOST_FAILED,
  MOST_MADE_CHANGES,
  type NewSent,
  type OwnPin,
  type ReportedCommand,
  type Sent,
  type StoredCommand,
} from "./sent.js";
import { SQL } from "./sql.js";
import type { SqliteAccess } from "./sqlite-access.js";
import { Statements } from "./statements.js";

export * from "./sent.js";

export type StoredSent = NewSent & { readonly intact: number };

type Flag = "needsYes" | "fromFile" | "intact";
type CommandRow = Omit<StoredCommand, Flag> & Readonly<Record<Flag, number>>;

const COMMAND_CHANGED = `checksum = ${unsealedIn("authority_commands")}`;
const COMMANDS = `SELECT id, uid, command_id AS commandId, type, payload, received_at AS receivedAt,
    executed_at AS executedAt, outcome, reason, reported_at AS reportedAt, needs_yes AS needsYes,
    from_file AS fromFile, ${isIntactIn("authority_commands")} AS intact
  FROM authority_commands`;

export const AUTHORITY_SQL = {
  // A changed command gets a new id. A person's yes names the ids of the commands that were shown, so it does not
  // confirm a command that has changed since.
  replaced: `UPDATE authority_commands
    SET id = CASE WHEN type = @type AND payload = @payload THEN id ELSE (SELECT max(id) + 1 FROM authority_commands) END,
      command_id = @commandId, type = @type, payload = @payload, received_at = @receivedAt, needs_yes = @needsYes,
      from_file = @fromFile, executed_at = NULL, outcome = NULL, reason = NULL, reported_at = NULL, checksum = x''
    WHERE uid = @uid AND lower(command_id) = lower(@commandId) AND (outcome IS NULL AND needs_yes = 1
      OR outcome IS NULL AND NOT ${isIntactIn("authority_commands")}
      OR outcome = 'done' AND from_file = 1 AND @fromFile = 0 AND type NOT IN (5, 8))`,
  // Stores the last spelling of a command's id. Without the subquery, SQLite would read all commands of the card for
  // each one that arrives, because it uses no index that the UPDATE changes.
  receivedAgain: `UPDATE authority_commands SET command_id = @commandId, reported_at = NULL, ${COMMAND_CHANGED}
    WHERE id IN (SELECT id FROM authority_commands WHERE uid = @uid AND lower(command_id) = lower(@commandId))`,
  received: `INSERT INTO authority_commands (uid, command_id, type, payload, received_at, needs_yes, from_file)
    VALUES (@uid, @commandId, @type, @payload, @receivedAt, @needsYes, @fromFile)`,
  confirmed: `UPDATE authority_commands SET needs_yes = 0, ${COMMAND_CHANGED}
    WHERE id = @id AND needs_yes = 1 AND outcome IS NULL`,
  executed: `UPDATE authority_commands SET executed_at = @at, outcome = @outcome, reason = @reason,
    payload = substr(payload, 1, ${KEPT_CHARACTERS}), ${COMMAND_CHANGED} WHERE id = @id AND outcome IS NULL`,
  reported: `UPDATE authority_commands SET reported_at = @at, ${COMMAND_CHANGED}
    WHERE id = @id AND outcome IS NOT NULL AND reported_at IS NULL`,
  heldCommands: `${COMMANDS} WHERE needs_yes = 1 AND outcome IS NULL ORDER BY id`,
  openCommands: `${COMMANDS} WHERE uid = ? AND reported_at IS NULL ORDER BY id`,
  reportedCommands: `SELECT command_id AS commandId, type, outcome, reason FROM authority_commands
    WHERE uid = ? AND reported_at IS NOT NULL ORDER BY id`,
  // Reads the executed commands once, and not for each failed command: a file may have brought thousands that fail.
  failedCommands: `WITH settled AS MATERIALIZED (
      SELECT uid, type, max(id) AS id FROM authority_commands WHERE outcome = 'done' GROUP BY uid, type)
    ${COMMANDS} WHERE uid = ? AND outcome = 'failed' AND id > coalesce((
      SELECT max(settled.id) FROM settled
      WHERE settled.uid = authority_commands.uid AND settled.type IN (authority_commands.type, 5)), 0)
    ORDER BY id DESC LIMIT ${MOST_FAILED}`,
  made: "INSERT INTO made_changes (uid, at, what) VALUES (@uid, @at, @what)",
  tooOld: "DELETE FROM made_changes WHERE id <= (SELECT max(id) FROM made_changes) - ?",
  seen: `UPDATE made_changes SET seen_at = @at, checksum = ${unsealedIn("made_changes")}
    WHERE id = @id AND seen_at IS NULL`,
  madeChanges: "SELECT id, uid, at, what FROM made_changes WHERE seen_at IS NULL ORDER BY id",
  // The row gets a new id, because rows are read in the order of their ids.
  sent: `INSERT OR REPLACE INTO authority_state (id, uid, name, key, value, received_at, source, file_until)
    VALUES ((SELECT coalesce(max(id), 0) + 1 FROM authority_state), @uid, @name, @key, @value, @receivedAt, @source, @fileUntil)`,
  allSent: SQL.allSent,
  ownPin: "SELECT own_pin FROM key_pins WHERE uid = ?",
  setOwnPin: `INSERT INTO key_pins (uid, own_pin, at) VALUES (@uid, @outcome, @at)
    ON CONFLICT (uid) DO UPDATE SET own_pin = @outcome, at = @at, checksum = x''`,
  sealCommands: sealIn("authority_commands"),
  sealMade: sealIn("made_changes"),
  sealSent: sealIn("authority_state"),
  sealPins: sealIn("key_pins"),
};

/** Each call throws a LedgerError if the store fails. */
export class AuthorityLedger {
  private readonly statements;

  constructor(private readonly access: SqliteAccess) {
    this.statements = new Statements(access.db, AUTHORITY_SQL);
  }

  /**
   * Writes all changes or none; they are on the disk when the promise resolves. A change that contradicts the store
   * fails as "damaged": if a command was already executed, if a command to report is not executed or was already
   * reported, if a command to confirm needs no yes, or if a change was already seen.
   */
  commit(changes: readonly AuthorityChange[]): Promise<void> {
    return this.access.commit(() => {
      for (const change of changes) this.apply(change);
      for (const seal of SEALS) this.statements.run(seal);
    });
  }

  /** What the authority sent for every card, in the order of sending. */
  async sent(): Promise<readonly Sent[]> {
    return this.access.read(() => this.statements.all<StoredSent>("allSent").map(sentOf));
  }

  /** A card's commands that are not reported yet, in the order of arrival. */
  async openCommands(uid: string): Promise<readonly StoredCommand[]> {
    return this.access.read(() => this.statements.all<CommandRow>("openCommands", uid).map(commandOf));
  }

  /** A card's commands that are reported, in the order of arrival. */
  async reportedCommands(uid: string): Promise<readonly ReportedCommand[]> {
    return this.access.read(() => this.statements.all<ReportedCommand>("reportedCommands", uid));
  }

  /** The commands of all cards that wait for a yes, in the order of arrival. */
  async heldCommands(): Promise<readonly StoredCommand[]> {
    return this.access.read(() => this.statements.all<CommandRow>("heldCommands").map(commandOf));
  }

  /** The changes for all cards that a person has not seen, the oldest first. */
  async madeChanges(): Promise<readonly MadeChange[]> {
    return this.access.read(() => this.statements.all<MadeChange>("madeChanges"));
  }

  /**
   * A card's failed commands that still matter, newest first, at most {@link MOST_FAILED}. A failed command matters
   * until a later command of the same type, or a later proof of audit (type 5), was executed.
   */
  async failedCommands(uid: string): Promise<readonly StoredCommand[]> {
    return this.access.read(() => this.statements.all<CommandRow>("failedCommands", uid).map(commandOf));
  }

  /** What is known about the card's own PIN on its PKI applet; undefined if the PIN was never tried there. */
  async ownPin(uid: string): Promise<OwnPin | undefined> {
    return this.access.read(() => this.statements.value<OwnPin>("ownPin", uid));
  }

  private apply(change: AuthorityChange): void {
    const { statements } = this;
    switch (change.kind) {
      case "received": {
        const { fromFile } = change.command;
        const command = { ...change.command, fromFile: fromFile ? 1 : 0, needsYes: change.needsYes ? 1 : 0 };
        if (statements.run("replaced", command).changes > 0) return;
        if (statements.run("receivedAgain", command).changes === 0) statements.run("received", command);
        return;
      }
      case "confirmed":
      case "executed":
      case "reported":
      case "seen":
        if (statements.run(change.kind, { ...change }).changes === 1) return;
        throw this.access.missing(`${EXPECTED[change.kind]} ${change.id}`);
      case "made":
        statements.run("made", { ...change.made });
        statements.run("tooOld", MOST_MADE_CHANGES);
        return;
      case "sent":
        statements.run("sent", { ...change.sent });
        return;
      case "own-pin":
        statements.run("setOwnPin", { ...change });
    }
  }
}

const SEALS = ["sealCommands", "sealMade", "sealSent", "sealPins"] as const;

/** What the store must have for a change. */
const EXPECTED = {
  confirmed: "command that waits for a yes, with the id",
  executed: "command to execute, with the id",
  reported: "command to report, with the id",
  seen: "change to see, with the id",
};

function commandOf({ needsYes, fromFile, intact, ...command }: CommandRow): StoredCommand {
  return { ...command, needsYes: needsYes === 1, fromFile: fromFile === 1, intact: intact === 1 };
}

export function sentOf({ intact, ...sent }: StoredSent): Sent {
  return { ...sent, intact: intact === 1 };
}
