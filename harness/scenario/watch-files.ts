/** Replays scenarios when their files change. */
import { systemTimer } from "../../src/base/clock.js";
import { readText } from "../../src/base/read-text.js";
import { UserError } from "../../src/base/user-error.js";
import { scenarioFiles } from "./load.js";
import { type RunScenarioFiles, runScenarioFiles } from "./run-files.js";

/** Between two looks at the files. */
const LOOK_MS = 150;

type Contents = ReadonlyMap<string, string>;

/**
 * Plays everything, then each file that changes or is new, until `signal` is aborted. If a file has a mistake, the
 * function prints it and still watches.
 * @returns whether the last run of any file failed
 */
export async function watchScenarioFiles(options: RunScenarioFiles, signal: AbortSignal): Promise<boolean> {
  const failed = new Set<string>();
  let known = contentsOf(options.paths);
  /** Files that were not played yet, because another file could not be read. */
  let waiting = (await replay(options, failed)) ? [] : options.paths;
  while (!signal.aborted) {
    options.write("\nwatching; press Ctrl-C to stop\n");
    const contents = await nextContents(options.paths, known, signal);
    if (signal.aborted) break;
    const files = [...new Set([...contentsOf(waiting).keys(), ...changedIn(contents, known)])];
    known = contents;
    for (const file of files) failed.delete(file);
    waiting = (await replay({ ...options, paths: files, allowEmpty: true }, failed)) ? [] : files;
  }
  return failed.size > 0 || waiting.length > 0;
}

/** Waits for a change, or until `signal` is aborted. We look, because some folders report no change: network, containers. */
async function nextContents(paths: readonly string[], known: Contents, signal: AbortSignal): Promise<Contents> {
  for (let before = known; ; ) {
    await systemTimer.sleep(LOOK_MS, signal);
    const contents = contentsOf(paths);
    // An editor writes a file in several steps, so a change counts once two looks have seen the same.
    const isSettled = changedIn(contents, known).length > 0 && changedIn(contents, before).length === 0;
    if (signal.aborted || isSettled) return contents;
    before = contents;
  }
}

function changedIn(contents: Contents, before: Contents): string[] {
  return [...contents].flatMap(([file, content]) => (before.get(file) === content ? [] : [file]));
}

/** Plays files. @param failed gets the files with a failure @returns whether all files could be read */
async function replay(options: RunScenarioFiles, failed: Set<string>): Promise<boolean> {
  try {
    const results = await runScenarioFiles(options);
    for (const { outcome, scenario } of results) if (outcome === "failed") failed.add(scenario.file);
    return true;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    options.write(`${error.message}\n`);
    return false;
  }
}

/** An editor may remove a file or a folder for a moment, so what is not there is left out. */
function contentsOf(paths: readonly string[]): Contents {
  const contents = new Map<string, string>();
  for (const path of paths) {
    try {
      for (const file of scenarioFiles([path])) contents.set(file, readText(file));
    } catch {
      // The next look may find it.
    }
  }
  return contents;
}
