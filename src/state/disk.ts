/**
 * Measures the free space of the data folder. The value is cached, because a disk fills slowly and a POS asks for the status
 * with every sale.
 */
import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Timer } from "../base/clock.js";

const FREE_SPACE_CACHE_MS = 10_000;

/** Returns how many bytes a user may write. @throws Error if the system cannot measure them */
export type FreeBytes = (folder: string) => Promise<number>;

export const freeBytes: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(existing(folder));
  return bavail * bsize;
};

/** The folder, or its nearest existing parent. */
export function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder));
}

export class DiskWatch {
  private last: { readonly at: number; readonly free: Promise<number | undefined> } | undefined;

  constructor(
    readonly folder: string,
    private readonly ask: FreeBytes,
    private readonly timer: Timer,
  ) {}

  /** Free bytes; undefined if the system cannot measure them. */
  free(): Promise<number | undefined> {
    const now = this.timer.now();
    if (!this.last || now - this.last.at >= FREE_SPACE_CACHE_MS) {
      this.last = { at: now, free: this.ask(this.folder).catch(() => undefined) };
    }
    return this.last.free;
  }
}
