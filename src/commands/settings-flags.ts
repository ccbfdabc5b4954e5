/** A flag for each setting, from the table of settings. */
import { type Command, Option } from "commander";
import { expected } from "../config/expected.js";
import { type LoadedConfig, loadConfig } from "../config/load.js";
import { environmentVariable, flag, SETTING_NAMES, SETTINGS, type SettingName } from "../config/settings.js";

/** @param names of the settings that the command reads. Default: all */
export function addSettingFlags(command: Command, names: readonly SettingName[] = SETTING_NAMES): Command {
  command.option("--config <file>", "configuration file, YAML or JSON (TILLSEAL_CONFIG)");
  for (const name of names) {
    const { description, default: fallback } = SETTINGS[name];
    const defaultText =
      fallback === undefined || (Array.isArray(fallback) && fallback.length === 0) ? "" : `, default ${fallback}`;
    const text = `${description} (${expected(name)}${defaultText}; ${environmentVariable(name)})`;
    const isBoolean = SETTINGS[name].schema.type === "boolean";
    const option = new Option(`${flag(name)} ${isBoolean ? "[value]" : "<value>"}`, text);
    // --console-token alone means --console-token true.
    command.addOption(isBoolean ? option.preset("true") : option);
  }
  return command;
}

/** @throws ConfigError */
export function configFrom(flags: Readonly<Record<string, unknown>>): LoadedConfig {
  const file = typeof flags.config === "string" ? flags.config : undefined;
  return loadConfig({ flags, environment: process.env, folderFile: true, ...(file === undefined ? {} : { file }) });
}
