/**
 * What the build has worked out in advance, so that no start has to: `dist/prepared` holds a file for each source text,
 * named after its hash. A source that has changed since finds nothing there and is worked out anew.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "./package-root.js";

export const PREPARED_FOLDER = join(PACKAGE_ROOT, "dist", "prepared");

/** Half of a SHA-256: two sources never share it. */
const NAME_LENGTH = 32;

/** Name of the file that holds what follows from a source. */
export function preparedName(source: string, ending: string): string {
  return createHash("sha256").update(source).digest("hex").slice(0, NAME_LENGTH) + ending;
}

/** The file that the build made of a source, or undefined. */
export function preparedFile(source: string, ending: string): string | undefined {
  const file = join(PREPARED_FOLDER, preparedName(source, ending));
  return existsSync(file) ? file : undefined;
}
