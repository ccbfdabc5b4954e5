/** Reads and writes the folder `{UID}` on a stick. Links on it are not followed: they may lead to the shop's files. */
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
import { readText } from "../base/read-text.js";
import { renamePatiently } from "../base/rename-patiently.js";
import { messageOf } from "../base/thrown.js";
import { UserError } from "../base/user-error.js";
import { syncFolder } from "../base/write-durably.js";
import { flawOf, resultsOf, type StickFolder, writeCopy } from "./stick-copy.js";
import { isUid, type StickFile, stickNames, type TakenCommands } from "./stick-files.js";

/** Maximum size of a file of commands in bytes. The service has the same limit. */
const MOST_BYTES = 1024 * 1024;

/** @throws UserError if the stick cannot be written, or if reading it back does not return what was written */
export async function exportTo(dir: string, uid: string, files: AsyncIterable<StickFile>) {
  // The UID becomes a folder's name, which must not lead out of the stick.
  if (!isPlainName(uid)) throw new UserError(`${JSON.stringify(uid)} is not the UID of a card`);
  const folder = join(dir, uid);
  const copied = await onStick(folder, async () => {
    // Never make the stick's own folder: without a stick, that would be a folder on this machine's disk.
    if (!existsSync(folder)) mkdirSync(folder);
    if (!lstatSync(folder).isDirectory()) throw new UserError(`${folder} is a link: use another stick`);
    const written = await writeCopy(folderAt(folder), uid, files);
    syncFolder(folder);
    return written;
  });
  await requireWhole(folder);
  return { folder, ...copied };
}

/** @throws UserError if a copy was interrupted, or a file differs from what was written */
export async function requireWhole(folder: string): Promise<void> {
  const flaw = await flawOf(folderAt(folder));
  if (!flaw) return;
  if (flaw.kind === "interrupted")
    throw new UserError(`the copy in ${folder} was interrupted: run tillseal audit export again`);
  throw new UserError(
    `${join(folder, flaw.name)} differs from what was written: use another stick, and run tillseal audit export again`,
  );
}

/** UIDs of the cards for which the stick has commands. Folders whose names are no UIDs are ignored. @throws UserError */
export function cardsWithCommands(dir: string): readonly string[] {
  if (!existsSync(dir)) throw new UserError(`the folder ${dir} does not exist`);
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(dir, entry.name, stickNames(entry.name).commands)))
    .map(({ name }) => name)
    .filter((name) => isUid(name) && isPlainName(name))
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
    await folderAt(folder).write(stickNames(uid).results, resultsOf(taken));
    syncFolder(folder);
  });
  return taken;
}

/** Reads a text file, but follows no link and does not block on a pipe. @throws UserError */
function readPlain(file: string): string {
  let descriptor: number | undefined;
  try {
    // Windows does not have the last two flags. Sticks on Windows have no links or pipes.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new UserError(`${file} is not a file`);
    if (status.size > MOST_BYTES)
      throw new UserError(`${file} has more than ${MOST_BYTES} bytes: it is not a file of commands`);
    return readText(file, descriptor);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${file} cannot be read: ${messageOf(error)}`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Whether a name is that of a file or folder directly inside another folder. */
function isPlainName(name: string): boolean {
  return !/[/\\:\p{Cc}]/u.test(name) && !/^\.*$/.test(name);
}

/** Gives the functions of stick-copy.ts access to a folder through Node. */
export function folderAt(folder: string): StickFolder {
  return {
    names: async () => readdirSync(folder),
    read: async (name) => {
      const file = join(folder, name);
      return existsSync(file) ? new Uint8Array(readFileSync(file)) : undefined;
    },
    write: async (name, bytes) => {
      // The names come from the service or its store, and root may run the command.
      if (!isPlainName(name)) throw new UserError(`${JSON.stringify(name)} is not the name of a file on a stick`);
      write(join(folder, name), bytes);
    },
    remove: async (name) => rmSync(join(folder, name)),
  };
}

function write(file: string, content: Uint8Array): void {
  // Remove a link of this name first, because it could lead to another file. "wx" does not follow links.
  rmSync(`${file}.new`, { force: true });
  const descriptor = openSync(`${file}.new`, "wx");
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renamePatiently(`${file}.new`, file);
}

async function onStick<T>(folder: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${folder} cannot be written: ${messageOf(error)}`);
  }
}
