/** `tillseal report`: reports the sales of some days, for the shop and its bookkeeper. */
import { Command, Option } from "commander";
import { jsonText } from "../base/terminal-text.js";
import { callService } from "../client/call-service.js";
import { ConfigError } from "../config/config-error.js";
import { RECEIPT_LANGUAGES, type ReceiptLanguage } from "../fiscal/language.js";
import { isDay } from "../fiscal/zoned.js";
import { addSettingFlags, configFrom, type SettingFlags } from "./flags.js";
import { atPlace } from "./place.js";
import { print, printLines } from "./terminal.js";

interface ReportFlags extends SettingFlags {
  readonly from?: string;
  readonly to?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly language?: ReceiptLanguage;
}

const PATHS = { text: "/report.txt", json: "/report", csv: "/report.csv" } as const;

export function reportCommand(): Command {
  const command = new Command("report")
    .description("print the day report: sales, refunds, taxes, payments; reads the store if no service runs")
    .option("--from <day>", "first day, such as 2026-11-01; default: the last one")
    .option("--to <day>", "last day; default: today")
    .option("--json", "machine readable")
    .option("--csv", "CSV, for a spreadsheet")
    .addOption(
      new Option("--language <language>", "language of the text, default: en-US; with --csv its words too").choices(
        RECEIPT_LANGUAGES,
      ),
    );
  return addSettingFlags(command).action(
    async ({ from, to, json = false, csv = false, language, ...flags }: ReportFlags) => {
      if (json && csv) throw new ConfigError("use one of --json and --csv");
      for (const [name, day] of Object.entries({ from, to })) {
        if (day !== undefined && !isDay(day)) throw new ConfigError(`--${name}: expected a day such as 2026-11-21`);
      }
      const form = json ? "json" : csv ? "csv" : "text";
      const words = { text: language ?? "en-US", csv: language ?? "", json: "" }[form];
      const query = new URLSearchParams({ from: from ?? "", to: to ?? "", language: words });
      const report = await atPlace(configFrom(flags), "read", async (place) => {
        // Set no time limit, because a year of receipts takes long.
        const answer = await callService(place, "GET", `${PATHS[form]}?${query}`, undefined, Number.POSITIVE_INFINITY);
        if (form === "json") return jsonText(await answer.json());
        return Buffer.from(await answer.arrayBuffer()).toString("utf8");
      });
      // Every line of the text ends with CR and LF, and spaces fill it.
      if (form === "text") printLines(report.split(/ *\r\n/).slice(0, -1));
      else print(report);
    },
  );
}
