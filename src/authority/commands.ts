/**
 * Executes what the tax authority commands (protocol facts, section 8): in order, each once, and reports how it ended. What was
 * executed is stored before it is reported, so that after a crash in between it is only reported again. Only a directive may
 * reach the card twice: it sets the card's state and adds nothing to it.
 */
import { setImmediate } from "node:timers/promises";
import type { Logger } from "pino";
import type { Clock } from "../base/clock.js";
import { Mutex } from "../base/mutex.js";
import { messageOf } from "../base/thrown.js";
import type { AuthorityChange, AuthorityLedger, NewSent, StoredCommand } from "../ledger/authority-ledger.js";
import { contentOf } from "./command-content.js";
import { bytesIn, PayloadError } from "./payloads.js";
import type { SentEnvironments } from "./sent-environments.js";
import { type AuthorityCommand, AuthorityError, COMMAND_TYPE } from "./tax-authority.js";

export type Execution =
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly reason: string }
  /** Nothing has changed, for example because the card waits for its PIN. The command is tried again. */
  | { readonly kind: "later"; readonly reason: string };

/** Executes a command on the card. After a rejection the command is tried again. */
export type OnCard = (uid: string, bytes: Uint8Array) => Promise<Execution>;

export interface CommandParts {
  readonly ledger: AuthorityLedger;
  readonly environments: SentEnvironments;
  /** Command 5: the proof of audit, 256 bytes. */
  readonly proof: OnCard;
  /** Command 8. */
  readonly directive: OnCard;
  readonly clock: Clock;
  readonly log: Logger;
  /** The current environment has changed. */
  readonly changed: () => void;
}

/** The authority, or a stick, which also names the failed commands. */
export interface Reporter {
  report(commandId: string, success: boolean, command: StoredCommand): Promise<void>;
}

/** Commands that are taken at once. The authority, or the file on the stick, still has the others for the next time. */
export const MOST_COMMANDS = 500;

/** Number of foreign commands that one log line names. */
const MOST_NAMED = 10;

export class Commands {
  /** Commands from the link and from a stick run one after the other. */
  private readonly order = new Mutex();

  constructor(private readonly parts: CommandParts) {}

  /**
   * Stores the first {@link MOST_COMMANDS} commands for this card; commands for other cards are ignored.
   * @throws LedgerError
   */
  async take(uid: string, commands: readonly AuthorityCommand[]): Promise<void> {
    const { ledger, clock, log } = this.parts;
    const foreign = commands.filter((command) => !isFor(uid, command));
    if (foreign.length > 0) {
      const named = foreign.slice(0, MOST_NAMED).map(({ commandId }) => commandId);
      log.warn({ uid, count: foreign.length, commands: named }, "commands for another card are ignored");
    }
    const receivedAt = clock.now();
    const own = commands.filter((command) => isFor(uid, command));
    if (own.length > MOST_COMMANDS) {
      log.warn({ uid, count: own.length, taken: MOST_COMMANDS }, "too many commands at once; the others wait");
    }
    const received = own.slice(0, MOST_COMMANDS).map(({ commandId, type, payload }): AuthorityChange => {
      return { kind: "received", command: { commandId, type, payload, uid, receivedAt } };
    });
    if (received.length > 0) await ledger.commit(received);
  }

  /**
   * Executes the remaining commands in the order of arrival; concurrent callers share one run. A command that waits for
   * the card holds up only the card's commands. @throws LedgerError
   */
  execute(uid: string): Promise<void> {
    return this.order.run(() => this.executeAll(uid));
  }

  private async executeAll(uid: string): Promise<void> {
    let cardWaits = false;
    let configured = false;
    try {
      for (const command of await this.parts.ledger.openCommands(uid)) {
        if (command.outcome !== null) continue;
        // Each commit keeps the main thread: sales have their turn in between.
        await setImmediate();
        const onCard = this.onCard(command);
        if (!onCard) {
          await this.configure(command);
          configured = true;
        } else if (!cardWaits) cardWaits = !(await this.runOnCard(command, onCard));
      }
    } finally {
      // Once for all commands: an authority may send thousands, and each time all rate groups are read.
      if (configured) await this.putIntoForce();
    }
  }

