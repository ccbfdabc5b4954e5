/** Commands for cards: each is delivered again until it is reported (protocol facts, section 8). */
import type { AuthorityCommand } from "../../src/authority/tax-authority.js";
import type { Random } from "../../src/random.js";

export interface QueuedCommand extends AuthorityCommand {
  /** What was reported, or undefined while it waits. */
  readonly success?: boolean;
}

export class CommandQueue {
  private commands: QueuedCommand[];

  /** @param commands of an earlier run, the oldest first */
  constructor(
    private readonly random: Random,
    commands: readonly QueuedCommand[] = [],
  ) {
    this.commands = [...commands];
  }

  add(uid: string, type: number, payload: string): AuthorityCommand {
    const command = { commandId: uuid(this.random), type, payload, uid };
    this.commands.push(command);
    return command;
  }

  /** What waits for a card, the oldest first. */
  waiting(uid: string): readonly AuthorityCommand[] {
    return this.commands.filter((command) => command.uid === uid && command.success === undefined).map(asSent);
  }

  /** The command, or undefined where this card has none of that id. A later report of the same command changes nothing. */
  report(uid: string, commandId: string, success: boolean): QueuedCommand | undefined {
    const index = this.commands.findIndex((command) => command.uid === uid && command.commandId === commandId);
    const command = this.commands[index];
    if (!command || command.success !== undefined) return command;
    const reported = { ...command, success };
    this.commands[index] = reported;
    return reported;
  }

  get all(): readonly QueuedCommand[] {
    return this.commands;
  }
}

const asSent = ({ commandId, type, payload, uid }: QueuedCommand): AuthorityCommand => ({
  commandId,
  type,
  payload,
  uid,
});

/** Version 4 (RFC 9562, section 5.4). */
function uuid(random: Random): string {
  const bytes = Buffer.from(random.bytes(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
