/** Finds the data folder of a real card's store. */
import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import { ConfigError } from "./config-error.js";
import type { Settings } from "./settings.js";

/** The data folder of a real card's store: the setting, or the default folder. */
export function dataDirOf({ dataDir }: Pick<Settings, "dataDir">): string {
  return dataDir ?? usualFolder(process.platform, process.env);
}

/** The data folder of a store that stays; undefined if the store is temporary. */
export function keptFolderOf(settings: Pick<Settings, "card" | "dataDir">): string | undefined {
  return settings.card === "pcsc" || settings.dataDir !== undefined ? dataDirOf(settings) : undefined;
}

/** `~/.tillseal`; on Windows `%ProgramData%/tillseal`, because the service's account has no home that people use. */
export function usualFolder(platform: NodeJS.Platform, variables: NodeJS.ProcessEnv): string {
  if (platform === "win32") return win32.join(variables.ProgramData ?? "C:\\ProgramData", "tillseal");
  return posix.join(home(), ".tillseal");
}

/** @throws ConfigError: a container may run with any user id, which has no home folder */
function home(): string {
  try {
    const folder = homedir();
    if (folder !== "") return folder;
  } catch {
    // The sentence below says what to do.
  }
  throw new ConfigError(
    "this user has no home folder, so the data folder has no default: name it with --data-dir DIR or TILLSEAL_DATA_DIR",
  );
}
