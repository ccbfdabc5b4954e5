/** Commands for cards. The authority sends a command again until the service reports it (protocol facts, section 8). */
import { type AuthorityCommand, idOf } from "../../src/authority/tax-authority.js";
import type { Random } from "../../src/base/random.js";

export interface QueuedCommand extends AuthorityCommand {
  /** Whether the command succeeded, according to the service's report; undefined before the report. */
  readonly success?: boolean;
  /** No longer sent. A service that already has the command may still report it. */
  readonly withdrawn?: true;
}

/** Number of finished commands that the queue keeps, so that it does not refuse a repeated report. */
const KEPT = 1000;

export class CommandQueue {
  private commands: QueuedCommand[];

  /** @param commands the commands of an earlier run, oldest first */
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

  /** Returns the commands that the authority still sends to a card, oldest first. */
  waiting(uid: string): readonly AuthorityCommand[] {
    return this.commands.filter((command) => command.uid === uid && !isOver(command));
  }

  /** A later report changes nothing. @returns undefined if the card has no command with this id */
  report(uid: string, commandId: string, success: boolean): QueuedCommand | undefined {
    const index = this.commands.findIndex((command) => command.uid === uid && idOf(command) === idOf({ commandId }));
    const command = this.commands[index];
    if (!command || command.success !== undefined) return command;
    const reported = { ...command, success };
    this.commands[index] = reported;
    this.forgetOldest();
    return reported;
  }

  withdraw(commandId: string): void {
    this.commands = this.commands.map((command) =>
      command.commandId === commandId ? { ...command, withdrawn: true } : command,
    );
  }

  private forgetOldest(): void {
    const over = this.commands.filter(isOver);
    if (over.length <= KEPT) return;
    const forgotten = new Set(over.slice(0, over.length - KEPT));
    this.commands = this.commands.filter((command) => !forgotten.has(command));
  }

  get all(): readonly QueuedCommand[] {
    return this.commands;
  }
}

const isOver = ({ success, withdrawn }: QueuedCommand) => success !== undefined || withdrawn === true;

/** Returns a UUID of version 4 (RFC 9562, section 5.4). */
function uuid(random: Random): string {
  const bytes = Buffer.from(random.bytes(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
