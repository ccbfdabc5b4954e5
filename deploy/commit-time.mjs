/** The time in packages. The same commit makes the same bytes, so files get the time of the commit. */
import { execFileSync } from "node:child_process";
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./stage.mjs";

/** @returns s since the epoch */
export function commitTime() {
  return Number(execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: ROOT, encoding: "utf8" }));
}

/** Gives everything in a folder the time of the commit. @returns the paths of the files relative to the folder, sorted */
export function withCommitTime(folder) {
  const time = commitTime();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of entries) utimesSync(join(parentPath, name), time, time);
  utimesSync(folder, time, time);
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();
}
