/**
 * Replaces store, cards and authority in a data folder, all or nothing: after a kill at any moment, the next start finds
 * the whole old world or makes the whole new one. The new files are complete in a folder beside the old ones before
 * anything is removed. That folder gets its second name when it is complete; then it counts.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { renamePatiently } from "../../src/base/rename-patiently.js";
import { syncFile, syncFolder } from "../../src/base/write-durably.js";

const UNFINISHED = "tillseal.world.partial";
const COMPLETE = "tillseal.world.next";

/** @param make writes the files of the new world into a folder @param clear removes the old world */
export function swapWorld(path: string, make: (folder: string) => void, clear: () => void): void {
  const unfinished = join(path, UNFINISHED);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  make(unfinished);
  for (const file of filesIn(unfinished)) syncFile(file);
  renamePatiently(unfinished, join(path, COMPLETE));
  syncFolder(path);
  completeSwap(path, clear);
}

/** Whether a replacement is at work, or was interrupted. */
export function isSwapping(path: string): boolean {
  return [UNFINISHED, COMPLETE].some((name) => existsSync(join(path, name)));
}

/** Completes a replacement that was interrupted. @param clear removes the old world */
export function completeSwap(path: string, clear: () => void): void {
  const [unfinished, complete] = [join(path, UNFINISHED), join(path, COMPLETE)];
  if (existsSync(complete)) {
    clear();
    for (const file of filesIn(complete)) {
      const target = join(path, relative(complete, file));
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      copyFileSync(file, target);
      syncFile(target);
    }
    syncFolder(path);
    // A folder that is half removed must not count.
    rmSync(unfinished, { recursive: true, force: true });
    renamePatiently(complete, unfinished);
  }
  rmSync(unfinished, { recursive: true, force: true });
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
