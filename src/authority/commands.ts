/**
 * Takes the tax authority's commands (protocol facts, section 8), executes them in order, each once, and reports the
 * result of each. The service stores that a command was executed before it reports the command; after a crash in
 * between, it only reports the command again. Only a directive may reach the card twice, because a directive sets the
 * card's state and adds nothing to it. Commands are not signed. Therefore a command from a file changes nothing that is
 * in force before a person has said yes, and each change is shown until a person has seen it.
 */
import { setImmediate } from "node:timers/promises";
import { Mutex } from "../base/mutex.js";
import type { AuthorityChange, NewSent, ReportedCommand, StoredCommand } from "../ledger/authority-ledger.js";
import { contentOf, isRestored } from "./command-content.js";
import { CommandExecution, isTooMuch } from "./command-execution.js";
import { configuredWith, differenceToConfirm, type Unconfirmed } from "./configuration-change.js";
import { type AuthorityCommand, AuthorityError, COMMAND_TYPE, idOf, UNREADABLE } from "./tax-authority.js";

/** Where results are reported: to the authority, or to a stick. */
export interface Reporter {
  report(commandId: string, success: boolean, command: StoredCommand): Promise<void>;
}

/** Maximum number of commands that are taken at once. The authority, or the file, has the others for the next time. */
export const MOST_COMMANDS = 500;
/** Maximum number of commands of files that may wait for a yes, and that may wait for a card. */
export const MOST_HELD = 500;
/** Maximum number of characters of the payloads that wait for a yes. All of them are read again after each change. */
export const MOST_HELD_CHARACTERS = 1024 * 1024;
/** Maximum number of characters of a payload for the card. A proof of audit has 344, a directive at most 1,368. */
const LONGEST_FOR_CARD = 4096;

/** Maximum number of foreign commands that one log line names. */
const MOST_NAMED = 10;

/** The first commands of a card that wait for a yes: as many as a person can be shown at once. */
export interface HeldCommands extends Unconfirmed {
  readonly uid: string;
  readonly commands: readonly StoredCommand[];
}

export class Commands extends CommandExecution {
  /** Ensures that commands from the link and from a stick run one after the other. */
  private readonly order = new Mutex();
  /** Ensures that a round with the authority and the import of a stick do not report at the same time. */
  private readonly reports = new Mutex();

  /**
   * Stores {@link firstCommands} of the commands for this card; commands for other cards are ignored.
   * @param from `file`: a person must say yes to each change, because the file is not signed. Commands of a file that
   *   were {@link reported} are left out, so that the service gets to the later ones; the caller has their results
   * @throws LedgerError
   */
  async take(uid: string, commands: readonly AuthorityCommand[], from: "authority" | "file"): Promise<void> {
    const { ledger, clock, log } = this.parts;
    const foreign = commands.filter((command) => !isFor(uid, command));
    if (foreign.length > 0) {
      const named = foreign.slice(0, MOST_NAMED).map(({ commandId }) => commandId);
      log.warn({ uid, count: foreign.length, commands: named }, "commands for another card are ignored");
    }
    const receivedAt = clock.now();
    const reported = (await this.reported(uid)).map(idOf);
    const had = new Set(from === "file" ? reported : []);
    const own = commands
      .filter((command) => isFor(uid, command) && !had.has(idOf(command)))
      .map((command) => this.readable(command));
    if (own.length > MOST_COMMANDS) {
      log.warn({ uid, count: own.length, taken: MOST_COMMANDS }, "too many commands at once; the others wait");
    }
    const open = await ledger.openCommands(uid);
    const taken = firstCommands(own, new Set([...reported, ...open.map(idOf)]));
    const fromFile = from === "file";
    const received = (fromFile ? await this.thatFit(taken, open) : taken).map((command): AuthorityChange => {
      const { commandId, type, payload } = command;
      const needsYes = fromFile && !this.onCard(command);
      return { kind: "received", command: { commandId, type, payload, uid, receivedAt, fromFile }, needsYes };
    });
    if (received.length > 0) await ledger.commit(received);
  }

