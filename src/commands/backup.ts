/** `tillseal backup`: a copy of the store, also while the service runs. */
import { Command } from "commander";
import { systemClock } from "../base/clock.js";
import { UserError } from "../base/user-error.js";
import { ConfigError } from "../config/config-error.js";
import { dataDirOf } from "../config/data-dir.js";
import { addSettingFlags, configFrom } from "./flags.js";

export function backupCommand(): Command {
  const command = new Command("backup")
    .description("copy the store to a file, also while the service runs")
    .argument("[file]", "the copy; must not exist yet")
    .option(
      "--before-upgrade",
      "copy into before-upgrade in the data folder, and remove all but the last copies there",
    );
  return addSettingFlags(command).action(async (file: string | undefined, flags: Record<string, unknown>) => {
    const { beforeUpgrade, ...rest } = flags;
    if ((file === undefined) !== (beforeUpgrade === true))
      throw new ConfigError("name the copy, or give --before-upgrade");
    const dataDir = dataDirOf(configFrom(rest).settings);
    const [{ backupStore }, { copyBeforeUpgrade }, { StoreError }] = await Promise.all([
      import("../ledger/backup.js"),
      import("../bookkeeping/backup/upgrade-copies.js"),
      import("../ledger/database.js"),
    ]);
    try {
      const copy =
        file === undefined
          ? await copyBeforeUpgrade(dataDir, systemClock.now())
          : { file, invoices: await backupStore(dataDir, file) };
      process.stdout.write(`${copy.invoices} invoices are in ${copy.file}\n`);
    } catch (error) {
      throw error instanceof StoreError ? new UserError(error.message) : error;
    }
  });
}
