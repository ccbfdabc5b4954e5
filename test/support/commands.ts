/** The authority's commands for a card, as a service takes, executes and reports them. */
import type { CommandParts, Execution } from "../../src/authority/command-execution.js";
import { Commands } from "../../src/authority/commands.js";
import { SentEnvironments } from "../../src/config/sent-environments.js";
import type { AuthorityLedger } from "../../src/ledger/authority-ledger.js";
import type { FakeAuthority } from "./fake-authority.js";
import { testLog } from "./log.js";

/** @param parts default: no file, the time 0, and a card that executes everything */
export async function commandsFor(uid: string, ledger: AuthorityLedger, parts: Partial<CommandParts> = {}) {
  const environments = await SentEnvironments.load(ledger);
  const done = async (): Promise<Execution> => ({ kind: "done" });
  const commands = new Commands({
    ledger,
    environments,
    file: undefined,
    proof: done,
    directive: done,
    clock: { now: () => 0 },
    log: testLog(),
    changed: () => undefined,
    ...parts,
  });
  const take = async (authority: FakeAuthority) => commands.take(uid, await authority.commands(), "authority");
  const execute = async (authority: FakeAuthority) => {
    await take(authority);
    await commands.execute(uid);
  };
  const round = async (authority: FakeAuthority) => {
    await execute(authority);
    await commands.report(uid, authority);
  };
  return { ledger, environments, commands, take, execute, round };
}

/** How often other work has its turn during a task. */
export async function turnsDuring(task: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let ended = false;
  const count = () => {
    if (ended) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await task();
  ended = true;
  return turns;
}
