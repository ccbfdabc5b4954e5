/** Makes flags that several commands have: ports, durations, and a flag for each setting. */
import { Command, InvalidArgumentError, Option } from "commander";
import { DURATION_TEXT, parseDuration } from "../base/duration.js";
import { expected } from "../config/expected.js";
import { type LoadedConfig, loadConfig } from "../config/load.js";
import { environmentVariable, flag, SETTING_NAMES, SETTINGS, type SettingName } from "../config/settings.js";
import { becomeOwnerOf } from "../ledger/folder-owner.js";
import { surroundings } from "./surroundings.js";

export type SettingFlags = Readonly<Record<string, unknown>>;

/** Reads a port; 0 means a free port. */
export function portFlag(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("expected a number from 0 to 65535");
}

/** @returns ms */
export function durationFlag(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InvalidArgumentError(`expected ${DURATION_TEXT}`);
}

export const JSON_FLAG = { "--json": "machine readable" };

/** Makes a command with a flag for each setting. @param own its other flags, which come first, and what they mean */
export function settingsCommand(
  name: string,
  description: string,
  own: Readonly<Record<string, string>> = {},
  settings?: readonly SettingName[],
): Command {
  const command = new Command(name).description(description);
  for (const [flags, about] of Object.entries(own)) command.option(flags, about);
  return addSettingFlags(command, settings);
}

/** Adds a flag for each setting. @param names of the settings that the command reads. Default: all */
export function addSettingFlags(command: Command, names: readonly SettingName[] = SETTING_NAMES): Command {
  command.option("--config <file>", "configuration file, YAML or JSON (TILLSEAL_CONFIG)");
  for (const name of names) {
    const { description, default: fallback } = SETTINGS[name];
    const defaultText =
      fallback === undefined || (Array.isArray(fallback) && fallback.length === 0) ? "" : `, default ${fallback}`;
    const text = `${description} (${expected(name).text}${defaultText}; ${environmentVariable(name)})`;
    const isBoolean = SETTINGS[name].schema.type === "boolean";
    const option = new Option(`${flag(name)} ${isBoolean ? "[value]" : "<value>"}`, text);
    // A boolean flag without a value means true: --console-token is --console-token true.
    command.addOption(isBoolean ? option.preset("true") : option);
  }
  return command;
}

/**
 * The settings that flags, variables and the configuration file give. Root works as the owner of the data folder from
 * now on. @param returning whether the command uses {@link asCaller} @throws ConfigError
 */
export function configFrom(flags: SettingFlags, returning = false): LoadedConfig {
  const file = typeof flags.config === "string" ? flags.config : undefined;
  const enterFolder = (folder: string) => becomeOwnerOf(folder, returning);
  return loadConfig({ flags, environment: surroundings().env, enterFolder, ...(file === undefined ? {} : { file }) });
}
