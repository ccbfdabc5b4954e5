/** Reads files that people write and name. An error says which file cannot be read, at which place, and why. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { parse as parseYaml, YAMLParseError } from "yaml";
import { didYouMean } from "../base/did-you-mean.js";
import { preparedFile } from "../base/prepared.js";
import { textOf } from "../base/read-text.js";
import { codeOf, messageOf } from "../base/thrown.js";
import { ConfigError } from "./config-error.js";

/** Clearer texts for errors of the system, by their code. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "you do not have permission to read it",
  EISDIR: "it is a folder, not a file",
  ELOOP: "it is a symbolic link that leads back to itself",
  ENOENT: "the file does not exist",
  ENOTDIR: "a part of its path is not a folder",
};

/** Reads a text file. @throws ConfigError, UserError if it is not UTF-8 */
export function readText(file: string): string {
  return textOf(readBytes(file), file);
}

/** Reads the bytes of a file. @throws ConfigError */
export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const message = messageOf(error);
    throw new ConfigError(`${file}: cannot be read: ${REASONS[codeOf(error) ?? ""] ?? message}`);
  }
}

/** Ending of the files in which the build has written the content of YAML files as JSON. */
export const YAML_CONTENT = ".json";

/**
 * Maximum number of characters of a YAML file that a person writes; most of these files have 1 to 4 KiB. The parser
 * needs time for each line and sign, compares each key of a mapping with all others, and nothing else runs meanwhile:
 * 64 KiB of keys take a second or two, 400 KiB take 16 s.
 */
const MOST_YAML_CHARACTERS = 64 * 1024;
const MOST_YAML_SIGNS = 2_000;
const YAML_SIGNS = /[\n,:?[\]{}&*!"'-]/g;
/** Maximum characters of a JSON file, such as a recorded configuration with many rates. 1 MiB takes milliseconds. */
const MOST_JSON_CHARACTERS = 1024 * 1024;

/**
 * Reads YAML, of which JSON is a subset. A text that is too long for YAML is read as JSON.
 * @param most maximum number of characters of a text that is read as YAML; default: as in a file that a person writes
 * @throws ConfigError
 */
export function readYaml(file: string, most?: number): unknown {
  const text = readText(file);
  if (text.length > (most ?? MOST_YAML_CHARACTERS)) return longJson(file, text, most);
  if (most === undefined && (text.match(YAML_SIGNS)?.length ?? 0) > MOST_YAML_SIGNS) return longJson(file, text);
  // The build has parsed the package's own files: parsing them at each start would take most of the time.
  const prepared = preparedFile(text, YAML_CONTENT);
  if (prepared !== undefined) return JSON.parse(textOf(readBytes(prepared), prepared));
  try {
    return parseYaml(text, { prettyErrors: true, logLevel: "error" });
  } catch (error) {
    throw new ConfigError(yamlProblem(file, error));
  }
}

function longJson(file: string, text: string, most?: number): unknown {
  try {
    if (text.length <= MOST_JSON_CHARACTERS) return JSON.parse(text);
  } catch {
    // Ignore this error, because the error below says what may be read.
  }
  const signs = most === undefined ? ` with ${MOST_YAML_SIGNS} line ends and signs such as : and ,` : "";
  const limits = `at most ${most ?? MOST_YAML_CHARACTERS}${signs} are read as YAML, and ${MOST_JSON_CHARACTERS} as JSON`;
  throw new ConfigError(`${file}: has ${text.length} characters; ${limits}`);
}

/** The sentence about a YAML error, without the library's quotation of the file, which may contain secrets. */
export function yamlProblem(file: string, error: unknown): string {
  const [message = ""] = messageOf(error).split(/ at line \d+, column \d+|[:\n]/);
  if (!(error instanceof YAMLParseError) || !error.linePos) return `${file}: cannot be read: ${message}`;
  const [{ line, col }] = error.linePos;
  return `${file}:${line}:${col}: cannot be read: ${message}`;
}

/**
 * Finds a file by path, or by its name in the package, such as the environment `cyrillic`.
 * @param folder of the package's YAML files
 * @param others names that need no file
 * @throws ConfigError that lists the names
 */
export function namedFile(kind: string, name: string, folder: string, others: readonly string[] = []): string {
  const named = join(folder, `${name}.yaml`);
  if (existsSync(named)) return named;
  if (existsSync(name)) return name;
  if (/\.(ya?ml|json)$/i.test(name)) throw new ConfigError(`${name}: cannot be read: ${REASONS.ENOENT}`);
  const names = [...namesIn(folder), ...others];
  // A typing mistake gets the nearest names. Any other name gets the folders, because a list of all names is too long.
  const meant = didYouMean(name, names);
  const folders = [...new Set(names.map((one) => one.replace(/\/.*/, "/...")))];
  throw new ConfigError(
    `there is no ${kind} ${name}${meant || `: it is neither a file nor one of ${folders.join(", ")}`}`,
  );
}

/** Names of the YAML files in a folder, such as `pin/card-locked` for pin/card-locked.yaml; none without the folder. */
export function namesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => file.slice(0, -".yaml".length).replaceAll(sep, "/"))
    .toSorted();
}
