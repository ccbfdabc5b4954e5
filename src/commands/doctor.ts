/** `tillseal doctor`: says whether a shop could sell now, and if not, why. */
import type { Command } from "commander";
import { VERDICT_WORDS } from "../base/terminal-text.js";
import { configFrom, JSON_FLAG, type SettingFlags, settingsCommand } from "./flags.js";
import { endWith } from "./surroundings.js";
import { askedKeyPin, printJson, printTable } from "./terminal.js";

export function doctorCommand(): Command {
  const about =
    "check reader, card, certificate, tax authority, clock, disk, port, data folder, store and backups; exit status 1 if a shop could not sell";
  const command = settingsCommand("doctor", about, {
    ...JSON_FLAG,
    "--use-key": "also sign with the key in the card for the tax authority while no service runs; asks for its PIN",
  });
  return command.action(async (flags: SettingFlags) => {
    const { examine } = await import("./examine.js");
    const checks = await examine(configFrom(flags), flags.useKey === true ? await askedKeyPin() : undefined);
    if (flags.json) {
      printJson({ findings: checks.map(({ subject, verdict, message }) => ({ subject, verdict, message })) });
    } else printTable(checks.map(({ subject, verdict, message }) => [VERDICT_WORDS[verdict], subject, message]));
    if (checks.some(({ verdict }) => verdict === "fail")) endWith(1);
  });
}
