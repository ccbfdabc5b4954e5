/**
 * The folder `{UID}` on a stick (protocol facts, section 8). Each file is written beside its name, synced and renamed; a list of all
 * of them comes last, and every copy is read again: a stick that was pulled too early is noticed.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  COPY_LIST,
  type CopyList,
  isExported,
  type StickFile,
  stickNames,
  type TakenCommands,
} from "../authority/stick-files.js";
import { renamePatiently } from "../rename-patiently.js";
import { syncFolder } from "../write-durably.js";
import { UserError } from "./user-error.js";

/** Bytes of a file of commands: no authority sends so much, and the service takes no more. */
const MOST_BYTES = 1024 * 1024;

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
  // It becomes the name of a folder, which must not lead out of the stick.
  if (/[/\\\p{Cc}]/u.test(uid) || /^\.*$/.test(uid)) throw new UserError(`${JSON.stringify(uid)} is no UID of a card`);
  const folder = join(dir, uid);
  const written: Hashes = {};
  const missing: string[] = [];
  await onStick(folder, async () => {
    mkdirSync(folder, { recursive: true });
    if (!lstatSync(folder).isDirectory()) throw new UserError(`${folder} is a link: use another stick`);
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
  const { files } = JSON.parse(readFileSync(list, "utf8")) as CopyList;
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
  const taken = await take(readPlain(join(folder, stickNames(uid).commands)));
  await onStick(folder, async () => {
    write(folder, stickNames(uid).results, Buffer.from(`${JSON.stringify(taken.results, null, 2)}\n`));
    syncFolder(folder);
  });
  return taken;
}

/** Follows no link, which may lead to the shop's own files, and waits for no pipe. @throws UserError */
function readPlain(file: string): string {
  let descriptor: number | undefined;
  try {
    // Windows has neither of the last two, and no such files on a stick.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new UserError(`${file} is not a file`);
    if (found.size > MOST_BYTES)
      throw new UserError(`${file} has more than ${MOST_BYTES} bytes: it is no file of commands`);
    return readFileSync(descriptor, "utf8");
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** What an earlier copy has left: sales that a proof covers by now. */
function removeOld(folder: string, uid: string): void {
  for (const name of readdirSync(folder)) {
    if (isExported(uid, name)) rmSync(join(folder, name));
  }
}

/** @returns SHA-256, hexadecimal */
function write(folder: string, name: string, content: Buffer): string {
  const file = join(folder, name);
  // A link of this name would lead elsewhere: "wx" follows none.
  rmSync(`${file}.new`, { force: true });
  const descriptor = openSync(`${file}.new`, "wx");
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renamePatiently(`${file}.new`, file);
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