  private async putIntoForce(): Promise<void> {
    await this.parts.environments.reload();
    this.parts.changed();
  }

  /** Reports the executed commands. @throws AuthorityError, LedgerError */
  async report(uid: string, authority: Reporter): Promise<void> {
    const { ledger, clock } = this.parts;
    for (const command of await ledger.openCommands(uid)) {
      if (command.outcome === null) continue;
      await this.reportOne(authority, command);
      await ledger.commit([{ kind: "reported", id: command.id, at: clock.now() }]);
    }
  }

  /**
   * If the authority does not know the command any more, it has already had the report. If it refuses the report for
   * another reason, it gets it again when it sends the command again; nothing else waits for that.
   */
  private async reportOne(authority: Reporter, command: StoredCommand): Promise<void> {
    const { commandId, outcome } = command;
    try {
      await authority.report(commandId, outcome === "done", command);
    } catch (error) {
      if (!(error instanceof AuthorityError) || !isOfReport(error)) throw error;
      this.parts.log.warn({ err: error, commandId }, "the authority refused the report of a command");
    }
  }

  private onCard({ type }: StoredCommand): OnCard | undefined {
    if (type === COMMAND_TYPE.proofOfAudit) return this.parts.proof;
    return type === COMMAND_TYPE.directive ? this.parts.directive : undefined;
  }

  /** @returns false if the card's commands have to wait */
  private async runOnCard(command: StoredCommand, onCard: OnCard): Promise<boolean> {
    const result = await this.tried(async () => onCard(command.uid, bytesIn(command.payload)));
    if (result.kind === "later") {
      this.parts.log.info(named(command), `a command waits: ${result.reason}`);
      return false;
    }
    await this.executed(command, result);
    return true;
  }

  /** Stores the content of the command and its execution in one commit. @throws LedgerError */
  private async configure(command: StoredCommand): Promise<void> {
    let sent: readonly NewSent[];
    try {
      sent = contentOf(command, this.parts.environments.of(command.uid)?.timeZone);
    } catch (error) {
      // A wrong payload stays wrong: do not try again.
      return this.executed(command, { kind: "failed", reason: reasonOf(error) });
    }
    await this.executed(
      command,
      { kind: "done" },
      sent.map((one) => ({ kind: "sent", sent: one })),
    );
  }

  private async tried(task: () => Promise<Execution>): Promise<Execution> {
    try {
      return await task();
    } catch (error) {
      return { kind: error instanceof PayloadError ? "failed" : "later", reason: reasonOf(error) };
    }
  }

  private async executed(
    command: StoredCommand,
    result: Exclude<Execution, { kind: "later" }>,
    changes: readonly AuthorityChange[] = [],
  ): Promise<void> {
    const { ledger, clock, log } = this.parts;
    const failed = result.kind === "failed";
    const how = { outcome: result.kind, reason: failed ? result.reason : null };
    await ledger.commit([...changes, { kind: "executed", id: command.id, at: clock.now(), ...how }]);
    if (failed) log.error(named(command), `a command of the tax authority failed: ${result.reason}`);
    else log.info(named(command), "a command of the tax authority was executed");
  }
}

/** Whether a command is for a card. One that does not say it came in an answer to this card, which reports it as failed. */
export function isFor(card: string, { uid }: AuthorityCommand): boolean {
  return uid === card || uid === "";
}

function named({ uid, commandId, type }: StoredCommand) {
  return { uid, commandId, type };
}

/** Whether the error is about the report, and not about us or the authority's own trouble. */
function isOfReport({ fault, status = 0 }: AuthorityError): boolean {
  return fault === "refused" && status >= 400 && status < 500 && status !== 401 && status !== 403;
}

function reasonOf(error: unknown): string {
  return messageOf(error);
}
