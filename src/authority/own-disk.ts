/** Tells a stick from this machine's own disk, on which a copy is lost with the machine. */
import { statfsSync, statSync } from "node:fs";
import { UserError } from "../base/user-error.js";

/** Types of file systems that are in memory: tmpfs and ramfs (statfs(2)). */
const IN_MEMORY: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

export interface Disks {
  /** Number of the device; undefined if there is no such folder, or it may not be looked at. */
  readonly device: (folder: string) => bigint | undefined;
  /** Type of the file system. */
  readonly type: (folder: string) => number;
}

const DISKS: Disks = {
  device: (folder) => {
    try {
      const status = statSync(folder, { bigint: true });
      return status.isDirectory() ? status.dev : undefined;
    } catch {
      return undefined;
    }
  },
  type: (folder) => statfsSync(folder).type,
};

/**
 * Returns why a folder is not on a stick; undefined if it may be on one. The system's disk counts too: if no stick is
 * mounted, the mount point is on it, and the data folder may be on a third disk.
 * @throws UserError if there is no such folder
 */
export function ownDisk(
  dir: string,
  dataDir: string,
  { device, type }: Disks = DISKS,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const own = device(dir);
  if (own === undefined) {
    throw new UserError(`there is no folder ${dir}: put the stick in, and mount it if the system does not`);
  }
  if (own === device(dataDir)) return `${dir} is on the disk of the data folder ${dataDir}`;
  const system = platform === "win32" ? `${process.env.SystemDrive ?? "C:"}\\` : "/";
  if (own === device(system)) return `${dir} is on the system's disk`;
  return IN_MEMORY.has(type(dir)) ? `${dir} is in this machine's memory` : undefined;
}
