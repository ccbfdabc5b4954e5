/**
 * Executes the commands of the tax authority (protocol facts, section 8), in order and each once, on the card or in the
 * store. A command from a file that would change what is in force waits for a person's yes.
 */
import { setImmediate } from "node:timers/promises";
import type { Background } from "../base/repeater.js";
import { messageOf } from "../base/thrown.js";
import type { SentEnvironments, ToRead } from "../config/sent-environments.js";
import type { AuthorityChange, AuthorityLedger, NewSent, StoredCommand } from "../ledger/authority-ledger.js";
import type { ConfigurationChange } from "../ledger/sent.js";
import { bytesIn, contentOf, PayloadError } from "./command-content.js";
import {
  type CardConfiguration,
  type Configuration,
  cardConfiguration,
  changesInForce,
  changeText,
  configuredWith,
  differenceToConfirm,
  endedBy,
  isFirstFor,
  MOST_CHANGES,
  type Unconfirmed,
} from "./configuration-change.js";
import { type AuthorityCommand, COMMAND_TYPE } from "./tax-authority.js";

export type Execution =
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly reason: string }
  /** The command has changed nothing, because the card waits for its PIN, for example. It is tried again. */
  | { readonly kind: "later"; readonly reason: string };

/** Executes a command on the card. If the promise rejects, the service tries the command again. */
export type OnCard = (uid: string, bytes: Uint8Array) => Promise<Execution>;

/** Whether two addresses, before and after a change of the configuration, mean the same server. */
export type IsSameAddress = (before: string, after: string) => boolean;

export interface CommandParts extends Pick<Background, "clock" | "log"> {
  readonly ledger: AuthorityLedger;
  readonly environments: SentEnvironments;
  /** The configuration from a file, which applies until the authority has sent one. */
  readonly file: Configuration | undefined;
  /** Default: every other address counts as a change. */
  readonly isSameAddress?: IsSameAddress | undefined;
  /** Executes command 5: the proof of audit, 256 bytes. */
  readonly proof: OnCard;
  /** Executes command 8: the directive. */
  readonly directive: OnCard;
  /** Called when the environment in force, or what a person has to read, has changed. */
  readonly changed: () => void;
}

const DAMAGED = "its stored text is damaged; send the command again";

/** Runs the commands that are in the store. {@link Commands} lets them run one after the other. */
export abstract class CommandExecution {
  constructor(protected readonly parts: CommandParts) {}

  /**
   * Executes the remaining commands of a card in the order of arrival. A command that waits for the card delays only the
   * commands for the card, and a command that waits for a yes delays no other command. Calls must not overlap.
   * @throws LedgerError
   */
  protected async run(uid: string): Promise<void> {
    let cardWaits = false;
    let isNew = false;
    let configuration: CardConfiguration | undefined;
    let isFirst = false;
    try {
      for (const command of await this.parts.ledger.openCommands(uid)) {
        if (command.outcome !== null) continue;
        // Each commit blocks the main thread, so let sales run in between.
        await setImmediate();
        const onCard = this.onCard(command);
        if (!command.intact) {
          await this.executed(command, { kind: "failed", reason: DAMAGED });
          isNew = true;
        } else if (!onCard) {
          if (!configuration) {
            configuration = await this.configurationOf(uid);
            isFirst = isFirstFor(configuration);
          }
          const isKnown = this.isKnownAsHeld(command);
          const after = await this.configure(command, configuration, isFirst);
          isNew ||= after !== undefined || !isKnown;
          configuration = after ?? configuration;
        } else if (!cardWaits) cardWaits = !(await this.runOnCard(command, onCard));
      }
    } finally {
      // Reload once for all commands: an authority may send thousands, and each reload reads all rate groups.
      if (isNew) await this.putIntoForce();
    }
  }

  /** What a person has to read, for all cards: the commands that wait for a yes, and the changes that were made. */
  get toRead(): ToRead {
    const { environments, clock } = this.parts;
    return environments.toRead(clock.now());
  }

  /** A command whose text has changed has another id. */
  private isKnownAsHeld({ id }: StoredCommand): boolean {
    return this.toRead.held.some((held) => held.id === id);
  }

  /** The configuration of a card in force, with what it will be later. @throws LedgerError */
  protected async configurationOf(uid: string): Promise<CardConfiguration> {
    const sent = await this.parts.ledger.sent();
    return cardConfiguration(
      sent.filter((one) => one.uid === uid),
      this.parts.file,
    );
  }

