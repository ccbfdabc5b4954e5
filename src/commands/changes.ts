/** `tillseal changes`: the record of settings, rates, parameters and clock. */
import { Command } from "commander";
import type { ShownChange } from "../bookkeeping/changes/shown-change.js";
import { dataDirOf } from "../config/data-dir.js";
import { addSettingFlags, configFrom } from "./flags.js";
import { printJson, printLines } from "./output.js";

export function changesCommand(): Command {
  const command = new Command("changes")
    .description("show the record of changes of settings, rates, parameters and clock; tillseal verify checks it")
    .option("--json", "machine readable");
  return addSettingFlags(command).action(async (flags: Record<string, unknown>) => {
    const { readChanges } = await import("../client/changes-source.js");
    const changes = await readChanges(dataDirOf(configFrom(flags).settings));
    if (flags.json) {
      printJson({ changes });
      return;
    }
    const lines = changes.flatMap(linesOf);
    printLines(lines.length === 0 ? ["nothing is recorded yet"] : lines);
  });
}

function linesOf({ id, at, kind, name, facts }: ShownChange): string[] {
  const factLines = facts.map(({ fact, from, to }) => {
    if (from === null) return `    ${fact}: ${to}`;
    return to === null ? `    ${fact}: ${from}, no longer` : `    ${fact}: ${from} -> ${to}`;
  });
  return [`${id}  ${at}  ${kind}  (${name})`, ...factLines];
}
