/** Reads the file with environment parameters and tax rates. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../base/package-root.js";
import type { EnvironmentFile, FiscalEnvironment } from "../fiscal/environment.js";
import { contradictions } from "../fiscal/environment-rules.js";
import { supportedLanguages } from "../fiscal/language.js";
import { ianaZone } from "../fiscal/time-zone.js";
import { compileSchema, MOST_FILE_VALUES, wrongIn } from "../schema/validator.js";
import { at, wrongContent } from "./config-error.js";
import { ENVIRONMENT_SCHEMA, rateGroupOf } from "./environment-schema.js";
import { namedFile, readText, readYaml } from "./read-file.js";
import { sentParameters, sentRateGroups } from "./sent-environment.js";

const validate = compileSchema<EnvironmentFile>(ENVIRONMENT_SCHEMA, MOST_FILE_VALUES);

const FOLDER = join(PACKAGE_ROOT, "fixtures", "environments");

/** The environment that was recorded at a real authority, in the form in which an authority sends it. */
export const RECORDED = "sandbox";

/** The texts of the recorded environment, byte for byte. */
export function recordedTexts(): { readonly configuration: string; readonly taxRates: string } {
  const text = (name: string) => readText(join(FOLDER, RECORDED, name));
  return { configuration: text("configuration.json"), taxRates: text("tax-rates.json") };
}

/** @param name a file, the name of one in fixtures/environments, or `none`: then undefined @throws ConfigError */
export function loadNamedEnvironment(name: string): FiscalEnvironment | undefined {
  if (name === "none") return undefined;
  if (name === RECORDED && existsSync(join(FOLDER, RECORDED))) {
    const texts = recordedTexts();
    const parameters = sentParameters(JSON.parse(texts.configuration));
    return environmentOf({ parameters, taxRates: sentRateGroups(JSON.parse(texts.taxRates)) });
  }
  const file = namedFile("environment", name, FOLDER, [RECORDED, "none"]);
  const content = readYaml(file);
  return at(file, () => parseEnvironment(content));
}

/** Checks the content of a file and makes an environment of it. @throws ConfigError that names every wrong key */
export function parseEnvironment(content: unknown): FiscalEnvironment {
  const wrong = validate(content) ? contradictions(content) : wrongIn(validate.errors, undefined, "names");
  if (wrong.length > 0) throw wrongContent(wrong);
  return environmentOf(content as EnvironmentFile);
}

function environmentOf({ parameters, taxRates }: EnvironmentFile): FiscalEnvironment {
  return {
    parameters,
    // A file never needs the fallback, because the schema refuses an unknown time zone.
    timeZone: ianaZone(parameters.serverTimeZone, parameters.country) ?? parameters.serverTimeZone,
    languages: supportedLanguages(parameters.supportedLanguages, parameters.country),
    taxRates: taxRates.map(rateGroupOf),
  };
}
