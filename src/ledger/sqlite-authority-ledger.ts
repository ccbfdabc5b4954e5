/** What the tax authority sent, in SQLite: in the ledger's file, behind the ledger's lock. */
import { createHash } from "node:crypto";
import {
  type AuthorityChange,
  type AuthorityLedger,
  MOST_FAILED,
  type NewSent,
  type OwnPin,
  type Sent,
  type StoredCommand,
} from "./authority-ledger.js";
import type { SqliteAccess } from "./sqlite-access.js";

export type StoredSent = NewSent & { readonly checksum: Uint8Array };

/** In the order of sending. */
export const ALL_SENT =
  "SELECT uid, name, key, value, received_at AS receivedAt, checksum FROM authority_state ORDER BY id";

const COMMANDS = `SELECT id, uid, command_id AS commandId, type, payload, received_at AS receivedAt,
    executed_at AS executedAt, outcome, reason, reported_at AS reportedAt
  FROM authority_commands AS command`;

const SQL = {
  receivedAgain: `UPDATE authority_commands SET command_id = @commandId, reported_at = NULL
    WHERE uid = @uid AND lower(command_id) = lower(@commandId)`,
  received: `INSERT INTO authority_commands (uid, command_id, type, payload, received_at)
    VALUES (@uid, @commandId, @type, @payload, @receivedAt)`,
  // A new id, so that the newest comes last.
  sent: `INSERT OR REPLACE INTO authority_state (id, uid, name, key, value, received_at, checksum)
    VALUES ((SELECT coalesce(max(id), 0) + 1 FROM authority_state), @uid, @name, @key, @value, @receivedAt, @checksum)`,
  executed: `UPDATE authority_commands SET executed_at = @at, outcome = @outcome, reason = @reason
    WHERE id = @id AND outcome IS NULL`,
  reported: `UPDATE authority_commands SET reported_at = @at
    WHERE id = @id AND outcome IS NOT NULL AND reported_at IS NULL`,
  ownPin: "SELECT own_pin AS ownPin FROM key_pins WHERE uid = ?",
  setOwnPin: `INSERT INTO key_pins (uid, own_pin, at) VALUES (@uid, @outcome, @at)
    ON CONFLICT (uid) DO UPDATE SET own_pin = @outcome, at = @at`,
  openCommands: `${COMMANDS} WHERE uid = ? AND reported_at IS NULL ORDER BY id`,
  failedCommands: `${COMMANDS} WHERE uid = ? AND outcome = 'failed' AND NOT EXISTS (
      SELECT 1 FROM authority_commands AS later WHERE later.uid = command.uid AND later.id > command.id
        AND later.outcome = 'done' AND later.type IN (command.type, 5))
    ORDER BY id DESC LIMIT ${MOST_FAILED}`,
};

export class SqliteAuthorityLedger implements AuthorityLedger {
  private readonly statements;

  /** @throws StoreError if the store is damaged */
  constructor(private readonly access: Pick<SqliteAccess, "db" | "starting" | "read" | "commit" | "missing">) {
    const { db } = access;
    this.statements = access.starting(() => ({
      receivedAgain: db.prepare<[object]>(SQL.receivedAgain),
      received: db.prepare<[object]>(SQL.received),
      sent: db.prepare<[StoredSent]>(SQL.sent),
      executed: db.prepare<[object]>(SQL.executed),
      reported: db.prepare<[object]>(SQL.reported),
      allSent: db.prepare<[], StoredSent>(ALL_SENT),
      ownPin: db.prepare<[string], { ownPin: OwnPin }>(SQL.ownPin),
      setOwnPin: db.prepare<[object]>(SQL.setOwnPin),
      openCommands: db.prepare<[string], StoredCommand>(SQL.openCommands),
      failedCommands: db.prepare<[string], StoredCommand>(SQL.failedCommands),
    }));
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
    return this.access.read(() => this.statements.openCommands.all(uid));
  }

  async failedCommands(uid: string): Promise<readonly StoredCommand[]> {
    return this.access.read(() => this.statements.failedCommands.all(uid));
  }

  async ownPin(uid: string): Promise<OwnPin | undefined> {
    return this.access.read(() => this.statements.ownPin.get(uid)?.ownPin);
  }

  private apply(change: AuthorityChange): void {
    const { statements } = this;
    switch (change.kind) {
      case "received":
        if (statements.receivedAgain.run(change.command).changes === 0) statements.received.run(change.command);
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

function checksumOf({ uid, name, key, value, receivedAt }: NewSent): Uint8Array {
  return createHash("sha256")
    .update(JSON.stringify([uid, name, key, value, receivedAt]))
    .digest();
}

export function sentOf({ checksum, ...sent }: StoredSent): Sent {
  return { ...sent, intact: Buffer.from(checksum).equals(checksumOf(sent)) };
}
