/** Notices the sticks that are put into this machine, so that the console can ask whether to copy sales to one. */
import { existsSync, readFileSync } from "node:fs";
import type { Timer } from "../base/clock.js";
import { Repeater } from "../base/repeater.js";
import { messageOf } from "../base/thrown.js";
import type { Sticks } from "./stick-files.js";

/** The folders in which desktops and people mount sticks. */
const PLACES = /^\/(media|run\/media|mnt)\//;

const STICK_CHECK_INTERVAL_MS = 2_000;

/** Keeps the list of the sticks that were put in while the service runs and were not pulled out yet. */
export class StickWatch extends Repeater {
  private before: readonly string[] | undefined;
  /** The sticks that were put in since the start and are still in the machine. */
  sticks: Sticks = { places: [], problem: null };

  /** @param changed called when a stick comes or goes */
  constructor(
    timer: Timer,
    private readonly changed: () => void,
    private readonly now: () => Sticks = sticksNow,
  ) {
    super(async () => this.look(), timer, STICK_CHECK_INTERVAL_MS);
  }

  private look(): void {
    const { places, problem } = this.now();
    // A stick that was pulled out counts as new when it is put in again.
    this.before = this.before?.filter((place) => places.includes(place)) ?? places;
    const noticed = { places: places.filter((place) => this.before?.includes(place) !== true), problem };
    const isSame = problem === this.sticks.problem && noticed.places.join("\n") === this.sticks.places.join("\n");
    this.sticks = noticed;
    if (!isSame) this.changed();
  }
}

/** Returns the sticks that are in this machine now. @param mounts path of Linux' mount table */
export function sticksNow(platform: NodeJS.Platform = process.platform, mounts = "/proc/self/mounts"): Sticks {
  if (platform === "win32") return { places: drives(existsSync), problem: null };
  if (platform !== "linux") return { places: [], problem: `sticks cannot be noticed on ${platform}` };
  try {
    return { places: mountedIn(readFileSync(mounts, "utf8")), problem: null };
  } catch (error) {
    return { places: [], problem: `the mount table cannot be read: ${messageOf(error)}` };
  }
}

/** The folders of the sticks. @param table lines such as `/dev/sdb1 /media/ana/MY\040STICK vfat rw 0 0` */
export function mountedIn(table: string): string[] {
  return table.split("\n").flatMap((line) => {
    const [device = "", place = ""] = line.split(" ");
    if (!device.startsWith("/dev/") || !PLACES.test(place)) return [];
    // The paths of a mount table have octal numbers, such as `\040` for a space.
    return place.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  });
}

/** Returns the drives from D to Z that exist. C is left out, because the system is on it. */
export function drives(exists: (path: string) => boolean): string[] {
  const letters = Array.from({ length: 23 }, (_, i) => String.fromCharCode("D".charCodeAt(0) + i));
  return letters.map((letter) => `${letter}:`).filter((drive) => exists(`${drive}\\`));
}
