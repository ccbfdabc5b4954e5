/** `tillseal verify`: is the store what was written, and has it all that the cards have counted? */
import { Command } from "commander";
import { dataDirOf } from "../config/data-dir.js";
import { printable } from "../printable.js";
import type { Finding } from "../verify/finding.js";
import type { Verdict } from "../verify/verify-store.js";
import { addSettingFlags, configFrom } from "./settings-flags.js";

export function verifyCommand(): Command {
  const command = new Command("verify")
    .description("check everything in the store, also while the service runs; exit status 1 if something is wrong")
    .option("--json", "machine readable");
  return addSettingFlags(command).action(async (flags: Record<string, unknown>) => {
    const { settings } = configFrom(flags);
    const { verified } = await import("./verified.js");
    const { file, verdict } = verified(dataDirOf(settings));
    if (flags.json) process.stdout.write(`${JSON.stringify({ store: file, ...verdict }, null, 2)}\n`);
    else printVerdict(file, verdict);
    if (verdict.findings.length > 0) process.exitCode = 1;
  });
}

function printVerdict(file: string, { entries, erased, findings, notes }: Verdict): void {
  const lines = [
    ...notes.map((note) => `note  ${placed(note)}`),
    ...findings.map((finding) => `FAIL  ${placed(finding)}`),
    findings.length === 0
      ? `${file}: ${entries} entries${erased === 0 ? "" : ` and ${erased} erased ones`}, nothing is wrong`
      : `${file}: ${entries} entries, ${findings.length} findings`,
  ];
  process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(""));
}

function placed({ id, number, problem }: Finding): string {
  const place = [id === undefined ? [] : [`id ${id}`], number === undefined ? [] : [number]].flat().join(", ");
  return place === "" ? problem : `${place}: ${problem}`;
}
