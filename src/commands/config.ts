/** `tillseal config`: every setting, its value and the value's source. */
import { Command } from "commander";
import { environmentVariable, flag, SETTING_NAMES, SETTINGS } from "../config/settings.js";
import { addSettingFlags, configFrom } from "./flags.js";
import { printJson, printTable } from "./output.js";

export function configCommand(): Command {
  const command = new Command("config")
    .description("show every setting, its value and where it comes from")
    .option("--json", "machine readable");
  return addSettingFlags(command).action((flags: Record<string, unknown>) => {
    const { settings, sources, file } = configFrom(flags);
    const rows = SETTING_NAMES.map((name) => ({
      setting: name,
      value: settings[name] ?? null,
      source: sources.get(name) ?? "default",
      flag: flag(name),
      variable: environmentVariable(name),
      description: SETTINGS[name].description,
    }));
    if (flags.json) {
      printJson({ file: file ?? null, settings: rows });
      return;
    }
    const shown = rows.flatMap(({ setting, value, source, description }) => {
      const text = value === null ? "-" : Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
      const from = source === "file" ? `file ${file}` : source;
      return [
        [setting, `${text}  (${from})`],
        ["", description],
      ];
    });
    printTable(shown);
  });
}
