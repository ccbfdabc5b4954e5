/** Chooses where a command reads and writes: in the service that runs, or in the data folder if no service runs. */
import { dataDirOf } from "../config/data-dir.js";
import type { LoadedConfig } from "../config/load.js";
import { findRunning, NotRunning, type RunningService } from "./find-running.js";
import { explained } from "./in-store.js";

/**
 * @param ofService gets the service that runs
 * @param ofStore gets the data folder if no service runs; its errors from the store become a UserError
 * @throws UserError if there is neither a service nor a data folder
 */
export async function serviceOrStore<T>(
  config: LoadedConfig,
  ofService: (running: RunningService) => T | Promise<T>,
  ofStore: (dataDir: string) => T | Promise<T>,
): Promise<T> {
  try {
    return await ofService(await findRunning(config));
  } catch (error) {
    const { card, dataDir } = config.settings;
    const hasFolder = card === "pcsc" || dataDir !== undefined;
    if (!(error instanceof NotRunning) || !hasFolder) throw error;
    return explained(async () => ofStore(dataDirOf(config.settings)));
  }
}
