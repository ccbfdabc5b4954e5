/**
 * `tillseal config` shows the settings that a service would start with. `tillseal environment check` checks a file with
 * parameters and tax rates.
 */
import { Command } from "commander";
import { systemClock } from "../base/clock.js";
import { tableLines } from "../base/terminal-text.js";
import { UserError } from "../base/user-error.js";
import { at, ConfigError } from "../config/config-error.js";
import { parseEnvironment } from "../config/environment.js";
import { readYaml } from "../config/read-file.js";
import { environmentVariable, flag, SETTING_NAMES, SETTINGS } from "../config/settings.js";
import { proofOf } from "../fiscal/countries.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import { toDecimalText } from "../fiscal/money.js";
import { rateGroupAt, type TaxRateGroup } from "../fiscal/tax.js";
import { toIso } from "../fiscal/time.js";
import { configFrom, JSON_FLAG, type SettingFlags, settingsCommand } from "./flags.js";
import { printJson, printLines, printTable } from "./terminal.js";

export function configCommand(): Command {
  const about = "show the settings with which this command line would start a service, and where they come from";
  return settingsCommand("config", about, JSON_FLAG).action((flags: SettingFlags) => {
    const { settings, sources, file } = configFrom(flags);
    const rows = SETTING_NAMES.map((name) => ({
      setting: name,
      value: settings[name] ?? null,
      source: sources.get(name) ?? "default",
      flag: flag(name),
      variable: environmentVariable(name),
      description: SETTINGS[name].description,
    }));
    if (flags.json) return printJson({ file: file ?? null, settings: rows });
    const shown = rows.flatMap(({ setting, value, source, description }) => {
      const text = value === null ? "-" : Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
      const from = source === "file" ? `file ${file}` : source;
      return [
        [setting, `${text}  (${from})`],
        ["", description],
      ];
    });
    printTable(shown);
    printLines(["", "A service that runs was not asked: it has the flags and variables of its own start."]);
  });
}

export function environmentCommand(): Command {
  const check = new Command("check")
    .description("check a file with environment parameters and tax rates, and show its rates")
    .argument("<file>", "YAML or JSON")
    .action((file: string) => {
      printLines([`${file} is valid.`, ...summary(checked(file), systemClock.now())]);
    });
  return new Command("environment")
    .description("check files with environment parameters and tax rates")
    .addCommand(check);
}

/** The environment in a file. @throws ConfigError if the file does not exist, UserError if it is not valid */
function checked(file: string): FiscalEnvironment {
  const content = readYaml(file);
  try {
    return at(file, () => parseEnvironment(content));
  } catch (error) {
    throw error instanceof ConfigError ? new UserError(error.message) : error;
  }
}

function summary({ parameters, taxRates }: FiscalEnvironment, now: number): string[] {
  const { environmentName, organizationName, country, serverTimeZone, supportedLanguages } = parameters;
  const current = rateGroupAt(taxRates, now);
  return [
    `${environmentName}, ${organizationName}, ${country}, ${serverTimeZone}, ${supportedLanguages.join(" ")}`,
    `Country: ${proofOf(country).text}.`,
    ...taxRates
      .toSorted((a, b) => a.validFrom - b.validFrom)
      .flatMap((group) => [
        `Group ${group.groupId} from ${toIso(group.validFrom)}${group === current ? ", valid now" : ""}`,
        ...categories(group),
      ]),
    ...(current ? [] : ["No group is valid now: the service cannot sell yet."]),
  ];
}

function categories({ taxCategories }: TaxRateGroup): string[] {
  const rows = taxCategories
    .toSorted((a, b) => a.orderId - b.orderId)
    .map(({ orderId, name, categoryType, taxRates }) => {
      const unit = categoryType === 2 ? " each" : " %";
      const rates = taxRates.map(({ label, rate }) => `${label} ${toDecimalText(rate)}${unit}`);
      return [String(orderId), `${name}: ${rates.join(", ")}`];
    });
  return tableLines(rows).map((line) => `  ${line}`);
}
