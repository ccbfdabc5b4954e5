/** What the tax authority sent, in memory: the simplest definition of each change. The contract tests compare the real one with it. */
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
} from "../../../src/ledger/authority-ledger.js";
import { LedgerError } from "../../../src/ledger/ledger.js";

class InMemory implements Pick<AuthorityLedger, keyof AuthorityLedger> {
  private contents: Contents = { commands: [], sent: [], ownPins: new Map(), made: [] };

  async commit(changes: readonly AuthorityChange[]): Promise<void> {
    // If a change fails, none of them is kept.
    this.contents = changes.reduce(applied, this.contents);
  }

  async sent(): Promise<readonly Sent[]> {
    return this.contents.sent.map((sent) => ({ ...sent, intact: true }));
  }

  async openCommands(uid: string): Promise<readonly StoredCommand[]> {
    return this.contents.commands.filter((command) => command.uid === uid && command.reportedAt === null);
  }

  async reportedCommands(uid: string): Promise<readonly ReportedCommand[]> {
    return this.contents.commands
      .filter((command) => command.uid === uid && command.reportedAt !== null)
      .map(({ commandId, type, outcome, reason }) => ({ commandId, type, outcome, reason }));
  }

  async failedCommands(uid: string): Promise<readonly StoredCommand[]> {
    const own = this.contents.commands.filter((command) => command.uid === uid);
    const isSettled = ({ id, type }: StoredCommand) =>
      own.some((later) => later.id > id && later.outcome === "done" && [type, 5].includes(later.type));
    const failed = own.filter((command) => command.outcome === "failed" && !isSettled(command));
    return failed.toReversed().slice(0, MOST_FAILED);
  }

  async heldCommands(): Promise<readonly StoredCommand[]> {
    return this.contents.commands.filter(({ needsYes, outcome }) => needsYes && outcome === null);
  }

  async madeChanges(): Promise<readonly MadeChange[]> {
    const kept = this.contents.made.slice(-MOST_MADE_CHANGES);
    return kept.filter(({ seen }) => !seen).map(({ seen: _, ...made }) => made);
  }

  async ownPin(uid: string): Promise<OwnPin | undefined> {
    return this.contents.ownPins.get(uid);
  }
}

/** Stands for the real one: only the methods count. */
export const MemoryAuthorityLedger = InMemory as unknown as new () => AuthorityLedger;

interface Contents {
  /** In the order of arrival. */
  readonly commands: readonly StoredCommand[];
  /** In the order of sending. */
  readonly sent: readonly NewSent[];
  /** By UID. */
  readonly ownPins: ReadonlyMap<string, OwnPin>;
  /** In the order of time. */
  readonly made: readonly (MadeChange & { readonly seen: boolean })[];
}

/** @throws LedgerError */
function applied(contents: Contents, change: AuthorityChange): Contents {
  const { commands, sent, made } = contents;
  switch (change.kind) {
    case "received":
      return { ...contents, commands: received(commands, change) };
    case "sent": {
      const { uid, name, key } = change.sent;
      const others = sent.filter((one) => one.uid !== uid || one.name !== name || one.key !== key);
      return { ...contents, sent: [...others, change.sent] };
    }
    case "executed": {
      const { id, at: executedAt, outcome, reason } = change;
      const command = commands.find((one) => one.id === id);
      if (command?.outcome !== null) throw missing(`command ${id} to execute`);
      const payload = [...command.payload].slice(0, KEPT_CHARACTERS).join("");
      return { ...contents, commands: changed(commands, id, { executedAt, outcome, reason, payload }) };
    }
    case "reported": {
      const { id, at: reportedAt } = change;
      const command = commands.find((one) => one.id === id);
      if (!command || command.outcome === null || command.reportedAt !== null) {
        throw missing(`command ${id} to report`);
      }
      return { ...contents, commands: changed(commands, id, { reportedAt }) };
    }
    case "confirmed": {
      const command = commands.find(({ id }) => id === change.id);
      if (!command?.needsYes || command.outcome !== null) throw missing(`command ${change.id} that waits for a yes`);
      return { ...contents, commands: changed(commands, change.id, { needsYes: false }) };
    }
    case "made":
      return { ...contents, made: [...made, { ...change.made, id: made.length + 1, seen: false }] };
    case "seen": {
      const isKept = ({ id, seen }: Contents["made"][number]) =>
        id === change.id && !seen && id > made.length - MOST_MADE_CHANGES;
      if (!made.some(isKept)) throw missing(`change ${change.id} to see`);
      return { ...contents, made: made.map((one) => (one.id === change.id ? { ...one, seen: true } : one)) };
    }
    case "own-pin":
      return { ...contents, ownPins: new Map([...contents.ownPins, [change.uid, change.outcome]]) };
  }
}

function received(
  commands: readonly StoredCommand[],
  { command, needsYes = false }: Extract<AuthorityChange, { kind: "received" }>,
): readonly StoredCommand[] {
  const { commandId } = command;
  const known = commands.find((other) => {
    return other.uid === command.uid && other.commandId.toLowerCase() === commandId.toLowerCase();
  });
  const nextId = Math.max(0, ...commands.map(({ id }) => id)) + 1;
  const unexecuted = { executedAt: null, outcome: null, reason: null, reportedAt: null, needsYes };
  const isRepeated = known?.outcome === "done" && known.fromFile && !command.fromFile && ![5, 8].includes(known.type);
  if (known && (isRepeated || (known.needsYes && known.outcome === null))) {
    const isSame = known.type === command.type && known.payload === command.payload;
    const replacing = { ...command, ...unexecuted };
    if (isSame) return changed(commands, known.id, replacing);
    return [...commands.filter(({ id }) => id !== known.id), { ...replacing, id: nextId }];
  }
  if (known) return changed(commands, known.id, { commandId, reportedAt: null });
  return [...commands, { ...command, ...unexecuted, id: nextId }];
}

function changed(commands: readonly StoredCommand[], id: number, to: Partial<StoredCommand>): readonly StoredCommand[] {
  return commands.map((command) => (command.id === id ? { ...command, ...to } : command));
}

function missing(what: string): LedgerError {
  return new LedgerError("damaged", `there is no ${what}`);
}
