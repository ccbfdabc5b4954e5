/**
 * A separate disk for a data folder: a small ext4 in a loop-mounted image. The faults are real: the disk is full, its
 * journal is aborted (EROFS) or it is shut down (EIO) under the running service. Needs root.
 */
import { execFileSync } from "node:child_process";
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

const SIZE = "8M";
/** ext4's ioctl "going down", with 2 for "without flushing the log" (fs/ext4/ext4.h). */
const SHUT_DOWN =
  "import fcntl,os,struct,sys; fcntl.ioctl(os.open(sys.argv[1],os.O_RDONLY),0x8004587D,struct.pack('I',2))";
const PIECES = [64 * 1024, 1024, 1];

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"] });

export class Disk {
  readonly path: string;

  private constructor(
    private readonly folder: string,
    private image: string,
  ) {
    this.path = join(folder, "disk");
  }

  static make(folder: string): Disk {
    const disk = new Disk(folder, join(folder, "disk.img"));
    mkdirSync(disk.path, { recursive: true });
    run("truncate", "-s", SIZE, disk.image);
    run("mkfs.ext4", "-q", "-m", "0", "-F", disk.image);
    disk.mount();
    return disk;
  }

  /** Whether this machine supports it: root, loop devices, ext4. */
  static possible(folder: string): boolean {
    if (process.getuid?.() !== 0) return false;
    try {
      const disk = Disk.make(join(folder, "try"));
      disk.remove();
      return true;
    } catch {
      return false;
    }
  }

  fill(): void {
    const file = openSync(join(this.path, "filler"), "w");
    for (const piece of PIECES) {
      try {
        for (;;) writeSync(file, Buffer.alloc(piece));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    }
    closeSync(file);
  }

  free(): void {
    rmSync(join(this.path, "filler"), { force: true });
  }

  /** As after an error of the file system: every write fails with EROFS from now on, even through open files. */
  abort(): void {
    run("mount", "-o", "remount,abort", this.path);
  }

  /** As when the disk is disconnected: every access fails with EIO, and unsynced data is lost. */
  shutDown(): void {
    run("python3", "-c", SHUT_DOWN, this.path);
  }

  /** As after a repair. Only while no program has an open file there. */
  mend(): void {
    run("umount", this.path);
    this.mount();
  }

  /** The data on the disk at this moment, without the page cache. */
  copyImage(): string {
    const copy = join(this.folder, "copy.img");
    copyFileSync(this.image, copy);
    return copy;
  }

  /** Replaces the disk with the copy, as after a power cut. */
  useCopy(copy: string): void {
    run("umount", this.path);
    rmSync(this.image);
    this.image = copy;
    this.mount();
  }

  remove(): void {
    if (existsSync(this.path)) run("umount", "--lazy", this.path);
    rmSync(this.image, { force: true });
  }

  private mount(): void {
    try {
      run("e2fsck", "-fp", this.image);
    } catch {
      // Exit status 1: it has repaired something.
    }
    run("mount", "-o", "loop", this.image, this.path);
  }
}
