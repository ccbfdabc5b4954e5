/** Notices that open files were removed, replaced or cut. Anything that is written to such a file would be lost. */
import { statSync } from "node:fs";

export class OpenFiles {
  private readonly known: ReadonlyMap<string, string>;
  private bytes = 0n;
  private header = "";

  /** @param files the database comes first @param readHeader reads its header; undefined if others may write to it */
  constructor(
    private readonly files: readonly string[],
    private readonly readHeader?: () => Buffer | undefined,
  ) {
    this.known = new Map(files.map((file) => [file, identityOf(file)]));
    this.difference();
  }

  /** The first file that was removed or replaced; undefined if there is none. */
  changed(): string | undefined {
    for (const [file, identity] of this.known) if (identityOf(file) !== identity) return file;
    return undefined;
  }

  /** What differs in the database on the disk since the last call: its file was cut, or its header is another one. */
  difference(): "cut" | "header" | undefined {
    if (!this.readHeader) return undefined;
    const { bytes, header } = this;
    this.bytes = this.databaseSize();
    this.header = this.readHeader()?.toString("hex") ?? header;
    return this.bytes < bytes ? "cut" : this.header !== header ? "header" : undefined;
  }

  /** application_id, page_count and schema_version on the disk, which say which of the store's states it has. */
  numbers(): readonly number[] {
    return [68, 28, 40].map((at) => this.readHeader?.()?.readInt32BE(at) ?? 0);
  }

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
