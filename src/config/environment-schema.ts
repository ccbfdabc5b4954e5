/** Describes the form of a file with environment parameters and tax rates. */
import type { RateGroupFile } from "../fiscal/environment.js";
import { RECEIPT_LANGUAGES } from "../fiscal/language.js";
import { parseScaled } from "../fiscal/money.js";
import { normaliseLabel, type TaxRateGroup } from "../fiscal/tax.js";
import { parseTime } from "../fiscal/time.js";
import { textLike } from "../schema/json-schema.js";
import { TIME_SCHEMA } from "../schema/time-schema.js";
import { ConfigError } from "./config-error.js";

const TEXT = { type: "string", minLength: 1 };
const URL_TEXT = textLike("^[a-z]+://[\\x21-\\x7e]+$", "an address such as https://tax.example/");

/** A field with a default may be missing. @param open whether unknown fields are allowed: an authority may add some */
const object = (properties: Readonly<Record<string, object>>, open = false) => ({
  type: "object",
  additionalProperties: open,
  required: Object.entries(properties).flatMap(([name, schema]) => ("default" in schema ? [] : name)),
  properties,
});
const list = (items: unknown) => ({ type: "array", minItems: 1, items });

const PARAMETERS = object({
  organizationName: TEXT,
  serverTimeZone: {
    type: "string",
    format: "time-zone",
    "x-expected": "a time zone such as Europe/Belgrade or Central Europe Standard Time",
  },
  street: TEXT,
  city: TEXT,
  country: textLike("^[A-Z]{2}$", "two capital letters, such as RS"),
  endpoints: object({ taxpayerAdminPortal: URL_TEXT, taxAuthorityApi: URL_TEXT, vsdc: URL_TEXT, root: URL_TEXT }),
  environmentName: TEXT,
  logo: { type: "string", default: "" },
  ntpServer: {
    type: "string",
    format: "time-server",
    "x-expected": "the address of a time server such as ntp://time.example/",
  },
  supportedLanguages: {
    ...list({
      type: "string",
      format: "printable-language",
      "x-expected": `a language of receipts: ${RECEIPT_LANGUAGES.join(", ")}, or one like these`,
    }),
    uniqueItems: true,
  },
});

/** @param isSent whether the authority sends the group: it may have new fields, and categories without a name */
const rateGroup = (isSent: boolean) => {
  const rate = object(
    { label: { type: "string", minLength: 1, maxLength: 8 }, rate: { type: "number", minimum: 0 } },
    isSent,
  );
  const category = {
    name: isSent ? { type: "string" } : TEXT,
    categoryType: { enum: [0, 1, 2] },
    orderId: { type: "integer", minimum: 1, maximum: 255 },
    taxRates: list(rate),
  };
  const group = {
    groupId: { type: "integer", minimum: 0 },
    validFrom: TIME_SCHEMA,
    taxCategories: list(object(category, isSent)),
  };
  return object(group, isSent);
};

export const ENVIRONMENT_SCHEMA = object({ parameters: PARAMETERS, taxRates: list(rateGroup(false)) });
export const SENT_RATE_GROUP = rateGroup(true);

/** @param group a group that its schema allows @throws ConfigError for a rate with more than 4 decimals */
export function rateGroupOf({ groupId, validFrom, taxCategories }: RateGroupFile): TaxRateGroup {
  return {
    groupId,
    validFrom: parseTime(validFrom) ?? 0,
    taxCategories: taxCategories.map(({ name, categoryType, orderId, taxRates }) => ({
      name,
      categoryType,
      orderId,
      taxRates: taxRates.map(({ label, rate }) => ({ label: normaliseLabel(label), rate: exactRate(rate) })),
    })),
  };
}

/** A rate as an exact number. A rate has few digits, so its shortest decimal text is the text in the file. */
function exactRate(rate: number): bigint {
  try {
    return parseScaled(String(rate));
  } catch {
    throw new ConfigError(`rate ${rate} has more than 4 decimals`);
  }
}
