/** Finds the data folder of a real card's store. */
import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import type { Settings } from "./settings.js";

/** The data folder of a real card's store: the setting, or the default folder. */
export function dataDirOf({ dataDir }: Pick<Settings, "dataDir">): string {
  return dataDir ?? usualFolder();
}

interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** Facts about this machine. They are read only when needed, because homedir throws for an account without a home. */
const thisMachine = (): Machine => ({
  platform: process.platform,
  home: homedir(),
  variables: process.env,
});

/**
 * The default data folder: `~/.tillseal`. On Windows it is `%ProgramData%/tillseal`, because the service's account has
 * no home folder there that people use.
 */
export function usualFolder({ platform, home, variables }: Machine = thisMachine()): string {
  if (platform === "win32") return win32.join(variables.ProgramData ?? "C:\\ProgramData", "tillseal");
  return posix.join(home, ".tillseal");
}
