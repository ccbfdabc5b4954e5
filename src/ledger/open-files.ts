/** Notices that open files were removed or replaced. Anything that is written to such a file would be lost. */
import { statSync } from "node:fs";

export class OpenFiles {
  private readonly known: ReadonlyMap<string, string>;

  constructor(files: readonly string[]) {
    this.known = new Map(files.map((file) => [file, identityOf(file)]));
  }

  /** The first file that was removed or replaced; undefined if there is none. */
  changed(): string | undefined {
    for (const [file, identity] of this.known) if (identityOf(file) !== identity) return file;
    return undefined;
  }
}

/**
 * Returns the device and the number of a file, which identify it. The numbers are bigints, because on Windows they need
 * all 64 bits.
 * @returns "" if there is no such file
 */
export function identityOf(file: string): string {
  const status = statSync(file, { bigint: true, throwIfNoEntry: false });
  return status ? `${status.dev}:${status.ino}` : "";
}
