/** Replaces a private file as a whole; the new content is on the disk when the call returns. */
import { closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { writePrivate } from "./private-file.js";
import { renamePatiently } from "./rename-patiently.js";

/** Replaces the content of a file. After an error, the file has its whole old content, or its whole new content. */
export function writeDurably(file: string, content: string): void {
  const temporary = `${file}.new`;
  try {
    writePrivate(temporary, content, true);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  renamePatiently(temporary, file);
  syncFolder(dirname(file));
}

/** Flushes a file that other code has written. */
export function syncFile(file: string): void {
  flush(file, "r+");
}

/** Makes a rename durable, which a power cut could undo. Windows has no such call: it writes the name with the file. */
export function syncFolder(folder: string): void {
  if (process.platform !== "win32") flush(folder, "r");
}

function flush(path: string, flags: string): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
