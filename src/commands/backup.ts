/** `tillseal backup`: a copy of the store, also while the service runs. */
import { Command } from "commander";
import { UserError } from "../base/user-error.js";
import { dataDirOf } from "../config/data-dir.js";
import { addSettingFlags, configFrom } from "./settings-flags.js";

export function backupCommand(): Command {
  const command = new Command("backup")
    .description("copy the store to a file, also while the service runs")
    .argument("<file>", "the copy; must not exist yet");
  return addSettingFlags(command).action(async (file: string, flags: Record<string, unknown>) => {
    const { settings } = configFrom(flags);
    const [{ backupStore }, { StoreError }] = await Promise.all([
      import("../ledger/backup.js"),
      import("../ledger/database.js"),
    ]);
    try {
      const count = await backupStore(dataDirOf(settings), file);
      process.stdout.write(`${count} invoices are in ${file}\n`);
    } catch (error) {
      throw error instanceof StoreError ? new UserError(error.message) : error;
    }
  });
}
