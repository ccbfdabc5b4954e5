/** `tillseal report`: reports the sales of some days, for the shop and its bookkeeper. */
import { Command, Option } from "commander";
import { EXIT, UserError } from "../base/user-error.js";
import { RECEIPT_LANGUAGES, type ReceiptLanguage } from "../fiscal/language.js";
import { addSettingFlags, configFrom } from "./flags.js";
import { print, printLines } from "./terminal.js";

interface Flags extends Readonly<Record<string, unknown>> {
  readonly from?: string;
  readonly to?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly language: ReceiptLanguage;
}

export function reportCommand(): Command {
  const command = new Command("report")
    .description("print the day report: sales, refunds, taxes, payments; reads the store if no service runs")
    .option("--from <day>", "first day, such as 2026-11-01; default: the last one")
    .option("--to <day>", "last day; default: today")
    .option("--json", "machine readable")
    .option("--csv", "CSV, for a spreadsheet")
    .addOption(
      new Option("--language <language>", "language of the report in 40 columns")
        .choices(RECEIPT_LANGUAGES)
        .default("en-US" as const),
    );
  return addSettingFlags(command).action(async ({ from, to, json = false, csv = false, language, ...flags }: Flags) => {
    if (json && csv) throw new UserError("use one of --json and --csv", EXIT.usage);
    const { readReport } = await import("../client/report-source.js");
    const form = json ? "json" : csv ? "csv" : "text";
    const report = await readReport(configFrom(flags), { from, to, form, language });
    if (form !== "text") print(report);
    // Every line of the text ends with CR and LF, and spaces fill it.
    else
      printLines(
        report
          .split("\r\n")
          .slice(0, -1)
          .map((line) => line.trimEnd()),
      );
  });
}
