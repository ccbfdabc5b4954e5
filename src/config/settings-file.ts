/** The configuration file as the console shows and writes it: values are checked first, comments survive. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { type Document, parse, parseDocument } from "yaml";
import { writeDurably } from "../write-durably.js";
import { expectation, expected } from "./expected.js";
import { isSettingValue, type LoadedConfig } from "./load.js";
import type { SettingProblem } from "./setting-problem.js";
import {
  CONSOLE_SETTINGS,
  type ConsoleSetting,
  environmentVariable,
  flag,
  SETTINGS,
  type Settings,
} from "./settings.js";

/** Nothing was saved: what is wrong, by setting. */
export class SettingsRefusedError extends Error {
  override readonly name = "SettingsRefusedError";
  constructor(
    message: string,
    readonly problems: Readonly<Record<string, SettingProblem>> = {},
  ) {
    super(message);
  }
}

/** Flag or environment variable that says a setting, and so wins over the file; null where none does. */
export function overruling(name: ConsoleSetting, { sources }: LoadedConfig): string | null {
  const source = sources.get(name);
  if (source === "flag") return flag(name);
  return source === "environment" ? environmentVariable(name) : null;
}

/**
 * @param changes null takes a setting out of the file
 * @throws SettingsRefusedError where a value is wrong, or cannot be said here
 */
export function checkChanges(changes: Readonly<Record<string, unknown>>, config: LoadedConfig): void {
  // A map: a name such as __proto__ must be refused like any other.
  const wrong = new Map<string, SettingProblem>();
  for (const [name, value] of Object.entries(changes)) {
    const setting = CONSOLE_SETTINGS.find((known) => known === name);
    const problem = setting ? changeProblem(setting, value, config) : NOT_CHANGED_HERE;
    if (problem !== undefined) wrong.set(name, problem);
  }
  const said = [...wrong].map(([name, { text }]) => `${name}: ${text}`);
  if (said.length > 0) throw new SettingsRefusedError(said.join("; "), Object.fromEntries(wrong));
}

const NOT_CHANGED_HERE: SettingProblem = {
  ...{ text: "is no setting that can be changed here", reason: "refusedUnknown", values: {} },
};

function changeProblem(name: ConsoleSetting, value: unknown, config: LoadedConfig): SettingProblem | undefined {
  const by = overruling(name, config);
  if (by !== null) return { text: `${by} says it, and wins over the file`, reason: "refusedOverruled", values: { by } };
  if (value === null || isSettingValue(name, value)) return undefined;
  return { text: `expected ${expected(name)}`, ...expectation(name) };
}

/**
 * What has been checked goes into the file, which is never half written.
 * @throws SettingsRefusedError where the file could not be changed without changing more. Throws what the system says
 */
export function writeSettings(file: string, changes: Readonly<Record<string, unknown>>): void {
  const old = existsSync(file) ? readFileSync(file, "utf8") : "";
  const document: Document = parseDocument(old);
  // An empty file has no contents that could be added to.
  if (document.contents === null) document.contents = document.createNode({});
  const meant = { ...(document.toJS() as Record<string, unknown>), ...changes };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) document.delete(name);
    else document.set(name, value);
  }
  const text = file.endsWith(".json") ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString();
  if (!isSame(inOrder(parse(text)), inOrder(meant))) {
    throw new SettingsRefusedError("The file says several settings at once, with an anchor; change it by hand");
  }
  replaceFile(file, text);
}

/** Settings that are there, by name. */
function inOrder(settings: unknown): unknown[] {
  const said = Object.entries(settings as object).filter(([, value]) => value !== null && value !== undefined);
  return said.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** As a whole, on the disk when this returns, behind a link too. */
function replaceFile(file: string, text: string): void {
  writeDurably(existsSync(file) ? realpathSync(file) : file, text);
}

/** What the service will run with once it has read the file again. */
export function savedValue(name: ConsoleSetting, { fileValues, settings, sources }: LoadedConfig): unknown {
  const source = sources.get(name);
  if (source === "flag" || source === "environment") return settings[name];
  return fileValues[name] ?? SETTINGS[name].default;
}

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** Only those of a configuration that the console can change. */
export function consoleSettings(settings: Settings): Partial<Settings> {
  return Object.fromEntries(CONSOLE_SETTINGS.map((name) => [name, settings[name]]));
}
