/** The authority's storage: in memory, or in a folder that the next start reads. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { OWNER_ONLY, writePrivate } from "../../src/base/private-file.js";
import { readText } from "../../src/base/read-text.js";
import { messageOf } from "../../src/base/thrown.js";
import { writeDurably } from "../../src/base/write-durably.js";
import { ConfigError } from "../../src/config/config-error.js";

export interface AuthorityContent {
  /** JSON; null at the first start, because there is no register yet. */
  readonly register: string | null;
  /** The JSON of each encrypted package. A key is the card's UID and the counter: `{UID}/{counter}`. */
  readonly packages: Readonly<Record<string, string>>;
  /** Lines of JSON. If a package has several verdicts, the last one counts. */
  readonly verdicts: readonly string[];
}

export type AuthorityFiles = MemoryFiles | FolderFiles;

export class MemoryFiles {
  private register: string | null;
  private readonly packages: Map<string, string>;
  private readonly verdicts: string[];

  /** @param content what an authority stored earlier */
  constructor({ register, packages, verdicts }: AuthorityContent = { register: null, packages: {}, verdicts: [] }) {
    this.register = register;
    this.packages = new Map(Object.entries(packages));
    this.verdicts = [...verdicts];
  }

  readRegister(): string | null {
    return this.register;
  }

  writeRegister(json: string): void {
    this.register = json;
  }

  writePackage(uid: string, counter: number, text: string): void {
    this.packages.set(`${uid}/${counter}`, text);
  }

  readPackage(uid: string, counter: number): string | undefined {
    return this.packages.get(`${uid}/${counter}`);
  }

  appendVerdict(_: string, line: string): void {
    this.verdicts.push(line);
  }

  readVerdicts(): string[] {
    return [...this.verdicts];
  }

  get content(): AuthorityContent {
    const { register, packages, verdicts } = this;
    return { register, packages: Object.fromEntries(packages), verdicts: [...verdicts] };
  }
}

/**
 * Stores the register in `register.json`. Each card has a folder `packages/{UID}/` with its packages and
 * `verdicts.jsonl`. The files of packages have the same names as on a stick.
 */
export class FolderFiles {
  private readonly register: string;
  private readonly packages: string;

  /** @param content replaces what is in the folder */
  constructor(folder: string, content?: AuthorityContent) {
    this.register = join(folder, "register.json");
    this.packages = join(folder, "packages");
    if (content) clearAuthorityFolder(folder);
    mkdirSync(this.packages, { recursive: true, mode: 0o700 });
    if (content) this.write(content);
  }

  get content(): AuthorityContent {
    const packages: Record<string, string> = {};
    for (const folder of readdirSync(this.packages)) {
      for (const name of readdirSync(join(this.packages, folder)).filter((name) => name.endsWith(".json"))) {
        const counter = decodeURIComponent(name).replace(/^.*-(\d+)\.json$/, "$1");
        const text = readText(join(this.packages, folder, name));
        packages[`${decodeURIComponent(folder)}/${counter}`] = text;
      }
    }
    return { register: this.readRegister(), packages, verdicts: this.readVerdicts() };
  }

  private write({ register, packages, verdicts }: AuthorityContent): void {
    for (const [key, text] of Object.entries(packages)) {
      const at = key.lastIndexOf("/");
      this.writePackage(key.slice(0, at), Number(key.slice(at + 1)), text);
    }
    for (const line of verdicts) this.appendVerdict((JSON.parse(line) as { uid: string }).uid, line);
    if (register !== null) this.writeRegister(register);
  }

  readRegister(): string | null {
    return existsSync(this.register) ? readText(this.register) : null;
  }

  writeRegister(json: string): void {
    writeDurably(this.register, json);
  }

  writePackage(uid: string, counter: number, text: string): void {
    mkdirSync(this.folderOf(uid), { recursive: true, mode: 0o700 });
    writePrivate(this.fileOf(uid, counter), text);
  }

  readPackage(uid: string, counter: number): string | undefined {
    const file = this.fileOf(uid, counter);
    return existsSync(file) ? readText(file) : undefined;
  }

  appendVerdict(uid: string, line: string): void {
    appendFileSync(join(this.folderOf(uid), VERDICTS), `${line}\n`, { mode: OWNER_ONLY });
  }

  readVerdicts(): string[] {
    const folders = readdirSync(this.packages).map((name) => join(this.packages, name, VERDICTS));
    // Ignore an incomplete last line, which a power loss may leave. The service sends that package again.
    return folders.filter(existsSync).flatMap((file) => readText(file).split("\n").slice(0, -1));
  }

  private folderOf(uid: string): string {
    return join(this.packages, uidInPath(uid));
  }

  private fileOf(uid: string, counter: number): string {
    return join(this.folderOf(uid), `${encodeURIComponent(`${uid}-${uid}-${counter}`)}.json`);
  }
}

const VERDICTS = "verdicts.jsonl";

/** A UID may have any visible character; the encoding keeps the path inside the folder. */
export function uidInPath(uid: string): string {
  return encodeURIComponent(uid).replaceAll(".", "%2E").replaceAll("*", "%2A");
}

/** Removes the register and all packages of a folder. Keeps the authority's TLS identity. */
export function clearAuthorityFolder(folder: string): void {
  rmSync(join(folder, "register.json"), { force: true });
  rmSync(join(folder, "packages"), { recursive: true, force: true });
}

/** Returns JSON in which each bigint is text, because JSON.stringify cannot write a bigint. */
export function registerJson(content: unknown): string {
  return JSON.stringify(content, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value), 1);
}

/** @throws ConfigError if `json` is damaged: an authority that lost its cards must not start with none */
export function parseRegister(json: string): unknown {
  try {
    return JSON.parse(json, (_, value: unknown) =>
      typeof value === "string" && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
    );
  } catch (error) {
    const why = messageOf(error);
    throw new ConfigError(
      `register.json of the authority is damaged; remove it to start with an empty register: ${why}`,
    );
  }
}
