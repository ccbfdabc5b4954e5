/** Notices that open files were removed, replaced or cut. Anything that is written to such a file would be lost. */
import { statSync } from "node:fs";

export class OpenFiles {
  private readonly known: ReadonlyMap<string, string>;
  private size: bigint;

  /** @param files the database comes first */
  constructor(private readonly files: readonly string[]) {
    this.known = new Map(files.map((file) => [file, identityOf(file)]));
    this.size = this.databaseSize();
  }

  /** The first file that was removed or replaced; undefined if there is none. */
  changed(): string | undefined {
    for (const [file, identity] of this.known) if (identityOf(file) !== identity) return file;
    return undefined;
  }

  /** Whether the database has become shorter, as if an older file was copied over it. SQLite never shortens ours. */
  isCut(): boolean {
    const size = this.databaseSize();
    const isCut = size < this.size;
    this.size = size;
    return isCut;
  }

  /** Size of the database in bytes. */
  databaseSize(): bigint {
    const [database] = this.files;
    return (database && statSync(database, { bigint: true, throwIfNoEntry: false })?.size) || 0n;
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