  /** Makes a command unreadable if its payload is too long for the card. It then fails, and the store keeps no text. */
  private readable(command: AuthorityCommand): AuthorityCommand {
    const isTooLong = command.payload.length > LONGEST_FOR_CARD && this.onCard(command) !== undefined;
    return isTooLong ? { ...command, type: UNREADABLE, payload: "payload" } : command;
  }

  /** Leaves out what is too much to wait for a yes or for the card. @param open the card's commands without a report */
  private async thatFit(
    commands: readonly AuthorityCommand[],
    open: readonly StoredCommand[],
  ): Promise<readonly AuthorityCommand[]> {
    const all = await this.parts.ledger.heldCommands();
    const own = new Map(open.map((command) => [idOf(command), command]));
    let held = all.length;
    let characters = all.reduce((sum, { payload }) => sum + payload.length, 0);
    let forCard = open.filter((command) => command.outcome === null && this.onCard(command)).length;
    const fits = (command: AuthorityCommand): boolean => {
      const stored = own.get(idOf(command));
      if (this.onCard(command)) return stored !== undefined || ++forCard <= MOST_HELD;
      const before = stored && all.find(({ id }) => id === stored.id);
      if (!before) held += 1;
      // A command that waits may come again with a longer payload.
      characters += command.payload.length - (before?.payload.length ?? 0);
      return (before !== undefined || held <= MOST_HELD) && characters <= MOST_HELD_CHARACTERS;
    };
    const fitting = commands.filter(fits);
    const count = commands.length - fitting.length;
    if (count > 0)
      this.parts.log.warn({ count }, "too many commands wait for a yes or for the card; these were not taken");
    return fitting;
  }

  /** Executes the remaining commands of a card; concurrent calls run one after the other. @throws LedgerError */
  execute(uid: string): Promise<void> {
    return this.order.run(() => this.run(uid));
  }

  /**
   * The first commands of a card that wait for a yes, and all that they would change together. The other commands are
   * shown when these are confirmed or refused. Undefined if no command waits.
   * @throws LedgerError
   */
  async held(uid: string): Promise<HeldCommands | undefined> {
    const { clock, file } = this.parts;
    const commands = this.toRead.held.filter((command) => command.uid === uid);
    if (commands.length === 0) return undefined;
    const now = clock.now();
    const before = await this.configurationOf(uid);
    let after = before;
    const shown: StoredCommand[] = [];
    for (const command of commands) {
      // Each comparison with long rates takes milliseconds, so let sales run in between.
      await setImmediate();
      const next = configuredWith(after, this.contentOrNone(command), file);
      // Limit the changes of all commands together and those of this command, because a command is also checked on its
      // own when it is executed.
      if (isTooMuch(differenceToConfirm(before, next, now)) || isTooMuch(differenceToConfirm(after, next, now))) break;
      after = next;
      shown.push(command);
    }
    return shown.length === 0 ? undefined : { uid, commands: shown, ...differenceToConfirm(before, after, now) };
  }

  private contentOrNone(command: StoredCommand): readonly NewSent[] {
    try {
      return contentOf(command, this.parts.environments.of(command.uid)?.timeZone);
    } catch {
      // The command is not valid. It changes nothing now, and fails as soon as the service executes it.
      return [];
    }
  }

  /**
   * Records a person's yes to commands that wait for it, and executes these commands.
   * @param ids all ids that {@link held} has shown; later commands keep waiting
   * @param twice whether the person has said yes a second time
   * @returns "again" if a second yes is needed; "not-held" if the ids are not those of the first commands that wait now
   * @throws LedgerError
   */
  confirm(uid: string, ids: readonly number[], twice: boolean): Promise<"done" | "again" | "not-held"> {
    return this.order.run(async () => {
      const held = await this.held(uid);
      // If one of the shown commands is missing, the others may change something that no list has shown.
      const meant = held?.commands.slice(0, ids.length) ?? [];
      if (!held || meant.length < ids.length || meant.some(({ id }) => !ids.includes(id))) return "not-held";
      if (held.asksTwice && !twice) return "again";
      // Another file may have put a new text in the place of a command since the list was read.
      const stored = new Set((await this.parts.ledger.heldCommands()).map(({ id }) => id));
      if (meant.some(({ id }) => !stored.has(id))) return "not-held";
      await this.parts.ledger.commit(meant.map(({ id }) => ({ kind: "confirmed", id })));
      this.parts.log.warn({ uid, count: meant.length }, "a person has said yes to commands of a file");
      await this.run(uid);
      return "done";
    });
  }

