/**
 * The current owner of a data folder, written by the service that listens. A second service can say where the first one
 * is, and `tillseal stop` finds the secret.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writePrivate } from "../base/private-file.js";
import { codeOf } from "../base/thrown.js";
import { writeDurably } from "../base/write-durably.js";

export interface Owner {
  /** The service's address: `http://127.0.0.1:8431`. */
  readonly url: string;
  readonly pid: number;
  /** Ends the service: see src/console/stop.ts. */
  readonly secret: string;
}

const OWNER_FILE = "tillseal.running.json";

/** @param durable whether the file must survive a power loss */
export function writeOwner(dataDir: string, owner: Owner, durable: boolean): void {
  const write = durable ? writeDurably : writePrivate;
  write(join(dataDir, OWNER_FILE), `${JSON.stringify(owner)}\n`);
}

/** The owner in the file, which may be left over from a killed service. @throws EACCES if the file belongs to another user */
export function readOwner(dataDir: string): Owner | undefined {
  try {
    const { url, pid, secret = "" } = JSON.parse(readFileSync(join(dataDir, OWNER_FILE), "utf8")) as Partial<Owner>;
    return typeof url === "string" && Number.isInteger(pid)
      ? { url, pid: Number(pid), secret: String(secret) }
      : undefined;
  } catch (error) {
    if (codeOf(error) === "EACCES") throw error;
    return undefined;
  }
}

/** A file that cannot be removed, as on a full disk, is overwritten by the next service. */
export function removeOwner(dataDir: string): void {
  try {
    rmSync(join(dataDir, OWNER_FILE), { force: true });
  } catch {
    // Commands check the address before they use it.
  }
}
