/** Shows changes of rates and addresses on the terminal, old beside new, and asks a person to confirm them. */

import { changeText } from "../authority/configuration-change.js";
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
 * @param yes whether to answer all questions with yes
 * @returns how many commands of the last list were not executed
 */
export async function confirmHeld(source: AuditSource, uid: string, yes: boolean): Promise<number> {
  for (let held = await heldFor(source, uid); held; held = await heldFor(source, uid)) {
    if (!(await confirmList(source, held, yes))) return held.ids.length;
  }
  return 0;
}

/**
 * Shows commands and executes them if they are confirmed.
 * @returns whether they were executed; false without a terminal and without `yes`
 */
async function confirmList(source: AuditSource, held: HeldRecord, yes: boolean): Promise<boolean> {
  const { uid, ids, changes, asksTwice } = held;
  const commands = `${ids.length} command${ids.length === 1 ? "" : "s"}`;
  printLines([`${uid}: ${commands} of a file that is not signed would change:`, ...changes.map(indented)]);
  if (!(await answered("Has the tax authority given you this file, and shall this apply?", yes))) return false;
  if (asksTwice) {
    printLines(["Rates that are known already change, or older rates replace newer ones."]);
    if (!(await answered("Are you sure?", yes))) return false;
  }
  await source.confirm(held);
  return true;
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

/** The commands for a card that wait to be confirmed; undefined without any. @throws UserError */
async function heldFor(source: AuditSource, uid: string): Promise<HeldRecord | undefined> {
  return (await source.toRead()).held.find((held) => held.uid === uid);
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
    if (refuse) await refuseHeld(source, uid);
    else open += await confirmHeld(source, uid, yes);
  }
  if (!refuse && made.length > 0 && !(await confirmSeen(source, made, yes))) open += made.length;
  if (open > 0) throw notConfirmed(`${open} not confirmed; --refuse refuses commands that wait`, yes);
  printLines([refuse ? "Refused." : "Confirmed."]);
}

async function refuseHeld(source: AuditSource, uid: string): Promise<void> {
  for (let held = await heldFor(source, uid); held; held = await heldFor(source, uid)) await source.refuse(held);
}

function indented(change: Parameters<typeof changeText>[0]): string {
  return `  ${changeText(change)}`;
}
