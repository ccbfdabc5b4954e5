/** The authority's storage: in memory, or in a folder that the next start reads. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { OWNER_ONLY, writePrivate } from "../../src/base/private-file.js";
import { messageOf } from "../../src/base/thrown.js";
import { writeDurably } from "../../src/base/write-durably.js";
import { ConfigError } from "../../src/config/config-error.js";

/** Everything that an authority stores, at one moment. */
export interface AuthorityContent {
  readonly register: string | undefined;
  /** Packages by UID and counter. */
  readonly packages: ReadonlyMap<string, string>;
  readonly verdicts: readonly string[];
}

export interface AuthorityFiles {
  /** JSON of the register, or undefined at the first start. */
  readRegister(): string | undefined;
  writeRegister(json: string): void;
  /** A package as it was received. */
  writePackage(uid: string, counter: number, text: string): void;
  readPackage(uid: string, counter: number): string | undefined;
  /** Adds one line of JSON for a verdict. The last verdict of a package counts. */
  appendVerdict(uid: string, line: string): void;
  /** All lines, oldest first. */
  readVerdicts(): string[];
  /** A copy of everything. */
  readonly content: AuthorityContent;
}

export class MemoryFiles implements AuthorityFiles {
  private register: string | undefined;
  private readonly packages: Map<string, string>;
  private readonly verdicts: string[];

  /** @param content what an authority stored earlier */
  constructor(content?: AuthorityContent) {
    this.register = content?.register;
    this.packages = new Map(content?.packages);
    this.verdicts = [...(content?.verdicts ?? [])];
  }

  readRegister(): string | undefined {
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
    return { register: this.register, packages: new Map(this.packages), verdicts: [...this.verdicts] };
  }
}

/**
 * `register.json`, and a folder `packages/{UID}/` for each card: its packages, named as on a stick, and `verdicts.jsonl`.
 */
export class FolderFiles implements AuthorityFiles {
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
    const packages = new Map<string, string>();
    for (const folder of readdirSync(this.packages)) {
      for (const name of readdirSync(join(this.packages, folder)).filter((name) => name.endsWith(".json"))) {
        const counter = decodeURIComponent(name).replace(/^.*-(\d+)\.json$/, "$1");
        packages.set(
          `${decodeURIComponent(folder)}/${counter}`,
          readFileSync(join(this.packages, folder, name), "utf8"),
        );
      }
    }
    return { register: this.readRegister(), packages, verdicts: this.readVerdicts() };
  }

  private write({ register, packages, verdicts }: AuthorityContent): void {
    for (const [key, text] of packages) {
      const at = key.lastIndexOf("/");
      this.writePackage(key.slice(0, at), Number(key.slice(at + 1)), text);
    }
    for (const line of verdicts) this.appendVerdict((JSON.parse(line) as { uid: string }).uid, line);
    if (register !== undefined) this.writeRegister(register);
  }

  readRegister(): string | undefined {
    return existsSync(this.register) ? readFileSync(this.register, "utf8") : undefined;
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
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }

  appendVerdict(uid: string, line: string): void {
    appendFileSync(join(this.folderOf(uid), VERDICTS), `${line}\n`, { mode: OWNER_ONLY });
  }

  readVerdicts(): string[] {
    const folders = readdirSync(this.packages).map((name) => join(this.packages, name, VERDICTS));
    // A power loss may have cut the last line short. The service sends that package again.
    return folders.filter(existsSync).flatMap((file) => readFileSync(file, "utf8").split("\n").slice(0, -1));
  }

  private folderOf(uid: string): string {
    return join(this.packages, uidInPath(uid));
  }

  private fileOf(uid: string, counter: number): string {
    return join(this.folderOf(uid), `${encodeURIComponent(`${uid}-${uid}-${counter}`)}.json`);
  }
}

const VERDICTS = "verdicts.jsonl";

/** A UID may contain any visible character. The encoding keeps the path inside the folder. */
export function uidInPath(uid: string): string {
  return encodeURIComponent(uid).replaceAll(".", "%2E").replaceAll("*", "%2A");
}

/** Removes register and packages, and keeps the authority's TLS identity. */
export function clearAuthorityFolder(folder: string): void {
  rmSync(join(folder, "register.json"), { force: true });
  rmSync(join(folder, "packages"), { recursive: true, force: true });
}

/** JSON with amounts as text, because JSON has no large integers. */
export function registerJson(content: unknown): string {
  return JSON.stringify(content, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value), 1);
}

/** @throws ConfigError if `json` is damaged: an authority that has lost its cards must not start as a new one */
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
