/**
 * The folder `{UID}` on a stick (protocol facts, section 8). Each file is written under a temporary name, synced and renamed. A list
 * of all files is written last, and every copy is read back, to notice a stick that was pulled out too early.
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
import { renamePatiently } from "../base/rename-patiently.js";
import { messageOf } from "../base/thrown.js";
import { UserError } from "../base/user-error.js";
import { syncFolder } from "../base/write-durably.js";
import { COPY_LIST, type CopyList, isExported, type StickFile, stickNames, type TakenCommands } from "./stick-files.js";

/** Maximum size of a file of commands in bytes; the service accepts no more either. */
const MOST_BYTES = 1024 * 1024;

export interface Exported {
  readonly folder: string;
  readonly hasRequest: boolean;
  readonly packages: number;
  /** Names of packages that could not be made. */
  readonly missing: readonly string[];
  /** Names of the files that were written. */
  readonly names: readonly string[];
}

type Hashes = Record<string, string>;

/** @param dir of the stick @throws UserError if the stick cannot be written, or reads back something else */
export async function exportTo(dir: string, uid: string, files: AsyncIterable<StickFile>): Promise<Exported> {
  // The UID becomes a folder's name, which must not lead out of the stick.
  if (/[/\\\p{Cc}]/u.test(uid) || /^\.*$/.test(uid))
    throw new UserError(`${JSON.stringify(uid)} is not the UID of a card`);
  const folder = join(dir, uid);
  const written: Hashes = {};
  const missing: string[] = [];
  await onStick(folder, async () => {
    mkdirSync(folder, { recursive: true });
    if (!lstatSync(folder).isDirectory()) throw new UserError(`${folder} is a link: use another stick`);
    // Without its list the copy counts as incomplete.
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
  const names = Object.keys(written);
  return { folder, hasRequest, packages: names.length - (hasRequest ? 1 : 0), missing, names };
}

/** @throws UserError if a copy was interrupted, or a file differs from what was written */
export function requireWhole(folder: string): void {
  const list = join(folder, COPY_LIST);
  if (!existsSync(list)) throw new UserError(`the copy in ${folder} was interrupted: run tillseal audit export again`);
  const { files } = JSON.parse(readFileSync(list, "utf8")) as CopyList;
  for (const [name, hash] of Object.entries(files)) {
    const file = join(folder, name);
    if (existsSync(file) && hashOf(readFileSync(file)) === hash) continue;
    throw new UserError(
      `${file} differs from what was written: use another stick, and run tillseal audit export again`,
    );
  }
}

/** UIDs of the cards for which the stick has commands. @throws UserError */
export function cardsWithCommands(dir: string): readonly string[] {
  if (!existsSync(dir)) throw new UserError(`the folder ${dir} does not exist`);
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

/** Does not follow links, which may lead to the shop's own files, and does not block on pipes. @throws UserError */
function readPlain(file: string): string {
  let descriptor: number | undefined;
  try {
    // Windows lacks the last two flags; a stick there has no such files.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new UserError(`${file} is not a file`);
    if (status.size > MOST_BYTES)
      throw new UserError(`${file} has more than ${MOST_BYTES} bytes: it is not a file of commands`);
    return readFileSync(descriptor, "utf8");
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${file} cannot be read: ${messageOf(error)}`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Removes files of an earlier copy: sales that a proof covers by now. */
function removeOld(folder: string, uid: string): void {
  for (const name of readdirSync(folder)) {
    if (isExported(uid, name)) rmSync(join(folder, name));
  }
}

/** @returns SHA-256, hexadecimal */
function write(folder: string, name: string, content: Buffer): string {
  const file = join(folder, name);
  // Remove a link of this name, which would lead elsewhere: "wx" does not follow links.
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
    const reason = messageOf(error);
    throw new UserError(`${folder} cannot be written: ${reason}`);
  }
}
