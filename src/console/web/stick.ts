/**
 * Writes and reads the folder `{UID}` on a stick in the browser. Chrome and Edge can do this, on a page of this machine
 * or over HTTPS. The browser gives each file its final name when the file is complete.
 */
import { type Copied, flawOf, resultsOf, type StickFolder, writeCopy } from "../../authority/stick-copy.js";
import { type StickEnd, type StickFile, stickNames, type TakenCommands } from "../../authority/stick-files.js";
import { call, linesOf } from "./api.js";
import type { TextKey } from "./texts.js";
import type { Permit } from "./use-permit.js";

/** Error: something is wrong with the stick. `key` names the text that says what. */
export class StickProblem extends Error {
  override readonly name = "StickProblem";
  constructor(
    readonly key: TextKey,
    readonly values: Readonly<Record<string, string>>,
  ) {
    super(key);
  }
}

declare global {
  interface Window {
    /** Only Chrome and Edge have this method. */
    showDirectoryPicker?(options: {
      readonly mode: "readwrite";
      readonly id: string;
    }): Promise<FileSystemDirectoryHandle>;
  }
}

export function canUseFolders(): boolean {
  return window.showDirectoryPicker !== undefined;
}

/** Asks the person for a folder. @returns undefined if the person chose no folder */
export async function chooseFolder(): Promise<FileSystemDirectoryHandle | undefined> {
  try {
    return await window.showDirectoryPicker?.({ mode: "readwrite", id: "stick" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return undefined;
    throw error;
  }
}

export interface ExportedPackages extends Copied {
  readonly folder: string;
}

/** Writes the files of a card to its folder on the stick, and checks them. @throws StickProblem, Refused */
export async function exportTo(dir: FileSystemDirectoryHandle, uid: string, permit: Permit): Promise<ExportedPackages> {
  const handle = dir.name === uid ? dir : await dir.getDirectoryHandle(uid, { create: true });
  const folder = folderOf(handle);
  let entry: number | null = null;
  const files = filesFor(uid, (end) => {
    entry = end.entry;
  });
  const copied = await writeCopy(folder, uid, files);
  const flaw = await flawOf(folder);
  if (flaw?.kind === "interrupted") throw new StickProblem("stickInterrupted", {});
  if (flaw) throw new StickProblem("stickDamaged", { name: flaw.name });
  if (entry) await permit((pin) => call("/console/audit/carried", { method: "POST", body: { uid, entry, ...pin } }));
  return { folder: handle.name, ...copied };
}

/** Yields the files that the service sends for the stick. @throws StickProblem if the service's answer breaks off */
async function* filesFor(uid: string, ended: (end: StickEnd) => void): AsyncGenerator<StickFile> {
  for await (const line of linesOf(`/console/audit/files?uid=${encodeURIComponent(uid)}`)) {
    const file = line as StickFile | StickEnd;
    if ("end" in file) return ended(file);
    yield file;
  }
  throw new StickProblem("stickInterrupted", {});
}

/** Numbers of commands. `held` wait for a person's confirmation. */
export type Imported = Readonly<Record<"executed" | Exclude<keyof TakenCommands, "results">, number>>;

/** Executes the commands of each card on the stick, and writes their results beside them. @throws StickProblem, Refused */
export async function importFrom(dir: FileSystemDirectoryHandle, permit: Permit): Promise<Imported> {
  const folders = await foldersWithCommands(dir);
  if (folders.length === 0) throw new StickProblem("stickNoCommands", { folder: dir.name });
  const all = { executed: 0, earlier: 0, failed: 0, held: 0, waiting: 0, foreign: 0 };
  for (const handle of folders) {
    const { name: uid } = handle;
    const folder = folderOf(handle);
    const taken = await takeCommands(
      uid,
      utf8Of(stickNames(uid).commands, await folder.read(stickNames(uid).commands)),
      permit,
    );
    await folder.write(stickNames(uid).results, resultsOf(taken));
    const now = countsOf(taken);
    for (const name of Object.keys(now) as (keyof Imported)[]) all[name] += now[name];
  }
  return all;
}

/** @throws StickProblem if the file is not UTF-8: a decoder that guesses would change names that receipts print */
export function utf8Of(name: string, bytes: BufferSource | undefined): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new StickProblem("stickNotUtf8", { name });
  }
}

/** Sends the authority's commands to the service, which executes them. @throws Refused */
export function takeCommands(uid: string, commands: string, permit: Permit): Promise<TakenCommands> {
  const path = "/console/audit/commands";
  return permit((pin) => call<TakenCommands>(path, { method: "POST", body: { uid, commands, ...pin } }));
}

export function countsOf({ results, earlier, held, waiting, foreign }: TakenCommands): Imported {
  const executed = results.filter(({ success }) => success).length;
  return { executed: executed - earlier, earlier, failed: results.length - executed, held, waiting, foreign };
}

/**
 * Returns the folders that have commands. It looks at the folders inside the chosen folder, and at the chosen folder
 * too, because this may be the folder of a card.
 */
async function foldersWithCommands(dir: FileSystemDirectoryHandle): Promise<FileSystemDirectoryHandle[]> {
  const folders = [dir];
  for await (const entry of dir.values()) {
    if (entry.kind === "directory") folders.push(entry as FileSystemDirectoryHandle);
  }
  const matches: FileSystemDirectoryHandle[] = [];
  for (const folder of folders) {
    if ((await namesIn(folder)).includes(stickNames(folder.name).commands)) matches.push(folder);
  }
  return matches;
}

async function namesIn(folder: FileSystemDirectoryHandle): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of folder.values()) if (entry.kind === "file") names.push(entry.name);
  return names;
}

function folderOf(handle: FileSystemDirectoryHandle): StickFolder {
  return {
    names: () => namesIn(handle),
    read: async (name) => {
      if (!(await namesIn(handle)).includes(name)) return undefined;
      const file = await (await handle.getFileHandle(name)).getFile();
      return new Uint8Array(await file.arrayBuffer());
    },
    write: async (name, bytes) => {
      const writing = await (await handle.getFileHandle(name, { create: true })).createWritable();
      await writing.write(bytes);
      // The browser renames the temporary file now.
      await writing.close();
    },
    remove: (name) => handle.removeEntry(name),
  };
}
