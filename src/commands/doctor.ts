/** `tillseal doctor`: could a shop sell now, and if not, why? */
import { Command } from "commander";
import { printable } from "../printable.js";
import { addSettingFlags, configFrom } from "./settings-flags.js";

const MARKS = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;

export function doctorCommand(): Command {
  const command = new Command("doctor")
    .description(
      "check reader, card, certificate, tax authority, clock, disk, port, data folder, store and backups; exit status 1 if a shop could not sell",
    )
    .option("--json", "machine readable");
  return addSettingFlags(command).action(async (flags: Record<string, unknown>) => {
    const { examine } = await import("./examine.js");
    const findings = await examine(configFrom(flags));
    if (flags.json) process.stdout.write(`${JSON.stringify({ findings }, null, 2)}\n`);
    else {
      const width = Math.max(...findings.map(({ subject }) => subject.length));
      for (const { subject, verdict, message } of findings) {
        process.stdout.write(`${MARKS[verdict]}  ${subject.padEnd(width)}  ${printable(message)}\n`);
      }
    }
    if (findings.some(({ verdict }) => verdict === "fail")) process.exitCode = 1;
  });
}
