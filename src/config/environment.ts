/** Reads the file with environment parameters and tax rates. */
import { join } from "node:path";
import { PACKAGE_ROOT } from "../base/package-root.js";
import type { EnvironmentFile, FiscalEnvironment, RateGroupFile } from "../fiscal/environment.js";
import { contradictions } from "../fiscal/environment-rules.js";
import { RECEIPT_LANGUAGES } from "../fiscal/language.js";
import { parseScaled } from "../fiscal/money.js";
import { normaliseLabel, type TaxRateGroup } from "../fiscal/tax.js";
import { parseTime } from "../fiscal/time.js";
import { TIME_SCHEMA } from "../schema/time-schema.js";
import { compileSchema, explainErrors } from "../schema/validator.js";
import { ConfigError } from "./config-error.js";
import { namedFile, readYaml } from "./read-file.js";

const TEXT = { type: "string", minLength: 1 };
const URL_TEXT = { type: "string", pattern: "^[a-z]+://[\\x21-\\x7e]+$" };

/** @param strict refuse unknown keys: in a file they are mistakes, but an authority may send new ones */
function schemas(strict: boolean) {
  const object = (properties: Record<string, unknown>, optional: readonly string[] = []) => ({
    type: "object",
    additionalProperties: !strict,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    properties,
  });
  const list = (items: unknown) => ({ type: "array", minItems: 1, items });
  const languages = { enum: RECEIPT_LANGUAGES };
  const parameters = object(
    {
      organizationName: TEXT,
      serverTimeZone: { type: "string", format: "time-zone" },
      street: TEXT,
      city: TEXT,
      country: { type: "string", pattern: "^[A-Z]{2}$" },
      endpoints: object({ taxpayerAdminPortal: URL_TEXT, taxAuthorityApi: URL_TEXT, vsdc: URL_TEXT, root: URL_TEXT }),
      environmentName: TEXT,
      logo: { type: "string", default: "" },
      ntpServer: URL_TEXT,
      supportedLanguages: { ...list(languages), uniqueItems: true },
    },
    ["logo"],
  );
  const rateGroup = object({
    groupId: { type: "integer", minimum: 0 },
    validFrom: TIME_SCHEMA,
    taxCategories: list(
      object({
        name: TEXT,
        categoryType: { enum: [0, 1, 2] },
        orderId: { type: "integer", minimum: 1, maximum: 255 },
        taxRates: list(
          object({ label: { type: "string", minLength: 1, maxLength: 8 }, rate: { type: "number", minimum: 0 } }),
        ),
      }),
    ),
  });
  return { parameters, rateGroup, environment: object({ parameters, taxRates: list(rateGroup) }) };
}

export const ENVIRONMENT_SCHEMA = schemas(true).environment;
/** For the parameters alone and for one group of rates, as an authority sends them. */
export const SENT_SCHEMAS = schemas(false);

const validate = compileSchema<EnvironmentFile>(ENVIRONMENT_SCHEMA);

/**
 * @param name `none`, the name of an environment in fixtures/environments, or a file
 * @returns undefined for `none`
 * @throws ConfigError
 */
export function loadNamedEnvironment(name: string): FiscalEnvironment | undefined {
  if (name === "none") return undefined;
  return loadEnvironment(namedFile("environment", name, join(PACKAGE_ROOT, "fixtures", "environments"), ["none"]));
}

/** @throws ConfigError that names the file and every wrong key */
export function loadEnvironment(file: string): FiscalEnvironment {
  return parseEnvironment(readYaml(file), file);
}

/** @throws ConfigError */
export function parseEnvironment(content: unknown, source: string): FiscalEnvironment {
  const wrong = validate(content) ? contradictions(content) : explainErrors(validate.errors);
  if (wrong.length > 0) throw new ConfigError(`${source}: ${wrong.join("; ")}`);
  const file = content as EnvironmentFile;
  return {
    parameters: file.parameters,
    taxRates: file.taxRates.map((group) => rateGroupOf(group, source)),
  };
}

/** @param group valid by its schema. @throws ConfigError for a rate with more than 4 decimals */
export function rateGroupOf({ groupId, validFrom, taxCategories }: RateGroupFile, source: string): TaxRateGroup {
  return {
    groupId,
    validFrom: parseTime(validFrom) ?? 0,
    taxCategories: taxCategories.map(({ name, categoryType, orderId, taxRates }) => ({
      name,
      categoryType,
      orderId,
      taxRates: taxRates.map(({ label, rate }) => ({ label: normaliseLabel(label), rate: exactRate(rate, source) })),
    })),
  };
}

/** A rate has few digits, so its shortest decimal text is what the file says. */
function exactRate(rate: number, source: string): bigint {
  try {
    return parseScaled(String(rate));
  } catch {
    throw new ConfigError(`${source}: rate ${rate} has more than 4 decimals`);
  }
}
