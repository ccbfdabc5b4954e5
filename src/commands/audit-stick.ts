/**
 * The folder `{UID}` on a stick (protocol facts, section 8). Each file is written beside its name, synced and renamed; a list of all
 * of them comes last, and every copy is read again: a stick that was pulled too early is noticed.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type StickFile, stickNames, type TakenCommands } from "../authority/local-audit.js";
import { syncFolder } from "../write-durably.js";
import { UserError } from "./user-error.js";

/** What a copy consists of; the authority's portal does not need it. */
export const COPY_LIST = "tillseal-copy.json";

export interface Exported {
  readonly folder: string;
  readonly hasRequest: boolean;
  readonly packages: number;
  /** Names of packages that could not be made. */
  readonly missing: readonly string[];
}

type Hashes = Record<string, string>;

/** @param dir of the stick @throws UserError where the stick does not take it or gives something else back */
export async function exportTo(dir: string, uid: string, files: AsyncIterable<StickFile>): Promise<Exported> {
  const folder = join(dir, uid);
  const written: Hashes = {};
  const missing: string[] = [];
  await onStick(folder, async () => {
    mkdirSync(folder, { recursive: true });
    // Until it is whole again, the copy is none.
    rmSync(join(folder, COPY_LIST), { force: true });
    removeOld(folder, uid);
    for await (const { name, base64 } of files) {
      if (base64 === null) missing.push(name);
      else written[name] = write(folder, name, Buffer.from(base64, "base64"));
    }
    write(folder, COPY_LIST, Buffer.from(`${JSON.stringify({ uid, files: written }, null, 2)}\n`));
    syncFolder(folder);
  });
  requireWhole(folder);
  const hasRequest = written[stickNames(uid).request] !== undefined;
  return { folder, hasRequest, packages: Object.keys(written).length - (hasRequest ? 1 : 0), missing };
}

/** @throws UserError where a copy was interrupted, or a file is not what was written */
export function requireWhole(folder: string): void {
  const list = join(folder, COPY_LIST);
  if (!existsSync(list)) throw new UserError(`the copy in ${folder} was interrupted: run tillseal audit export again`);
  const { files } = JSON.parse(readFileSync(list, "utf8")) as { files: Hashes };
  for (const [name, hash] of Object.entries(files)) {
    const file = join(folder, name);
    if (existsSync(file) && hashOf(readFileSync(file)) === hash) continue;
    throw new UserError(`${file} is not what was written: use another stick, and run tillseal audit export again`);
  }
}

/** UIDs of the cards for which the stick has commands. @throws UserError */
export function cardsWithCommands(dir: string): readonly string[] {
  if (!existsSync(dir)) throw new UserError(`there is no folder ${dir}`);
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(dir, entry.name, stickNames(entry.name).commands)))
    .map(({ name }) => name)
    .toSorted();
}

/** Executes the commands of the stick and writes their results beside them. @throws UserError */
export async function importFrom(
  dir: string,
  uid: string,
  take: (commands: string) => Promise<TakenCommands>,
): Promise<TakenCommands> {
  const folder = join(dir, uid);
  const taken = await take(readFileSync(join(folder, stickNames(uid).commands), "utf8"));
  await onStick(folder, async () => {
    write(folder, stickNames(uid).results, Buffer.from(`${JSON.stringify(taken.results, null, 2)}\n`));
    syncFolder(folder);
  });
  return taken;
}

/** What an earlier copy has left: sales that a proof covers by now. */
function removeOld(folder: string, uid: string): void {
  for (const name of readdirSync(folder)) {
    const isPackage = name.startsWith(`${uid}-${uid}-`) && /\.json(\.new)?$/.test(name);
    if (isPackage || name === stickNames(uid).request) rmSync(join(folder, name));
  }
}

/** @returns SHA-256, hexadecimal */
function write(folder: string, name: string, content: Buffer): string {
  const file = join(folder, name);
  const descriptor = openSync(`${file}.new`, "w");
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(`${file}.new`, file);
  return hashOf(content);
}

function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

async function onStick(folder: string, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (error instanceof UserError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(`${folder} cannot be written: ${reason}`);
  }
}
