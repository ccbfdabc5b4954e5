/** `tillseal sample`: realistic invoices for a POS's tests, one per line, and a first sale. */
import { once } from "node:events";
import { Command, InvalidArgumentError, Option } from "commander";
import { needEmulator } from "./need-emulator.js";
import { sampleSaleCommand } from "./sample-sale.js";

interface SampleFlags {
  readonly count: number;
  readonly seed: string;
  readonly type: readonly string[];
  readonly environment: string;
}

const LONGEST = 1_000_000_000;

export function sampleCommand(): Command {
  return new Command("sample")
    .description("made-up data for tests")
    .addCommand(sampleSaleCommand())
    .addCommand(invoiceCommand());
}

function invoiceCommand(): Command {
  return new Command("invoice")
    .description("print valid invoices as JSON, one per line; the same seed gives the same invoices")
    .addOption(new Option("--count <n>", "how many").default(1).argParser(count))
    .option("--seed <text>", "seed of the invoices", "tillseal")
    .option("--type <type...>", "only of these types, such as normal-sale or copy-refund; default: a usual mix", [])
    .option(
      "--environment <name>",
      "environment whose labels they use: a name in fixtures/environments, or a file",
      "specification",
    )
    .action(async ({ count: total, seed, type, environment }: SampleFlags) => {
      const emulator = await needEmulator("samples");
      const lines = emulator.sampleInvoiceLines({ count: total, seed, types: type, environment });
      for await (const line of lines) {
        if (!process.stdout.write(line)) await once(process.stdout, "drain");
      }
    });
}

function count(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= LONGEST) return number;
  throw new InvalidArgumentError(`expected a number from 1 to ${LONGEST}`);
}
