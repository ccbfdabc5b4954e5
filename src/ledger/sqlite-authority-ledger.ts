/** Keeps what the tax authority sent in the ledger's SQLite file. The ledger's lock protects it too. */
import { createHash } from "node:crypto";
import {
  type AuthorityChange,
  type AuthorityLedger,
  KEPT_CHARACTERS,
  type MadeChange,
  MOST_FAILED,
  MOST_MADE_CHANGES,
  type NewSent,
  type OwnPin,
  type ReportedCommand,
  type Sent,
  type StoredCommand,
} from "./authority-ledger.js";
import { LateStatements } from "./late-statements.js";
import type { SqliteAccess } from "./sqlite-access.js";

export type StoredSent = NewSent & { readonly checksum: Uint8Array };

/** Selects what the authority sent, in the order of sending. */
export const ALL_SENT = `SELECT uid, name, key, value, received_at AS receivedAt, file_until AS fileUntil, checksum
  FROM authority_state ORDER BY id`;

/**
 * Stores the last spelling of a command's id. As an UPDATE without the subquery, SQLite would read all commands of the
 * card for each one that arrives, because it uses no index that the UPDATE changes.
 */
export const RECEIVED_AGAIN = `UPDATE authority_commands SET command_id = @commandId, reported_at = NULL
  WHERE id IN (SELECT id FROM authority_commands WHERE uid = @uid AND lower(command_id) = lower(@commandId))`;

type CommandRow = Omit<StoredCommand, "needsYes" | "fromFile"> & {
  readonly needsYes: number;
  readonly fromFile: number;
};

const COMMANDS = `SELECT id, uid, command_id AS commandId, type, payload, received_at AS receivedAt,
    executed_at AS executedAt, outcome, reason, reported_at AS reportedAt, needs_yes AS needsYes,
    from_file AS fromFile
  FROM authority_commands AS command`;

/**
 * Reads the executed commands once, and not once for each failed command: a file may have brought thousands that fail.
 */
export const FAILED_COMMANDS = `WITH settled AS MATERIALIZED (
    SELECT uid, type, max(id) AS id FROM authority_commands WHERE outcome = 'done' GROUP BY uid, type)
  ${COMMANDS} WHERE uid = ? AND outcome = 'failed' AND id > coalesce((
      SELECT max(settled.id) FROM settled WHERE settled.uid = command.uid AND settled.type IN (command.type, 5)), 0)
    ORDER BY id DESC LIMIT ${MOST_FAILED}`;

const SQL = {
  // A changed command gets a new id. A person's yes names the ids of the commands that were shown, so it does not
  // confirm a command that has changed since.
  replaced: `UPDATE authority_commands
    SET id = CASE WHEN type = @type AND payload = @payload THEN id ELSE (SELECT max(id) + 1 FROM authority_commands) END,
      command_id = @commandId, type = @type, payload = @payload, received_at = @receivedAt, needs_yes = @needsYes,
      from_file = @fromFile, executed_at = NULL, outcome = NULL, reported_at = NULL
    WHERE uid = @uid AND lower(command_id) = lower(@commandId) AND (outcome IS NULL AND needs_yes = 1
      OR outcome = 'done' AND from_file = 1 AND @fromFile = 0 AND type NOT IN (5, 8))`,
  receivedAgain: RECEIVED_AGAIN,
  received: `INSERT INTO authority_commands (uid, command_id, type, payload, received_at, needs_yes, from_file)
    VALUES (@uid, @commandId, @type, @payload, @receivedAt, @needsYes, @fromFile)`,
  confirmed: "UPDATE authority_commands SET needs_yes = 0 WHERE id = @id AND needs_yes = 1 AND outcome IS NULL",
  // The row gets a new id, because rows are read in the order of their ids.
  sent: `INSERT OR REPLACE INTO authority_state (id, uid, name, key, value, received_at, file_until, checksum)
    VALUES ((SELECT coalesce(max(id), 0) + 1 FROM authority_state), @uid, @name, @key, @value, @receivedAt, @fileUntil,
      @checksum)`,
  executed: `UPDATE authority_commands SET executed_at = @at, outcome = @outcome, reason = @reason,
      payload = substr(payload, 1, ${KEPT_CHARACTERS})
    WHERE id = @id AND outcome IS NULL`,
  reported: `UPDATE authority_commands SET reported_at = @at
    WHERE id = @id AND outcome IS NOT NULL AND reported_at IS NULL`,
  ownPin: "SELECT own_pin AS ownPin FROM key_pins WHERE uid = ?",
  setOwnPin: `INSERT INTO key_pins (uid, own_pin, at) VALUES (@uid, @outcome, @at)
    ON CONFLICT (uid) DO UPDATE SET own_pin = @outcome, at = @at`,
  openCommands: `${COMMANDS} WHERE uid = ? AND reported_at IS NULL ORDER BY id`,
  reportedCommands: `SELECT command_id AS commandId, type, outcome, reason FROM authority_commands
    WHERE uid = ? AND reported_at IS NOT NULL ORDER BY id`,
  failedCommands: FAILED_COMMANDS,
  heldCommands: `${COMMANDS} WHERE needs_yes = 1 AND outcome IS NULL ORDER BY id`,
  made: "INSERT INTO made_changes (uid, at, what) VALUES (@uid, @at, @what)",
  tooOld: "DELETE FROM made_changes WHERE id <= (SELECT max(id) FROM made_changes) - ?",
  seen: "UPDATE made_changes SET seen_at = @at WHERE id = @id AND seen_at IS NULL",
  madeChanges: "SELECT id, uid, at, what FROM made_changes WHERE seen_at IS NULL ORDER BY id",
};

