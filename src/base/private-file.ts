/** Writes files with the shop's turnover, its buyers or a secret: only their owner may read them, with any umask. */
import { chmodSync, closeSync, fchmodSync, fstatSync, openSync, statSync, writeFileSync } from "node:fs";
import { codeOf } from "./thrown.js";

export const OWNER_ONLY = 0o600;

/** Makes a file private, then replaces its content. @param flush whether the content must be on the disk then */
export function writePrivate(file: string, content: string | Uint8Array, flush = false): void {
  const descriptor = openSync(file, "w", OWNER_ONLY);
  try {
    // Devices and pipes belong to the system: leave their mode alone.
    if (fstatSync(descriptor).isFile()) fchmodSync(descriptor, OWNER_ONLY);
    writeFileSync(descriptor, content, { flush });
  } finally {
    closeSync(descriptor);
  }
}

/** Creates an empty private file. @returns false if it exists already @throws the system's other errors */
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

/** Makes a file private that an earlier version or another program created. */
export function makePrivate(file: string): void {
  try {
    if ((statSync(file).mode & 0o777) !== OWNER_ONLY) chmodSync(file, OWNER_ONLY);
  } catch (error) {
    const code = codeOf(error);
    // Ignore a file that does not exist. Ignore one of another owner too: only the owner may change its mode.
    if (code !== "ENOENT" && code !== "EPERM") throw error;
  }
}
