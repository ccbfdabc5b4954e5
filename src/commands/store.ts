/** `tillseal verify` checks the content of the store, and `tillseal changes` shows the record of changes in it. */
import { join } from "node:path";
import type { Command } from "commander";
import { count } from "../base/count.js";
import { VERDICT_WORDS } from "../base/terminal-text.js";
import type { ShownChange } from "../bookkeeping/changes/shown-change.js";
import type { EntryFinding } from "../bookkeeping/verify/entry.js";
import type { StoreVerdict } from "../bookkeeping/verify/verify-store.js";
import { dataDirOf } from "../config/data-dir.js";
import { STORE_FILE } from "../ledger/store-folder.js";
import { configFrom, JSON_FLAG, type SettingFlags, settingsCommand } from "./flags.js";
import { endWith } from "./surroundings.js";
import { printJson, printLines, showProgress } from "./terminal.js";

export function verifyCommand(): Command {
  const about = "check everything in the store, also while the service runs; exit status 1 if something is wrong";
  return settingsCommand("verify", about, JSON_FLAG).action(async (flags: SettingFlags) => {
    const { file, verdict } = await checkStore(dataDirOf(configFrom(flags).settings));
    if (flags.json) printJson({ store: file, ...verdict });
    else printLines(verdictLines(file, verdict));
    if (verdict.findings.length > 0) endWith(1);
  });
}

function verdictLines(file: string, { entries, erased, findings, notes }: StoreVerdict): string[] {
  const checked = count(entries, "entry", "entries");
  return [
    ...notes.map((note) => `${VERDICT_WORDS.note}  ${placed(note)}`),
    ...findings.map(findingLine),
    findings.length === 0
      ? `${file}: ${checked}${erased === 0 ? "" : ` and ${erased} erased ones`}, nothing is wrong`
      : `${file}: ${checked}, ${count(findings.length, "finding")}`,
  ];
}

export function findingLine(finding: EntryFinding): string {
  return `${VERDICT_WORDS.fail}  ${placed(finding)}`;
}

function placed({ id, number, problem }: EntryFinding): string {
  const place = [id === undefined ? [] : [`id ${id}`], number === undefined ? [] : [number]].flat().join(", ");
  return place === "" ? problem : `${place}: ${problem}`;
}

/** Checks the store of a data folder. @throws UserError if the store cannot be read */
export async function checkStore(dataDir: string): Promise<{ file: string; verdict: StoreVerdict }> {
  const { verifyStore } = await import("../bookkeeping/verify/verify-store.js");
  const { StoreReading } = await import("../ledger/store-reading.js");
  return StoreReading.open(dataDir).use((store) => {
    const verdict = verifyStore(store, (done, of) => showProgress(`${done} of ${of} entries`));
    showProgress("");
    return { file: join(dataDir, STORE_FILE), verdict };
  });
}

export function changesCommand(): Command {
  const about = "show the record of changes of settings, rates, parameters and clock; tillseal verify checks it";
  return settingsCommand("changes", about, JSON_FLAG).action(async (flags: SettingFlags) => {
    const { StoreReading } = await import("../ledger/store-reading.js");
    const { shownChanges } = await import("../bookkeeping/changes/shown.js");
    const dataDir = dataDirOf(configFrom(flags).settings);
    const changes = StoreReading.open(dataDir).use((store) => shownChanges(store.changes()));
    if (flags.json) printJson({ changes });
    else printLines(changes.length === 0 ? ["nothing is recorded yet"] : changes.flatMap(changeLines));
  });
}

function changeLines({ id, at, kind, facts }: ShownChange): string[] {
  const factLines = facts.map(({ fact, from, to }) => {
    if (from === null) return `    ${fact}: ${to}`;
    return to === null ? `    ${fact}: ${from}, no longer` : `    ${fact}: ${from} -> ${to}`;
  });
  return [`${id}  ${at}  ${kind}`, ...factLines];
}
