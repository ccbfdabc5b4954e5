/** Shows changes of rates and addresses on the terminal, old beside new, and asks a person to confirm them. */
import { changeText } from "../authority/configuration-change.js";
import { count } from "../base/count.js";
import { minuteText } from "../base/terminal-text.js";
import { UserError } from "../base/user-error.js";
import type { AuditSource } from "../client/audit-source.js";
import { ConfigError } from "../config/config-error.js";
import type { HeldRecord, MadeRecord } from "../console/records/audits.js";
import { surroundings } from "./surroundings.js";
import { agreed, printLines } from "./terminal.js";

/**
 * Shows what the commands of a file for a card change, and executes the commands after a person has confirmed them.
 * Some changes must be confirmed twice. One list shows only some of many commands; when a person has confirmed it, the
 * next list follows.
 * @param yes whether to answer all questions with yes. Without it and without a terminal, nothing is executed
 * @returns how many commands of the last list were not executed
 */
export async function confirmHeld(source: AuditSource, uid: string, yes: boolean): Promise<number> {
  for await (const held of heldFor(source, uid)) {
    const { ids, changes, asksTwice } = held;
    printLines([`${uid}: ${count(ids.length, "command")} of a file that is not signed would change:`]);
    printLines(changes.map(indented));
    if (!(await answered("Has the tax authority given you this file, and shall this apply?", yes))) return ids.length;
    if (asksTwice) {
      printLines(["Rates that are known already change, or older rates replace newer ones."]);
      if (!(await answered("Are you sure?", yes))) return ids.length;
    }
    await source.confirm(held);
  }
  return 0;
}

/** Makes the error for commands or changes that are not confirmed. The error says what to do. */
export function notConfirmed(message: string, yes: boolean): UserError {
  if (yes || surroundings().stdin.isTTY) return new UserError(message);
  const todo = "without a terminal to ask on, add --yes, or use the page Audit of the console";
  return new ConfigError(`${message}: ${todo}`);
}

async function answered(question: string, yes: boolean): Promise<boolean> {
  return yes || (surroundings().stdin.isTTY === true && (await agreed(question)));
}

/** Shows the changes that were made and asks whether the person has seen them. */
async function confirmSeen(source: AuditSource, made: readonly MadeRecord[], yes: boolean): Promise<boolean> {
  for (const { uid, at, changes } of made) printLines([`${uid}: changed ${minuteText(at)}:`, ...changes.map(indented)]);
  if (!(await answered("Have you compared this with what the tax authority has published?", yes))) return false;
  await source.seen(made);
  return true;
}

/** The lists of commands for a card that wait to be confirmed, each when the one before was settled. */
async function* heldFor(source: AuditSource, uid: string): AsyncGenerator<HeldRecord> {
  for (;;) {
    const list = (await source.toRead()).held.find((held) => held.uid === uid);
    if (!list) return;
    yield list;
  }
}

/** Does the work of `tillseal audit confirm`. @throws UserError if something is not confirmed */
export async function confirmAll(
  source: AuditSource,
  { yes, refuse }: { yes: boolean; refuse: boolean },
): Promise<void> {
  const { held, made } = await source.toRead();
  if (held.length + made.length === 0) return printLines(["There is nothing to confirm."]);
  let open = 0;
  for (const { uid } of held) {
    if (!refuse) open += await confirmHeld(source, uid, yes);
    else for await (const list of heldFor(source, uid)) await source.refuse(list);
  }
  if (!refuse && made.length > 0 && !(await confirmSeen(source, made, yes))) open += made.length;
  if (open > 0) throw notConfirmed(`${open} not confirmed; --refuse refuses commands that wait`, yes);
  printLines([refuse ? "Refused." : "Confirmed."]);
}

const indented = (change: Parameters<typeof changeText>[0]) => `  ${changeText(change)}`;
