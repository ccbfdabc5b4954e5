/** Files with the shop's turnover, its buyers or a secret: only their owner may read them, with any umask. */
import { chmodSync, closeSync, fchmodSync, fstatSync, openSync, statSync, writeFileSync } from "node:fs";
import { codeOf } from "./error-code.js";

export const OWNER_ONLY = 0o600;

/** Replaces a file's content; the file is private before it has any. Throws the system's error */
export function writePrivate(file: string, content: string | Uint8Array): void {
  const descriptor = openSync(file, "w", OWNER_ONLY);
  try {
    // A device or a pipe is the system's, not ours.
    if (fstatSync(descriptor).isFile()) fchmodSync(descriptor, OWNER_ONLY);
    writeFileSync(descriptor, content);
  } finally {
    closeSync(descriptor);
  }
}

/** An empty private file; false where there is one of that name by now. */
export function createPrivate(file: string): boolean {
  try {
    closeSync(openSync(file, "wx", OWNER_ONLY));
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  chmodSync(file, OWNER_ONLY);
  return true;
}

/** Takes the rights of others away from a file that an earlier version, or another program, has made. */
export function makePrivate(file: string): void {
  try {
    if ((statSync(file).mode & 0o777) !== OWNER_ONLY) chmodSync(file, OWNER_ONLY);
  } catch (error) {
    const code = codeOf(error);
    // A file of another user says by its own mode who reads it.
    if (code !== "ENOENT" && code !== "EPERM") throw error;
  }
}
