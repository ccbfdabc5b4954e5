/**
 * Finds what the build computes in advance to make starts faster. `dist/prepared` has one file for each source text,
 * and the name of the file is the hash of the text. A source that has changed since the build has no file there, so its
 * result is computed at run time.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "./package-root.js";

export const PREPARED_FOLDER = join(PACKAGE_ROOT, "dist", "prepared");

/** Length of a name: half of a SHA-256 in hexadecimal, which is enough to rule out collisions. */
const NAME_LENGTH = 32;

export function preparedName(source: string, ending: string): string {
  return createHash("sha256").update(source).digest("hex").slice(0, NAME_LENGTH) + ending;
}

/** Returns the path of the file that the build made from a source; undefined if there is no such file. */
export function preparedFile(source: string, ending: string): string | undefined {
  const file = join(PREPARED_FOLDER, preparedName(source, ending));
  return existsSync(file) ? file : undefined;
}
