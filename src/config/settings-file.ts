/** Reads and writes the configuration file for the console. Checks values before it writes them, and keeps comments. */
import { existsSync, realpathSync } from "node:fs";
import { type Document, parse, parseDocument } from "yaml";
import { readText } from "../base/read-text.js";
import { writeDurably } from "../base/write-durably.js";
import { expected } from "./expected.js";
import { isSettingValue, type LoadedConfig, overruling } from "./load.js";
import type { SettingProblem } from "./settings/row.js";
import { CONSOLE_SETTINGS, type ConsoleSetting, SETTINGS, type Settings } from "./settings.js";

/** The error if changes of settings were refused and nothing was saved. `problems` says what is wrong, by setting. */
export class SettingsRefusedError extends Error {
  override readonly name = "SettingsRefusedError";
  constructor(
    message: string,
    readonly problems: Readonly<Record<string, SettingProblem>> = {},
  ) {
    super(message);
  }
}

/**
 * @param changes new values by name; null takes a setting out of the file
 * @throws SettingsRefusedError if a value is wrong, or the console cannot change the setting
 */
export function checkChanges(changes: Readonly<Record<string, unknown>>, config: LoadedConfig): void {
  // Use a map, because a name such as __proto__ must be refused like any other name.
  const wrong = new Map<string, SettingProblem>();
  for (const [name, value] of Object.entries(changes)) {
    const setting = CONSOLE_SETTINGS.find((known) => known === name);
    const problem = setting ? changeProblem(setting, value, config) : NOT_CHANGED_HERE;
    if (problem !== undefined) wrong.set(name, problem);
  }
  const problems = [...wrong].map(([name, { text }]) => `${name}: ${text}`);
  if (problems.length > 0) throw new SettingsRefusedError(problems.join("; "), Object.fromEntries(wrong));
}

const NOT_CHANGED_HERE: SettingProblem = { text: "cannot be changed here", reason: "refusedUnknown", values: {} };

function changeProblem(name: ConsoleSetting, value: unknown, config: LoadedConfig): SettingProblem | undefined {
  const by = overruling(name, config);
  if (by !== null) return { text: `${by} sets it and overrides the file`, reason: "refusedOverruled", values: { by } };
  if (value === null || isSettingValue(name, value)) return undefined;
  const problem = expected(name);
  return { ...problem, text: `expected ${problem.text}` };
}

/**
 * Writes checked changes into the file, which is never half written.
 * @throws SettingsRefusedError if the change would change other settings too; the system's error if writing fails
 */
export function writeSettings(file: string, changes: Readonly<Record<string, unknown>>): void {
  const old = existsSync(file) ? readText(file) : "";
  const document: Document = parseDocument(old);
  // An empty file has no contents, so create them.
  if (document.contents === null) document.contents = document.createNode({});
  const meant = { ...(document.toJS() as Record<string, unknown>), ...changes };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) document.delete(name);
    else document.set(name, value);
  }
  const text = file.endsWith(".json") ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString();
  if (!isSame(inOrder(parse(text)), inOrder(meant))) {
    throw new SettingsRefusedError("The file sets several settings at once with a YAML anchor; change it by hand");
  }
  // If the file is a link, replace the file to which the link leads.
  writeDurably(existsSync(file) ? realpathSync(file) : file, text);
}

/** The settings that have a value, sorted by name. */
function inOrder(settings: unknown): unknown[] {
  const stated = Object.entries(settings as object).filter(([, value]) => value !== null && value !== undefined);
  return stated.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** The value that a setting has after the next restart of the service. */
export function savedValue(name: ConsoleSetting, { fileValues, settings, sources }: LoadedConfig): unknown {
  const source = sources.get(name);
  if (source === "flag" || source === "environment") return settings[name];
  return fileValues[name] ?? SETTINGS[name].default;
}

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** The settings that the console can change, with their values. */
export function consoleSettings(settings: Settings): Partial<Settings> {
  return Object.fromEntries(CONSOLE_SETTINGS.map((name) => [name, settings[name]]));
}
