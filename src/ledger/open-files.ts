/** Notices that open files were removed or replaced: anything written to them would be lost. */
import { statSync } from "node:fs";

export class OpenFiles {
  private readonly known: ReadonlyMap<string, string>;

  constructor(files: readonly string[]) {
    this.known = new Map(files.map((file) => [file, identityOf(file)]));
  }

  /** The first file that was removed or replaced. */
  changed(): string | undefined {
    for (const [file, identity] of this.known) if (identityOf(file) !== identity) return file;
    return undefined;
  }
}

/** On Windows the numbers of files need all 64 bits. @returns "" if there is no such file */
export function identityOf(file: string): string {
  const status = statSync(file, { bigint: true, throwIfNoEntry: false });
  return status ? `${status.dev}:${status.ino}` : "";
}
