/** Reads what a service shows about itself: the values that the suite computes with. */
import { ConfigError } from "../../src/config/config-error.js";
import { rateGroupOf, SENT_RATE_GROUP } from "../../src/config/environment-schema.js";
import type { RateGroupFile } from "../../src/fiscal/environment.js";
import { nearestLanguage, type ReceiptLanguage } from "../../src/fiscal/language.js";
import type { TaxRateGroup } from "../../src/fiscal/tax.js";
import { ianaZone } from "../../src/fiscal/time-zone.js";
import { compileSchema } from "../../src/schema/validator.js";
import { fieldsOf } from "../scenario/json.js";

export type Known = ReturnType<typeof knownFrom>;

const isRateGroup = compileSchema<RateGroupFile>(SENT_RATE_GROUP);

/**
 * Reads what the suite needs from two answers. A field in another form than the specification describes stays unknown.
 * @param status body of the answer of status
 * @param environment body of the answer of environment parameters
 */
export function knownFrom(status: unknown, environment: unknown) {
  const fields = fieldsOf(status);
  const parameters = fieldsOf(environment);
  const { root } = fieldsOf(parameters.endpoints);
  const { serverTimeZone: timeZone } = parameters;
  /** Code of the country; "" if the service does not show it. */
  const country = typeof parameters.country === "string" ? parameters.country : "";
  const all: readonly unknown[] = Array.isArray(fields.allTaxRates) ? fields.allTaxRates : [];
  /** The rates that status shows: every group, or only the current group. */
  const rates: readonly TaxRateGroup[] = (all.length > 0 ? all : [fields.currentTaxRates]).flatMap(rateGroup);
  return {
    rates,
    languages: languagesIn(fields.supportedLanguages ?? parameters.supportedLanguages),
    /** UID of the card; "" if status does not show one of eight characters. */
    uid: typeof fields.uid === "string" && /^\w{8}$/.test(fields.uid) ? fields.uid : "",
    /** The beginning of a verification URL, before its data. */
    root: typeof root === "string" && root !== "" ? root : undefined,
    timeZone: typeof timeZone === "string" ? ianaZone(timeZone, country) : undefined,
    country,
  };
}

function rateGroup(group: unknown): TaxRateGroup[] {
  try {
    return isRateGroup(group) ? [rateGroupOf(group)] : [];
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
}

function languagesIn(list: unknown): ReceiptLanguage[] {
  const tags: readonly unknown[] = Array.isArray(list) ? list : [];
  return [...new Set(tags.flatMap((tag) => (typeof tag === "string" ? (nearestLanguage(tag) ?? []) : [])))];
}