  /** Loads what is in force from the store again, and reports the change. @throws LedgerError */
  protected async putIntoForce(): Promise<void> {
    await this.parts.environments.reload();
    this.parts.changed();
  }

  /** How commands of this type are executed on the card; undefined if they change rates or parameters. */
  protected onCard({ type }: Pick<AuthorityCommand, "type">): OnCard | undefined {
    if (type === COMMAND_TYPE.proofOfAudit) return this.parts.proof;
    return type === COMMAND_TYPE.directive ? this.parts.directive : undefined;
  }

  /** Executes a command on the card. @returns false if the card's commands have to wait */
  private async runOnCard(command: StoredCommand, onCard: OnCard): Promise<boolean> {
    let result: Execution;
    try {
      result = await onCard(command.uid, bytesIn(command.payload));
    } catch (error) {
      result = { kind: error instanceof PayloadError ? "failed" : "later", reason: messageOf(error) };
    }
    if (result.kind === "later") {
      this.parts.log.info(named(command), `a command waits: ${result.reason}`);
      return false;
    }
    await this.executed(command, result);
    return true;
  }

  /**
   * Stores the content of the command, the change that it makes, and its execution in one commit, unless it waits for a
   * yes.
   * @param before the configuration in force
   * @param isFirst whether no configuration was in force before the first of these commands
   * @returns the configuration that is in force afterwards; undefined if the command waits
   * @throws LedgerError
   */
  private async configure(
    command: StoredCommand,
    before: CardConfiguration,
    isFirst: boolean,
  ): Promise<CardConfiguration | undefined> {
    const { environments, file, isSameAddress, clock, log } = this.parts;
    let sent: readonly NewSent[];
    try {
      sent = contentOf(command, environments.of(command.uid)?.timeZone);
    } catch (error) {
      // A wrong payload stays wrong, so the command is not tried again.
      await this.executed(command, { kind: "failed", reason: messageOf(error) });
      return before;
    }
    const after = configuredWith(before, sent, file);
    const at = clock.now();
    const isReal = (change: ConfigurationChange) => !isSameAddress?.(change.before ?? "", change.after ?? "");
    const changes = isFirst ? [] : changesInForce(before, after, at).filter(isReal);
    const isChange = changes.length > 0;
    // The first configuration from a file needs a yes, too. From the authority itself it is not a change.
    const shown = command.fromFile ? differenceToConfirm(before, after, at).changes.filter(isReal) : changes;
    if (isTooMuch({ changes: shown })) {
      const most = `a person can be shown at most ${MOST_CHANGES}: send several commands`;
      const reason = `it changes ${shown.length} rates and parameters, and ${most}`;
      await this.executed(command, { kind: "failed", reason });
      return before;
    }
    if (command.needsYes && shown.length > 0) {
      if (!this.isKnownAsHeld(command)) log.warn(named(command), "a command of a file waits for a yes");
      return undefined;
    }
    const made: AuthorityChange = { kind: "made", made: { uid: command.uid, at, what: JSON.stringify(changes) } };
    await this.executed(command, { kind: "done" }, [
      ...[...sent, ...endedBy(sent, before.sent)].map((one): AuthorityChange => ({ kind: "sent", sent: one })),
      ...(isChange ? [made] : []),
    ]);
    if (isChange) log.warn({ ...named(command), changes: changes.map(changeText) }, "rates or parameters have changed");
    return after;
  }

  /** Stores the result of a command, together with the changes that it makes. @throws LedgerError */
  private async executed(
    command: StoredCommand,
    result: Exclude<Execution, { kind: "later" }>,
    changes: readonly AuthorityChange[] = [],
  ): Promise<void> {
    const { ledger, clock, log } = this.parts;
    const failed = result.kind === "failed";
    const how = { outcome: result.kind, reason: failed ? result.reason : null };
    await ledger.commit([...changes, { kind: "executed", id: command.id, at: clock.now(), ...how }]);
    if (failed) log.error(named(command), `a command failed: ${result.reason}`);
    else log.info(named(command), "a command was executed");
  }
}

/** Whether there are more changes than a person can be shown. A person must see every change before confirming it. */
export function isTooMuch({ changes }: Pick<Unconfirmed, "changes">): boolean {
  return changes.length > MOST_CHANGES;
}

function named({ uid, commandId, type }: StoredCommand) {
  return { uid, commandId, type };
}
