/** The default data folder of a real card's store. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import type { Settings } from "./settings.js";

const NAME = ".tillseal";
/** Name of the store in a data folder. */
const STORE = "tillseal.db";

/** The folder of a real card's store. */
export function dataDirOf({ dataDir }: Pick<Settings, "dataDir">): string {
  return dataDir ?? usualFolder();
}

interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly exists: (path: string) => boolean;
}

/** Evaluated only when needed: homedir throws for an account without a home. */
const thisMachine = (): Machine => ({
  platform: process.platform,
  home: homedir(),
  variables: process.env,
  exists: existsSync,
});

/**
 * `~/.tillseal`. On Windows `%ProgramData%/tillseal`, because the service's account there has no home folder that
 * people use; a store that an earlier version made in the home folder stays in use.
 */
export function usualFolder({ platform, home, variables, exists }: Machine = thisMachine()): string {
  const { join } = platform === "win32" ? win32 : posix;
  const own = join(home, NAME);
  if (platform !== "win32") return own;
  const shared = join(variables.ProgramData ?? "C:\\ProgramData", "tillseal");
  return exists(join(own, STORE)) && !exists(join(shared, STORE)) ? own : shared;
}
