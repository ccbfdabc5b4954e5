/**
 * Makes the files of an audit without internet (protocol facts, section 8) for a stick that goes to the tax authority,
 * and executes the commands that the stick brings back. The command `tillseal audit` reads and writes the stick.
 */
import type { EpochMs } from "../base/epoch-ms.js";
import { toIso } from "../fiscal/time.js";
import type { AuditLedger } from "../ledger/audit-ledger.js";
import { readCommands } from "./answers.js";
import { auditBlock } from "./audit.js";
import { packageFile } from "./audit-package.js";
import { type Commands, isFor } from "./commands.js";
import { packagesFromAll } from "./missing-packages.js";
import type { Packages } from "./packages.js";
import {
  type CommandResult,
  type FailedCommand,
  type StickFile,
  stickNames,
  type TakenCommands,
} from "./stick-files.js";
import type { AuthorityCommand } from "./tax-authority.js";

/** The file of commands is incomplete or not valid. */
export class CommandsError extends Error {
  override readonly name = "CommandsError";
}

/**
 * Yields the request of the open audit, then the packages of all sales that no proof covers, also of sales that only a
 * kept store has.
 * @param kept files of the stores that a restore has kept
 * @throws LedgerError
 */
export async function* stickFiles(
  uid: string,
  audits: AuditLedger,
  packages: Pick<Packages, "packageOf">,
  kept: readonly string[],
): AsyncGenerator<StickFile> {
  const open = await audits.openAudit(uid);
  if (open) yield { name: stickNames(uid).request, base64: Buffer.from(auditBlock(open.request)).toString("base64") };
  let after = (await audits.progress(uid)).provenTo;
  for (;;) {
    const entry = await audits.nextSale(uid, after);
    if (!entry) break;
    after = entry.id;
    const made = await packages.packageOf(entry);
    const base64 = typeof made === "string" ? null : Buffer.from(JSON.stringify(made)).toString("base64");
    const name = packageFile(entry.number ?? `${entry.id}`);
    yield made === "no-key" ? { name, base64, needsKey: true } : { name, base64 };
  }
  const missing = (await audits.missing()).filter((sales) => sales.uid === uid);
  yield* packagesFromAll(kept, missing, packages);
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
  await commands.take(uid, own, "file");
  await commands.execute(uid);
  const fresh = new Set<string>();
  await commands.report(uid, { report: async (commandId) => void fresh.add(commandId.toLowerCase()) });
  const results: CommandResult[] = [];
  const dateAndTime = toIso(now);
  const failed: FailedCommand[] = [];
  // The results have the spelling of the ids in the file.
  const spelled = new Map(own.map(({ commandId }) => [commandId.toLowerCase(), commandId]));
  // Read after the report: a round with the authority may have reported commands of this file in the meantime.
  for (const { commandId, type, outcome, reason } of await commands.reported(uid)) {
    const id = commandId.toLowerCase();
    const inFile = spelled.get(id);
    if (inFile === undefined && !fresh.has(id)) continue;
    const result = { commandId: inFile ?? commandId, success: outcome === "done", dateAndTime };
    results.push(result);
    if (!result.success) failed.push({ commandId: result.commandId, type, reason: reason ?? "" });
  }
  const idsOf = (list: readonly { readonly commandId: string }[]) =>
    new Set(list.map(({ commandId }) => commandId.toLowerCase()));
  const [done, heldNow] = [idsOf(results), idsOf(commands.toRead.held.filter((command) => command.uid === uid))];
  const open = own.filter(({ commandId }) => !done.has(commandId.toLowerCase()));
  const held = open.filter(({ commandId }) => heldNow.has(commandId.toLowerCase())).length;
  const waiting = open.length - held;
  return { results, failed, held, waiting, foreign: sent.length - own.length };
}

/** @throws CommandsError */
function commandsIn(text: string): readonly AuthorityCommand[] {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new CommandsError("the file of commands is incomplete: copy it again");
  }
  try {
    return readCommands(text);
  } catch {
    throw new CommandsError("the file has no list of commands with commandId, type, payload and uid");
  }
}
