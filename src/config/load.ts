/**
 * Reads the settings. A flag overrides an environment variable; a variable overrides the configuration file; the file
 * overrides a default. Misspelt variables are refused, because they would have no effect.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { didYouMean } from "../base/did-you-mean.js";
import { compileSchema, explainErrors, MOST_FILE_VALUES, pathOf, tellingErrors } from "../schema/validator.js";
import { at, ConfigError } from "./config-error.js";
import { dataDirOf } from "./data-dir.js";
import { choicesOf, expected } from "./expected.js";
import { readYaml } from "./read-file.js";
import type { ValueSchema } from "./settings/row.js";
import {
  environmentVariable,
  flag,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type Settings,
  settingsSchema,
} from "./settings.js";

const CONFIG_VARIABLE = "TILLSEAL_CONFIG";

/**
 * Matches variables that Kubernetes and Docker set for a service called `tillseal` or `tillseal-shop`:
 * TILLSEAL_SERVICE_HOST, TILLSEAL_PORT_8431_TCP_ADDR, and the variable of the setting `port` with an address,
 * TILLSEAL_PORT=tcp://10.0.0.1:8431.
 */
const SET_BY_ORCHESTRATOR = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const ADDRESS_OF_ORCHESTRATOR = /^(tcp|udp|sctp):\/\//;

/** Matches variables of docker/compose.yaml and docker/offline-base.sh, which a command's shell may export. */
const READ_BY_DOCKER_FILES = /^TILLSEAL_(BIND|USER|CACHE|(CARD_|PCSCD_)?IMAGE|PUBLISHED_(\w+_)?PORT)$/;

/** Matches variables in which the tests of a POS find the emulator that `tillseal rehearse -- COMMAND` has started. */
const FOR_TESTS_OF_A_POS = /^TILLSEAL_((CONTROL_|VSDC_)?URL|VSDC_(PAC|CERTIFICATE|PASSPHRASE|CA))$/;

/** Name of the configuration file in a data folder. */
const CONFIG_FILE = "tillseal.yaml";

export type SettingSource = "default" | "file" | "environment" | "flag";

export interface LoadedConfig {
  readonly settings: Settings;
  readonly sources: ReadonlyMap<SettingName, SettingSource>;
  /** The configuration file; undefined if there is none. The file in the data folder may not exist yet. */
  readonly file?: string;
  /** The settings in the configuration file; empty without one. */
  readonly fileValues: Readonly<Record<string, unknown>>;
}

type Variables = Readonly<Record<string, string | undefined>>;

interface ConfigInput {
  /** The flags of the command line as a person typed them, by setting. */
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly environment?: Variables;
  /** The configuration file (YAML or JSON). */
  readonly file?: string;
  /** Called with the folder of a store that stays, before its file is read, which counts if no other file is named. */
  readonly enterFolder?: (dataDir: string) => void;
}

const validate = compileSchema<Settings>(settingsSchema(SETTING_NAMES), MOST_FILE_VALUES);

/** Reads the settings from all sources. @throws ConfigError */
export function loadConfig({ flags = {}, environment = {}, file, enterFolder }: ConfigInput): LoadedConfig {
  const settings: Record<string, unknown> = Object.fromEntries(
    SETTING_NAMES.map((name) => [name, SETTINGS[name].default]),
  );
  const sources = new Map<SettingName, SettingSource>(SETTING_NAMES.map((name) => [name, "default"]));
  const take = (source: SettingSource, where: (name: SettingName) => string, from: Record<string, unknown>) => {
    check(from, where);
    for (const name of SETTING_NAMES) {
      if (from[name] === undefined) continue;
      settings[name] = from[name];
      sources.set(name, source);
    }
  };

  refuseUnknownVariables(environment);
  // Ignore empty variables, as Compose passes unset ones. An empty flag is a mistake, such as --data-dir "$UNSET".
  const variables = typed((name) => {
    const text = environment[environmentVariable(name)];
    return text && !ADDRESS_OF_ORCHESTRATOR.test(text) ? text : undefined;
  });
  const typedFlags = typed((name) => flags[name]);
  const named = file ?? (environment[CONFIG_VARIABLE] || undefined);
  const namedBy = file === undefined ? CONFIG_VARIABLE : "--config";
  const namedValues = named === undefined ? {} : valuesIn(named, namedBy);
  const folder = enterFolder && folderOf({ ...namedValues, ...variables, ...typedFlags });
  if (folder !== undefined) enterFolder?.(folder);
  const configFile = named ?? (folder === undefined ? undefined : join(folder, CONFIG_FILE));
  const fileValues = named === undefined ? valuesIn(configFile) : namedValues;
  if (named === undefined && fileValues.dataDir !== undefined) {
    throw new ConfigError(`${configFile}: dataDir cannot be set in the file in the data folder`);
  }
  take("file", () => String(configFile), fileValues);
  take("environment", environmentVariable, variables);
  take("flag", flag, typedFlags);
  return {
    settings: settings as unknown as Settings,
    sources,
    fileValues,
    ...(configFile === undefined ? {} : { file: configFile }),
  };
}

