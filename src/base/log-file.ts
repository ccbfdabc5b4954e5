/**
 * A log file that is rotated without root and without logrotate (docs/decisions/README.md). A full disk, or a
 * file that another program has open, never stops the writer: the callback `otherwise` gets the line, and the writer
 * tries the file again with the next line.
 */
import {
  closeSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { OWNER_ONLY } from "./private-file.js";
import { codeOf } from "./thrown.js";

interface Open {
  readonly descriptor: number;
  size: number;
}

export class LogFile {
  private file: Open | undefined;
  /** Size in bytes at which the file is rotated. It grows while another program prevents the rotation. */
  private full: number;

  /**
   * @param bytes maximum size of a file; the next line begins a new file
   * @param count maximum number of files, including the one being written
   * @param otherwise gets each line that could not be written to the file
   */
  constructor(
    readonly path: string,
    private readonly bytes: number,
    private readonly count: number,
    private readonly otherwise: (line: string) => void,
  ) {
    this.full = bytes;
  }

  /** Writes a line, and never throws. @param line including its line break */
  readonly write = (line: string): void => {
    try {
      const bytes = Buffer.from(line);
      const file = this.withRoomFor(bytes.length);
      writeWhole(file, bytes);
    } catch {
      this.close();
      this.otherwise(line);
    }
  };

  close(): void {
    const { file } = this;
    this.file = undefined;
    try {
      if (file) closeSync(file.descriptor);
    } catch {
      // The error that led here has been reported already.
    }
  }

  private withRoomFor(length: number): Open {
    this.file ??= opened(this.path);
    if (this.file.size === 0 || this.file.size + length <= this.full) return this.file;
    // Close the file first, because Windows cannot rename an open file.
    this.close();
    const renamed = this.rename();
    this.file = opened(this.path);
    this.full = renamed ? this.bytes : this.file.size + this.bytes;
    return this.file;
  }

  /** Renames `log` to `log.1`, and so on; deletes the oldest file. @returns false if the system refuses */
  private rename(): boolean {
    const oldest = this.count - 1;
    try {
      rmSync(oldest === 0 ? this.path : `${this.path}.${oldest}`, { force: true });
      for (let i = oldest - 1; i >= 0; i--)
        moveIfThere(i === 0 ? this.path : `${this.path}.${i}`, `${this.path}.${i + 1}`);
      return true;
    } catch {
      return false;
    }
  }
}

/** @throws Error if the path is no regular file: a pipe would block, and a device must not be renamed */
function opened(path: string): Open {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new Error(`${path} is not a regular file`);
  const descriptor = openSync(path, "a", OWNER_ONLY);
  try {
    const { size, mode } = fstatSync(descriptor);
    if ((mode & 0o777) !== OWNER_ONLY && process.platform !== "win32") fchmodSync(descriptor, OWNER_ONLY);
    return { descriptor, size };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Writes the whole line, or nothing of it. */
function writeWhole(file: Open, bytes: Uint8Array): void {
  const { descriptor, size } = file;
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
  } catch (error) {
    ftruncateSync(descriptor, size);
    throw error;
  }
  file.size = size + bytes.length;
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}
