/** `tillseal card make-keys`: keys for emulated cards. */
import { Command } from "commander";
import { needEmulator } from "./need-emulator.js";

export function cardMakeKeysCommand(): Command {
  return new Command("make-keys")
    .description("make the keys of an emulated tax authority and card; the same seed gives the same keys")
    .requiredOption("--seed <text>", "seed of the keys; anyone who knows it can make the same keys")
    .requiredOption("--out <dir>", "folder for the PEM files")
    .action(async ({ seed, out }: { seed: string; out: string }) => {
      const emulator = await needEmulator("emulated cards");
      emulator.makeKeys(seed, out, (line) => process.stderr.write(`${line}\n`));
      process.stdout.write(`wrote keys for tests to ${out}\n`);
    });
}