export class SqliteAuthorityLedger implements AuthorityLedger {
  private readonly statements;

  constructor(private readonly access: Pick<SqliteAccess, "db" | "read" | "commit" | "missing">) {
    const db = new LateStatements(access.db);
    this.statements = {
      replaced: db.prepare<[object]>(SQL.replaced),
      confirmed: db.prepare<[object]>(SQL.confirmed),
      heldCommands: db.prepare<[], CommandRow>(SQL.heldCommands),
      made: db.prepare<[object]>(SQL.made),
      tooOld: db.prepare<[number]>(SQL.tooOld),
      seen: db.prepare<[object]>(SQL.seen),
      madeChanges: db.prepare<[], MadeChange>(SQL.madeChanges),
      receivedAgain: db.prepare<[object]>(SQL.receivedAgain),
      received: db.prepare<[object]>(SQL.received),
      sent: db.prepare<[StoredSent]>(SQL.sent),
      executed: db.prepare<[object]>(SQL.executed),
      reported: db.prepare<[object]>(SQL.reported),
      allSent: db.prepare<[], StoredSent>(ALL_SENT),
      ownPin: db.prepare<[string], { ownPin: OwnPin }>(SQL.ownPin),
      setOwnPin: db.prepare<[object]>(SQL.setOwnPin),
      openCommands: db.prepare<[string], CommandRow>(SQL.openCommands),
      reportedCommands: db.prepare<[string], ReportedCommand>(SQL.reportedCommands),
      failedCommands: db.prepare<[string], CommandRow>(SQL.failedCommands),
    };
  }

  commit(changes: readonly AuthorityChange[]): Promise<void> {
    return this.access.commit(() => {
      for (const change of changes) this.apply(change);
    });
  }

  async sent(): Promise<readonly Sent[]> {
    return this.access.read(() => this.statements.allSent.all().map(sentOf));
  }

  async openCommands(uid: string): Promise<readonly StoredCommand[]> {
    return this.access.read(() => this.statements.openCommands.all(uid).map(commandOf));
  }

  async reportedCommands(uid: string): Promise<readonly ReportedCommand[]> {
    return this.access.read(() => this.statements.reportedCommands.all(uid));
  }

  async heldCommands(): Promise<readonly StoredCommand[]> {
    return this.access.read(() => this.statements.heldCommands.all().map(commandOf));
  }

  async madeChanges(): Promise<readonly MadeChange[]> {
    return this.access.read(() => this.statements.madeChanges.all());
  }

  async failedCommands(uid: string): Promise<readonly StoredCommand[]> {
    return this.access.read(() => this.statements.failedCommands.all(uid).map(commandOf));
  }

  async ownPin(uid: string): Promise<OwnPin | undefined> {
    return this.access.read(() => this.statements.ownPin.get(uid)?.ownPin);
  }

  private apply(change: AuthorityChange): void {
    const { statements } = this;
    switch (change.kind) {
      case "received": {
        const { fromFile } = change.command;
        const command = { ...change.command, fromFile: fromFile ? 1 : 0, needsYes: change.needsYes ? 1 : 0 };
        const { replaced, receivedAgain, received } = statements;
        if (replaced.run(command).changes > 0 || receivedAgain.run(command).changes > 0) return;
        received.run(command);
        return;
      }
      case "confirmed":
        this.one(statements.confirmed.run({ id: change.id }), `command ${change.id} that waits for a yes`);
        return;
      case "made":
        statements.made.run(change.made);
        statements.tooOld.run(MOST_MADE_CHANGES);
        return;
      case "seen":
        this.one(statements.seen.run({ id: change.id, at: change.at }), `change ${change.id} to see`);
        return;
      case "sent":
        statements.sent.run({ ...change.sent, checksum: checksumOf(change.sent) });
        return;
      case "executed": {
        const { id, at, outcome, reason } = change;
        this.one(statements.executed.run({ id, at, outcome, reason }), `command ${id} to execute`);
        return;
      }
      case "reported": {
        const { id, at } = change;
        this.one(statements.reported.run({ id, at }), `command ${id} to report`);
        return;
      }
      case "own-pin": {
        const { uid, outcome, at } = change;
        statements.setOwnPin.run({ uid, outcome, at });
      }
    }
  }

  private one({ changes }: { changes: number }, change: string): void {
    if (changes !== 1) throw this.access.missing(change);
  }
}

function commandOf({ needsYes, fromFile, ...command }: CommandRow): StoredCommand {
  return { ...command, needsYes: needsYes === 1, fromFile: fromFile === 1 };
}

function checksumOf({ uid, name, key, value, receivedAt, fileUntil }: NewSent): Uint8Array {
  const content = [uid, name, key, value, receivedAt, ...(fileUntil === null ? [] : [fileUntil])];
  return createHash("sha256").update(JSON.stringify(content)).digest();
}

export function sentOf({ checksum, ...sent }: StoredSent): Sent {
  return { ...sent, intact: Buffer.from(checksum).equals(checksumOf(sent)) };
}