  /** Lets commands fail that wait for a yes. @returns the number of refused commands @throws LedgerError */
  refuse(uid: string, ids: readonly number[]): Promise<number> {
    const { ledger, clock, log } = this.parts;
    return this.order.run(async () => {
      const held = (await ledger.heldCommands()).filter((one) => one.uid === uid && ids.includes(one.id));
      if (held.length === 0) return 0;
      const how = { at: clock.now(), outcome: "failed", reason: "a person has refused it" } as const;
      // One commit for all: another file may put new texts in the place of the commands between two commits.
      await ledger.commit(held.map(({ id }) => ({ kind: "executed", id, ...how })));
      log.warn({ uid, commands: held.map(({ commandId }) => commandId) }, "a person has refused commands of a file");
      await this.putIntoForce();
      return held.length;
    });
  }

  /** Records that a person has seen changes. @returns how many were not seen before @throws LedgerError */
  async seen(ids: readonly number[]): Promise<number> {
    const { ledger, clock, log } = this.parts;
    return this.order.run(async () => {
      const made = this.toRead.made.filter(({ id }) => ids.includes(id));
      const at = clock.now();
      if (made.length === 0) return 0;
      await ledger.commit(made.map(({ id }) => ({ kind: "seen", id, at })));
      log.info({ count: made.length }, "a person has seen the changes of rates or parameters");
      await this.putIntoForce();
      return made.length;
    });
  }

  /** The executed commands of a card whose results were reported. @throws LedgerError */
  reported(uid: string): Promise<readonly ReportedCommand[]> {
    return this.parts.ledger.reportedCommands(uid);
  }

  /** Reports the executed commands. @throws AuthorityError, LedgerError */
  async report(uid: string, authority: Reporter): Promise<void> {
    const { ledger, clock } = this.parts;
    await this.reports.run(async () => {
      for (const command of await ledger.openCommands(uid)) {
        if (command.outcome === null) continue;
        // Each commit blocks the main thread, so let sales run in between.
        await setImmediate();
        if (!isRestored(command.commandId)) await this.reportOne(authority, command);
        await ledger.commit([{ kind: "reported", id: command.id, at: clock.now() }]);
      }
    });
  }

  /**
   * Reports one command. A report that the authority refuses counts as reported, so that it does not delay the others:
   * the authority already has it, or may send the command again.
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
}

/**
 * Chooses the commands to take. New ones come before those that the store has, so that each call takes later commands
 * too. A new proof of audit comes first, because a card at its limit signs no sale before it gets the proof.
 * @param known ids of the commands in the store @returns the chosen commands, in the order of `commands`
 */
function firstCommands(commands: readonly AuthorityCommand[], known: ReadonlySet<string>): readonly AuthorityCommand[] {
  const rank = (command: AuthorityCommand) => {
    if (known.has(idOf(command))) return 2;
    return command.type === COMMAND_TYPE.proofOfAudit ? 0 : 1;
  };
  const first = new Set(commands.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_COMMANDS));
  return commands.filter((command) => first.has(command));
}

/** Whether a command is for a card. One without a UID came in an answer for this card, and is reported as failed. */
export function isFor(card: string, { uid }: AuthorityCommand): boolean {
  return uid === card || uid === "";
}

/** Whether the error is about this report, and not about our token or certificate, or a failure of the authority. */
function isOfReport({ fault, status = 0 }: AuthorityError): boolean {
  return fault === "refused" && status >= 400 && status < 500 && status !== 401 && status !== 403;
}
