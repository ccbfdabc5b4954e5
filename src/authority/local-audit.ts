/**
 * Makes the files of an audit without internet (protocol facts, section 8) for a stick that goes to the tax authority,
 * and executes the commands that the stick brings back. The command `tillseal audit` reads and writes the stick.
 */
import type { EpochMs } from "../base/epoch-ms.js";
import { toIso } from "../fiscal/time.js";
import type { AuditLedger, MissingSales } from "../ledger/audit-ledger.js";
import { StoreError } from "../ledger/database.js";
import type { Entry } from "../ledger/ledger.js";
import { StoreReading } from "../ledger/store-reading.js";
import { readCommands } from "./answers.js";
import { auditBlock } from "./audit.js";
import { type Commands, isFor } from "./commands.js";
import type { Packages } from "./packages.js";
import { type StickFile, stickNames, type TakenCommands } from "./stick-files.js";
import { type AuthorityCommand, idOf } from "./tax-authority.js";

type MakesPackages = Pick<Packages, "packageOf">;

/** The file of commands is incomplete or not valid. */
export class CommandsError extends Error {
  override readonly name = "CommandsError";
}

/**
 * Yields the request of the open audit, then the packages of all sales that no proof covers. Sales that this store lacks
 * since a backup was restored come from the kept stores, each once: without their packages, the authority may refuse
 * every proof of audit for the card.
 * @param kept files of the stores that a restore has kept
 * @throws LedgerError
 */
export async function* stickFiles(
  uid: string,
  audits: AuditLedger,
  packages: MakesPackages,
  kept: readonly string[],
): AsyncGenerator<StickFile> {
  const open = await audits.openAudit(uid);
  if (open) yield { name: stickNames(uid).request, base64: Buffer.from(auditBlock(open.request)).toString("base64") };
  let after = (await audits.progress(uid)).provenTo;
  for (;;) {
    const entry = await audits.nextSale(uid, after);
    if (!entry) break;
    after = entry.id;
    yield await packageFile(entry, packages);
  }
  const missing = (await audits.missing()).filter((sales) => sales.uid === uid);
  const written = new Set<string>();
  for (const file of missing.length > 0 ? kept : []) {
    let store: StoreReading | undefined;
    try {
      store = StoreReading.openFile(file);
      for await (const made of packagesFrom(store, missing, packages)) {
        if (written.has(made.name)) continue;
        written.add(made.name);
        yield made;
      }
    } catch (error) {
      // Skip a damaged store: damage is often the reason why a backup was restored.
      if (!(error instanceof StoreError)) throw error;
    } finally {
      store?.close();
    }
  }
}

/**
 * Yields the packages that another store has. That store need not have the authority's key.
 * @param missing sales of one card
 * @throws StoreError
 */
export async function* packagesFrom(
  store: StoreReading,
  missing: readonly MissingSales[],
  packages: MakesPackages,
): AsyncGenerator<StickFile> {
  for (const { uid, from, to } of missing) {
    for (const entry of store.salesBetween(uid, from, to)) {
      const made = await packageFile(entry, packages);
      if (made.base64 !== null) yield made;
    }
  }
}

async function packageFile(entry: Entry, packages: MakesPackages): Promise<StickFile> {
  const name = `${entry.number ?? entry.id}.json`;
  const made = await packages.packageOf(entry);
  if (made === "no-key") return { name, base64: null, needsKey: true };
  return { name, base64: made === "damaged" ? null : Buffer.from(JSON.stringify(made)).toString("base64") };
}

/**
 * Executes the commands of a stick for a card, in order. A command that was executed before is not executed again; its
 * result is reported again. A command that waits for a yes has no result yet.
 * @param text of the file `{UID}.commands`
 * @throws CommandsError if the file cannot be read, and nothing was executed; LedgerError
 */
export async function takeCommands(
  uid: string,
  text: string,
  commands: Pick<Commands, "take" | "execute" | "reported" | "report" | "toRead">,
  now: EpochMs,
): Promise<TakenCommands> {
  const sent = commandsIn(text);
  const own = sent.filter((command) => isFor(uid, command));
  const before = new Set((await commands.reported(uid)).map(idOf));
  await commands.take(uid, own, "file");
  await commands.execute(uid);
  const fresh = new Set<string>();
  await commands.report(uid, { report: async (commandId) => void fresh.add(idOf({ commandId })) });
  // The results have the spelling of the ids in the file.
  const spelled = new Map(own.map((command) => [idOf(command), command.commandId]));
  // Read after the report: a round with the authority may have reported commands of this file in the meantime.
  const reported = (await commands.reported(uid))
    .filter((command) => spelled.has(idOf(command)) || fresh.has(idOf(command)))
    .map((command) => ({ ...command, commandId: spelled.get(idOf(command)) ?? command.commandId }));
  const dateAndTime = toIso(now);
  const done = new Set(reported.map(idOf));
  const open = own.filter((command) => !done.has(idOf(command)));
  const heldNow = new Set(commands.toRead.held.filter((command) => command.uid === uid).map(idOf));
  const held = open.filter((command) => heldNow.has(idOf(command))).length;
  return {
    results: reported.map(({ commandId, outcome }) => ({ commandId, success: outcome === "done", dateAndTime })),
    failed: reported
      .filter(({ outcome }) => outcome !== "done")
      .map(({ commandId, type, reason }) => ({ commandId, type, reason: reason ?? "" })),
    earlier: reported.filter((command) => command.outcome === "done" && before.has(idOf(command))).length,
    held,
    waiting: open.length - held,
    foreign: sent.length - own.length,
  };
}

/** @throws CommandsError */
function commandsIn(text: string): readonly AuthorityCommand[] {
  try {
    return readCommands(text);
  } catch (error) {
    const { cause } = error as Error;
    if (cause instanceof RangeError) throw new CommandsError(`the file of commands ${cause.message}`);
    if (cause instanceof SyntaxError) throw new CommandsError("the file of commands is incomplete: copy it again");
    throw new CommandsError("the file has no list of commands with commandId, type, payload and uid");
  }
}
