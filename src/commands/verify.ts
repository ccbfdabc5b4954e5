/** `tillseal verify`: checks that the store is undamaged and has everything that the cards have counted. */
import { Command } from "commander";
import { VERDICT_WORDS } from "../base/terminal-text.js";
import type { Finding } from "../bookkeeping/verify/finding.js";
import type { StoreVerdict } from "../bookkeeping/verify/verify-store.js";
import { dataDirOf } from "../config/data-dir.js";
import { addSettingFlags, configFrom } from "./flags.js";
import { printJson, printLines } from "./output.js";

export function verifyCommand(): Command {
  const command = new Command("verify")
    .description("check everything in the store, also while the service runs; exit status 1 if something is wrong")
    .option("--json", "machine readable");
  return addSettingFlags(command).action(async (flags: Record<string, unknown>) => {
    const { settings } = configFrom(flags);
    const { verified } = await import("./verified.js");
    const { file, verdict } = await verified(dataDirOf(settings));
    if (flags.json) printJson({ store: file, ...verdict });
    else printVerdict(file, verdict);
    if (verdict.findings.length > 0) process.exitCode = 1;
  });
}

function printVerdict(file: string, { entries, erased, findings, notes }: StoreVerdict): void {
  const lines = [
    ...notes.map((note) => `${VERDICT_WORDS.note}  ${placed(note)}`),
    ...findings.map(findingLine),
    findings.length === 0
      ? `${file}: ${entries} entries${erased === 0 ? "" : ` and ${erased} erased ones`}, nothing is wrong`
      : `${file}: ${entries} entries, ${findings.length} findings`,
  ];
  printLines(lines);
}

/** As `tillseal verify` prints it. */
export function findingLine(finding: Finding): string {
  return `${VERDICT_WORDS.fail}  ${placed(finding)}`;
}

function placed({ id, number, problem }: Finding): string {
  const place = [id === undefined ? [] : [`id ${id}`], number === undefined ? [] : [number]].flat().join(", ");
  return place === "" ? problem : `${place}: ${problem}`;
}
