/** Where a real card's store is, unless the settings say otherwise. */
import { homedir } from "node:os";
import { join } from "node:path";
import type { Settings } from "./settings.js";

export function dataDirOf({ dataDir }: Pick<Settings, "dataDir">): string {
  return dataDir ?? join(homedir(), ".tillseal");
}
