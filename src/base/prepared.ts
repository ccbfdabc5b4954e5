/**
 * What the build computes in advance to make starts faster: `dist/prepared` has one file per source text, named after
 * its hash. A source that has changed since is not found there and is computed at run time.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "./package-root.js";

export const PREPARED_FOLDER = join(PACKAGE_ROOT, "dist", "prepared");

/** Half of a SHA-256 in hexadecimal: enough to rule out collisions. */
const NAME_LENGTH = 32;

/** Name of the prepared file of a source. */
export function preparedName(source: string, ending: string): string {
  return createHash("sha256").update(source).digest("hex").slice(0, NAME_LENGTH) + ending;
}

/** Path of the file that the build made from a source; undefined if there is none. */
export function preparedFile(source: string, ending: string): string | undefined {
  const file = join(PREPARED_FOLDER, preparedName(source, ending));
  return existsSync(file) ? file : undefined;
}
