/** A private file that is replaced as a whole, and on the disk when the call returns. */
import { closeSync, fchmodSync, fsyncSync, openSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { OWNER_ONLY } from "./private-file.js";
import { renamePatiently } from "./rename-patiently.js";

/** Throws what the system says; the file is then what it was. */
export function writeDurably(file: string, content: string): void {
  const temporary = `${file}.new`;
  const descriptor = openSync(temporary, "w", OWNER_ONLY);
  try {
    fchmodSync(descriptor, OWNER_ONLY);
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  renamePatiently(temporary, file);
  syncFolder(dirname(file));
}

/** What other code has written into a file. */
export function syncFile(file: string): void {
  const descriptor = openSync(file, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Without it a power cut may bring the old file back. Windows has no such call, and writes the name with the file. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
