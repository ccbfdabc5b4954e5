/** Finds the data folder of a real card's store. */
import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import type { Settings } from "./settings.js";

/** The data folder of a real card's store: the setting, or the default folder. */
export function dataDirOf({ dataDir }: Pick<Settings, "dataDir">): string {
  return dataDir ?? usualFolder(process.platform, process.env);
}

/**
 * The default data folder: `~/.tillseal`. On Windows it is `%ProgramData%/tillseal`, because the service's account has
 * no home folder there that people use.
 */
export function usualFolder(platform: NodeJS.Platform, variables: NodeJS.ProcessEnv): string {
  if (platform === "win32") return win32.join(variables.ProgramData ?? "C:\\ProgramData", "tillseal");
  return posix.join(homedir(), ".tillseal");
}
