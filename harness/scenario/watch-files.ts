/** Replays scenarios when their files change. */
import { type FSWatcher, readdirSync, readFileSync, statSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import { systemTimer } from "../../src/base/clock.js";
import { UserError } from "../../src/base/user-error.js";
import { locatedPaths, scenarioFiles } from "./load.js";
import { type RunScenarioFiles, runScenarioFiles } from "./run-files.js";

/** ms to wait after a change, because an editor writes a file in several steps. */
const SETTLE = 100;

/**
 * Plays everything, then each file that changes or is new, until `signal` is aborted. If a file has a mistake, the
 * function prints it and still watches.
 * @returns whether the last run of any file failed
 */
export async function watchScenarioFiles(options: RunScenarioFiles, signal: AbortSignal): Promise<boolean> {
  const watched = new WatchedFiles(options.paths);
  const failed = new Set<string>();
  /** Files that were not played yet, because another file could not be read. */
  let waiting: readonly string[] = [];
  try {
    watched.changed();
    if (!(await replay(options, failed))) waiting = options.paths;
    while (!signal.aborted) {
      options.write("\nwatching; press Ctrl-C to stop\n");
      const changed = await nextChange(watched, signal);
      const files = [...new Set([...scenarioFiles(waiting.filter(isThere)), ...changed])];
      if (signal.aborted) break;
      for (const file of files) failed.delete(file);
      waiting = (await replay({ ...options, paths: files, allowEmpty: true }, failed)) ? [] : files;
    }
    return failed.size > 0 || waiting.length > 0;
  } finally {
    watched.close();
  }
}

/** Waits for a change. @returns the files that changed, or an empty list if the watch ends */
async function nextChange(watched: WatchedFiles, signal: AbortSignal): Promise<string[]> {
  for (;;) {
    await watched.next(signal);
    if (signal.aborted) return [];
    await systemTimer.sleep(SETTLE, signal);
    const changed = watched.changed();
    if (changed.length > 0) return changed;
  }
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

class WatchedFiles {
  /** A watcher for each folder. A watcher of the file itself would miss an editor that replaces the file. */
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly contents = new Map<string, string>();
  private hasChanged = false;
  private wake: () => void = () => undefined;

  constructor(private readonly paths: readonly string[]) {}

  /** Resolves once something may have changed since the last call of {@link changed}. */
  async next(signal: AbortSignal): Promise<void> {
    if (this.hasChanged || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Returns the files that are new, or whose content has changed since the last call. */
  changed(): string[] {
    this.hasChanged = false;
    this.followFolders();
    const files = scenarioFiles(this.paths.filter(isThere));
    return files.filter((file) => {
      const content = contentOf(file);
      const isNew = content !== undefined && this.contents.get(file) !== content;
      if (content === undefined) this.contents.delete(file);
      else this.contents.set(file, content);
      return isNew;
    });
  }

  close(): void {
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  private followFolders(): void {
    const folders = new Set(locatedPaths(this.paths.filter(isThere)).flatMap(foldersOf));
    for (const [folder, watcher] of this.watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.watchers.delete(folder);
    }
    for (const folder of folders) {
      if (this.watchers.has(folder)) continue;
      const watcher = watch(folder, () => this.happens());
      // The watcher reports an error when its folder is removed. We count this as a change.
      watcher.on("error", () => this.happens());
      this.watchers.set(folder, watcher);
    }
  }

  private happens(): void {
    this.hasChanged = true;
    this.wake();
  }
}

/** Whether the path exists. An editor may remove a file for a moment. */
function isThere(path: string): boolean {
  try {
    return locatedPaths([path]).length > 0;
  } catch {
    return false;
  }
}

function foldersOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [dirname(path)];
  const below = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [path, ...below.map((entry) => join(entry.parentPath, entry.name))];
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