/** The flag or environment variable that sets a setting and overrides the file; null if there is none. */
export function overruling(name: SettingName, { sources }: LoadedConfig): string | null {
  const source = sources.get(name);
  if (source === "flag") return flag(name);
  return source === "environment" ? environmentVariable(name) : null;
}

/** @throws ConfigError that begins with `--environment`, `TILLSEAL_ENVIRONMENT`, or `tillseal.yaml: environment` */
export function aboutSetting<T>(name: SettingName, config: LoadedConfig, read: () => T): T {
  const inFile = config.sources.get(name) === "file" ? `${config.file}: ${name}` : name;
  return at(overruling(name, config) ?? inFile, read, name);
}

/** The data folder of a store that stays; undefined if the store is temporary. */
function folderOf(stated: Readonly<Record<string, unknown>>): string | undefined {
  const { card = SETTINGS.card.default, dataDir } = stated as Partial<Settings>;
  return card === "pcsc" || typeof dataDir === "string" ? dataDirOf({ dataDir }) : undefined;
}

export function isSettingValue(name: SettingName, value: unknown): boolean {
  return validate({ [name]: structuredClone(value) });
}

/** @param namedBy flag or variable that names the file; undefined for the data folder's file, which need not exist */
function valuesIn(file: string | undefined, namedBy?: string): Record<string, unknown> {
  if (file === undefined) return {};
  if (namedBy !== undefined) return at(namedBy, () => readFile(file));
  return existsSync(file) ? readFile(file) : {};
}

function readFile(file: string): Record<string, unknown> {
  const content = readYaml(file);
  if (content === null || content === undefined) return {};
  if (typeof content !== "object" || Array.isArray(content)) {
    throw new ConfigError(`${file}: must contain settings as key: value lines, for example port: 8431`);
  }
  return content as Record<string, unknown>;
}

/** Converts texts of flags and variables to the types of the settings. A text that does not fit is refused later. */
function typed(text: (name: SettingName) => unknown): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const value = text(name);
    if (value === undefined) continue;
    values[name] = typeof value === "string" ? inType(value, SETTINGS[name].schema.type) : value;
  }
  return values;
}

function inType(text: string, type: ValueSchema["type"]): unknown {
  if (type === "integer" && /^-?\d+$/.test(text)) return Number(text);
  if (type === "boolean" && /^(true|1|yes|on)$/i.test(text)) return true;
  if (type === "boolean" && /^(false|0|no|off)$/i.test(text)) return false;
  if (type === "array") return text === "" ? [] : text.split(",").map((part) => part.trim());
  return text;
}

function check(values: Record<string, unknown>, where: (name: SettingName) => string): void {
  // Validate a copy, because validation fills in defaults, but here every value must have a source.
  if (validate(structuredClone(values))) return;
  const errors = tellingErrors(validate.errors);
  const lines = errors.map((error) => {
    const name = error.instancePath.split("/")[1] ?? "";
    const known = SETTING_NAMES.find((setting) => setting === name);
    if (known === undefined) return `${where("port")}: ${explainErrors([error], undefined, "names").join()}`;
    const value = values[known];
    const choices = (choicesOf(known) ?? []).map(String);
    const chosen = typeof value === "string" ? didYouMean(value, choices) : "";
    return `${where(known)}: ${known} is ${JSON.stringify(value)}; expected ${expected(known).text}${chosen}`;
  });
  throw new ConfigError([...new Set(lines)].join("\n"), errors[0] && pathOf(errors[0]));
}

/** @throws ConfigError that names every variable of an unknown setting, and the known variables */
function refuseUnknownVariables(environment: Variables): void {
  const known = [...SETTING_NAMES.map(environmentVariable), CONFIG_VARIABLE];
  const others = [SET_BY_ORCHESTRATOR, READ_BY_DOCKER_FILES, FOR_TESTS_OF_A_POS];
  const unknown = Object.keys(environment)
    .filter((name) => name.startsWith("TILLSEAL_") && !known.includes(name))
    .filter((name) => !others.some((pattern) => pattern.test(name)))
    .filter((name) => !ADDRESS_OF_ORCHESTRATOR.test(environment[name] ?? ""));
  if (unknown.length === 0) return;
  const lines = unknown.map((name) => `${name}: there is no such setting${didYouMean(name, known)}`);
  throw new ConfigError(`${lines.join("\n")}\nthe variables are ${known.join(", ")}`);
}
