/**
 * Writes and reads the files in the folder `{UID}` on a stick (protocol facts, section 8), in Node and in a browser.
 * The list of all files is written last, and every file is read back, to notice a stick that was pulled out too early.
 */
import { COPY_LIST, type CopyList, isExported, type StickFile, stickNames, type TakenCommands } from "./stick-files.js";

export interface StickFolder {
  readonly names: () => Promise<readonly string[]>;
  readonly read: (name: string) => Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Writes a file, which gets its name only when it is complete. */
  readonly write: (name: string, bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
}

export interface Copied {
  readonly hasRequest: boolean;
  readonly packages: number;
  /** Names of packages that could not be made. */
  readonly missing: readonly string[];
  /** Whether the authority's key is not known yet; otherwise the sales of the missing packages are damaged. */
  readonly needsKey: boolean;
  readonly names: readonly string[];
}

/** Writes a copy. It replaces an earlier copy, which may have sales that a proof covers by now. */
export async function writeCopy(folder: StickFolder, uid: string, files: AsyncIterable<StickFile>): Promise<Copied> {
  const old = await folder.names();
  // Remove the list first: without the list, the copy counts as incomplete.
  for (const name of [COPY_LIST, ...old.filter((one) => isExported(uid, one))]) {
    if (old.includes(name)) await folder.remove(name);
  }
  const hashes: Record<string, string> = {};
  const missing: string[] = [];
  let needsKey = false;
  for await (const { name, base64, needsKey: lacksKey = false } of files) {
    if (base64 === null) {
      missing.push(name);
      needsKey ||= lacksKey;
      continue;
    }
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    await folder.write(name, bytes);
    hashes[name] = await hashOf(bytes);
  }
  const list: CopyList = { uid, files: hashes };
  await folder.write(COPY_LIST, jsonBytes(list));
  const names = Object.keys(hashes);
  const hasRequest = hashes[stickNames(uid).request] !== undefined;
  return { hasRequest, packages: names.length - (hasRequest ? 1 : 0), missing, needsKey, names };
}

/**
 * `interrupted`: the copy has no list. `differs`: the file with this name is missing, or differs from what was written.
 */
type CopyFlaw = { readonly kind: "interrupted" } | { readonly kind: "differs"; readonly name: string };

/** Reads a copy back to check it. @returns undefined if the copy is complete */
export async function flawOf(folder: StickFolder): Promise<CopyFlaw | undefined> {
  const list = await folder.read(COPY_LIST);
  if (!list) return { kind: "interrupted" };
  const { files } = JSON.parse(new TextDecoder().decode(list)) as CopyList;
  for (const [name, hash] of Object.entries(files)) {
    const bytes = await folder.read(name);
    if (!bytes || (await hashOf(bytes)) !== hash) return { kind: "differs", name };
  }
  return undefined;
}

/** Returns the file of results, in the form that the authority's portal accepts. */
export function resultsOf({ results }: TakenCommands): Uint8Array<ArrayBuffer> {
  return jsonBytes(results);
}

function jsonBytes(content: object): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${JSON.stringify(content, null, 2)}\n`);
}

/** @returns SHA-256, hexadecimal */
async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
