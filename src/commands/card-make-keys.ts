/** `tillseal card make-keys`: keys for emulated cards. */
import { Command } from "commander";
import { loadEmulator } from "./emulator.js";
import { UserError } from "./user-error.js";

export function cardMakeKeysCommand(): Command {
  return new Command("make-keys")
    .description("make the keys of an emulated tax authority and card: the same seed, the same keys")
    .requiredOption("--seed <text>", "what the keys follow from; anybody who knows it has the keys")
    .requiredOption("--out <dir>", "folder for the PEM files")
    .action(async ({ seed, out }: { seed: string; out: string }) => {
      const emulator = await loadEmulator();
      if (!emulator) throw new UserError("this is the production package, it has no emulated cards");
      emulator.makeKeys(seed, out, (what) => process.stderr.write(`${what}\n`));
      process.stdout.write(`keys for tests are in ${out}\n`);
    });
}
