/** Who has a data folder: written by the service that listens, so that a second one can say where the first is. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../error-code.js";

export interface Owner {
  /** Where it listens: `http://127.0.0.1:8431`. */
  readonly url: string;
  readonly pid: number;
}

const OWNER_FILE = "tillseal.running.json";

export function writeOwner(dataDir: string, owner: Owner): void {
  writeFileSync(join(dataDir, OWNER_FILE), `${JSON.stringify(owner)}\n`, { mode: 0o600 });
}

/** What stands there may be left from a service that was killed. Throws EACCES where it is another user's. */
export function readOwner(dataDir: string): Owner | undefined {
  try {
    const { url, pid } = JSON.parse(readFileSync(join(dataDir, OWNER_FILE), "utf8")) as Partial<Owner>;
    return typeof url === "string" && typeof pid === "number" ? { url, pid } : undefined;
  } catch (error) {
    if (codeOf(error) === "EACCES") throw error;
    return undefined;
  }
}

export function removeOwner(dataDir: string): void {
  rmSync(join(dataDir, OWNER_FILE), { force: true });
}
