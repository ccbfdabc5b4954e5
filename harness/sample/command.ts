/** `tillseal sample`: prints made-up invoices, or lets a service sign one. */
import { once } from "node:events";
import { Command, InvalidArgumentError, Option } from "commander";
import { UserError } from "../../src/base/user-error.js";
import { DEFAULT_PIN } from "../../src/commands/running.js";
import { surroundings } from "../../src/commands/surroundings.js";
import { print, printLines } from "../../src/commands/terminal.js";
import { defaultUrl, serviceAddress } from "../scenario/remote.js";
import type { SampleLines } from "./sample-invoices.js";

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
    .action(async ({ type: types, ...flags }: Omit<SampleLines, "types"> & { readonly type: readonly string[] }) => {
      const { sampleInvoiceLines } = await import("./sample-invoices.js");
      for await (const line of sampleInvoiceLines({ ...flags, types })) {
        if (!print(line)) await once(surroundings().stdout, "drain");
      }
    });
}

function count(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= LONGEST) return number;
  throw new InvalidArgumentError(`expected a number from 1 to ${LONGEST}`);
}

function sampleSaleCommand(): Command {
  return new Command("sale")
    .description("let a running emulator sign a sample invoice, and print the receipt and the address of its page")
    .argument("[url]", "address of the service", defaultUrl())
    .addOption(new Option("--pin <digits>", "PIN of the emulated card").default(DEFAULT_PIN))
    .action(async (url: string, { pin }: { pin: string }) => {
      const { sellSample, refusalCodes } = await import("./sell-sample.js");
      const service = serviceAddress("<url>", url);
      const answer = await sellSample(service, pin);
      if (answer.status >= 400) throw new UserError(refusal(service, answer.status, refusalCodes(answer)));
      const { invoiceNumber, journal } = JSON.parse(answer.text) as { invoiceNumber: string; journal: string };
      const page = `${service}/#/receipts/${encodeURIComponent(invoiceNumber)}`;
      printLines([...journal.split("\r\n"), "", page]);
    });
}

function refusal(service: string, status: number, codes: readonly string[]): string {
  return `the service at ${service} refused the sale: status ${status}, codes ${codes.join(", ") || "none"}; docs/codes.md explains them`;
}
