/**
 * The folder `{UID}` on a stick, written and read by the browser (protocol facts, section 8): Chrome and Edge can, on a page of this
 * machine or over HTTPS. Files get their final name when they are complete, the list of all files is written last, and every file is read back.
 */
import {
  COPY_LIST,
  type CopyList,
  isExported,
  type StickFile,
  stickNames,
  type TakenCommands,
} from "../../authority/stick-files.js";
import { call, linesOf } from "./api.js";
import type { TextKey } from "./texts.js";

/** What is wrong with the stick. */
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
    /** In Chrome and Edge only. */
    showDirectoryPicker?(options: {
      readonly mode: "readwrite";
      readonly id: string;
    }): Promise<FileSystemDirectoryHandle>;
  }
}

export function canUseFolders(): boolean {
  return window.showDirectoryPicker !== undefined;
}

/** @returns undefined if the person chose none */
export async function chooseFolder(): Promise<FileSystemDirectoryHandle | undefined> {
  try {
    return await window.showDirectoryPicker?.({ mode: "readwrite", id: "stick" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return undefined;
    throw error;
  }
}

export interface Exported {
  readonly folder: string;
  readonly hasRequest: boolean;
  readonly packages: number;
  /** How many packages could not be made: their stored sales are damaged. */
  readonly missing: number;
}

/** @throws StickProblem, Refused */
export async function exportTo(dir: FileSystemDirectoryHandle, uid: string): Promise<Exported> {
  const folder = dir.name === uid ? dir : await dir.getDirectoryHandle(uid, { create: true });
  for (const name of await namesIn(folder)) {
    // Without its list the copy counts as incomplete until everything is written again.
    if (name === COPY_LIST || isExported(uid, name)) await folder.removeEntry(name);
  }
  const files: Record<string, string> = {};
  let missing = 0;
  let whole = false;
  for await (const line of linesOf(`/console/audit/files?uid=${encodeURIComponent(uid)}`)) {
    const file = line as StickFile | { readonly end: true };
    if ("end" in file) whole = true;
    else if (file.base64 === null) missing++;
    else files[file.name] = await write(folder, file.name, bytesOf(file.base64));
  }
  if (!whole) throw new StickProblem("stickInterrupted", {});
  const list: CopyList = { uid, files };
  await write(folder, COPY_LIST, new TextEncoder().encode(`${JSON.stringify(list, null, 2)}\n`));
  for (const [name, hash] of Object.entries(files)) {
    if ((await hashOf(await bytesIn(folder, name))) !== hash) throw new StickProblem("stickDamaged", { name });
  }
  const hasRequest = files[stickNames(uid).request] !== undefined;
  return { folder: folder.name, hasRequest, packages: Object.keys(files).length - (hasRequest ? 1 : 0), missing };
}

export interface Imported {
  readonly executed: number;
  readonly failed: number;
  /** Commands that wait for a yes. */
  readonly held: number;
  readonly waiting: number;
  readonly foreign: number;
}

/** Executes the commands of each card on the stick, and writes their results beside them. @throws StickProblem, Refused */
export async function importFrom(dir: FileSystemDirectoryHandle): Promise<Imported> {
  const folders = await foldersWithCommands(dir);
  if (folders.length === 0) throw new StickProblem("stickNoCommands", { folder: dir.name });
  let all: Imported = { executed: 0, failed: 0, held: 0, waiting: 0, foreign: 0 };
  for (const folder of folders) {
    const names = stickNames(folder.name);
    const taken = await takeCommands(folder.name, new TextDecoder().decode(await bytesIn(folder, names.commands)));
    await write(folder, names.results, resultsOf(taken));
    const now = countsOf(taken);
    all = {
      executed: all.executed + now.executed,
      failed: all.failed + now.failed,
      held: all.held + now.held,
      waiting: all.waiting + now.waiting,
      foreign: all.foreign + now.foreign,
    };
  }
  return all;
}

/** @throws Refused */
export function takeCommands(uid: string, commands: string): Promise<TakenCommands> {
  return call<TakenCommands>("/console/audit/commands", { method: "POST", body: { uid, commands } });
}

/** The file of results that the authority's portal takes. */
export function resultsOf({ results }: TakenCommands): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${JSON.stringify(results, null, 2)}\n`);
}

export function countsOf({ results, held, waiting, foreign }: TakenCommands): Imported {
  const executed = results.filter(({ success }) => success).length;
  return { executed, failed: results.length - executed, held, waiting, foreign };
}

/** Includes the chosen folder: it may be that of a card. */
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

/** @returns SHA-256, hexadecimal */
async function write(folder: FileSystemDirectoryHandle, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const writing = await (await folder.getFileHandle(name, { create: true })).createWritable();
  await writing.write(bytes);
  // The browser renames the temporary file now.
  await writing.close();
  return hashOf(bytes);
}

async function bytesIn(folder: FileSystemDirectoryHandle, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const file = await (await folder.getFileHandle(name)).getFile();
  return new Uint8Array(await file.arrayBuffer());
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
