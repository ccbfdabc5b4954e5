/**
 * The file about the current owner of a data folder, written by the running service. A second service reads the address
 * of the first one there, and `tillseal stop` reads the secret.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { writePrivate } from "../base/private-file.js";
import { readText } from "../base/read-text.js";
import { codeOf } from "../base/thrown.js";

export interface Owner {
  /** The service's address, such as `http://127.0.0.1:8431`. */
  readonly url: string;
  readonly pid: number;
  /** The secret that a command sends to the service, once the service has proven that it has it too. */
  readonly secret: string;
}

const OWNER_FILE = "tillseal.running.json";

/** Writes the file about the owner. It need not survive a power loss, which ends the service. */
export function writeOwner(dataDir: string, owner: Owner): void {
  writePrivate(join(dataDir, OWNER_FILE), `${JSON.stringify(owner)}\n`);
}

/**
 * The owner in the file, which may be left over from a killed service; undefined without a usable one.
 * @throws EACCES if the file belongs to another user
 */
export function readOwner(dataDir: string): Owner | undefined {
  try {
    const { url, pid, secret } = JSON.parse(readText(join(dataDir, OWNER_FILE))) as Partial<Owner>;
    return typeof url === "string" && typeof secret === "string" ? { url, pid: Number(pid), secret } : undefined;
  } catch (error) {
    if (codeOf(error) === "EACCES") throw error;
    return undefined;
  }
}

/** Removes the owner's file. If it cannot be removed, as on a full disk, the next service overwrites it. */
export function removeOwner(dataDir: string): void {
  try {
    rmSync(join(dataDir, OWNER_FILE), { force: true });
  } catch {
    // A remaining file does no harm: commands check the address in it before they use it.
  }
}
