/**
 * Who has a data folder: written by the service that listens. A second one says where the first is, and `tillseal stop`
 * finds the secret that ends it.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../error-code.js";
import { writePrivate } from "../private-file.js";
import { writeDurably } from "../write-durably.js";

export interface Owner {
  /** Where it listens: `http://127.0.0.1:8431`. */
  readonly url: string;
  readonly pid: number;
  /** Ends the service: see src/console/stop.ts. */
  readonly secret: string;
}

const OWNER_FILE = "tillseal.running.json";

/** @param durable whether the folder outlives a loss of power */
export function writeOwner(dataDir: string, owner: Owner, durable: boolean): void {
  const write = durable ? writeDurably : writePrivate;
  write(join(dataDir, OWNER_FILE), `${JSON.stringify(owner)}\n`);
}

/** What stands there may be left from a service that was killed. Throws EACCES where it is another user's. */
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

/** A note that stays, as on a disk that takes no writes any more, is overwritten by the next service. */
export function removeOwner(dataDir: string): void {
  try {
    rmSync(join(dataDir, OWNER_FILE), { force: true });
  } catch {
    // Commands that read it ask the address first.
  }
}
