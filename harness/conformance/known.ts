/** Reads what a service shows about itself: the values that the suite computes with. */
import { ConfigError } from "../../src/config/config-error.js";
import { rateGroupOf, SENT_RATE_GROUP } from "../../src/config/environment-schema.js";
import type { RateGroupFile } from "../../src/fiscal/environment.js";
import { nearestLanguage, type ReceiptLanguage } from "../../src/fiscal/language.js";
import type { TaxRateGroup } from "../../src/fiscal/tax.js";
import { ianaZone } from "../../src/fiscal/time-zone.js";
import { compileSchema } from "../../src/schema/validator.js";
import { fieldsOf } from "../scenario/json.js";

export interface Known {
  /** The rates that status shows: every group, or only the current group. */
  readonly rates: readonly TaxRateGroup[];
  readonly languages: readonly ReceiptLanguage[];
  /** UID of the card; "" if status does not show one of eight characters. */
  readonly uid: string;
  /** The beginning of a verification URL, before its data. */
  readonly root: string | undefined;
  readonly timeZone: string | undefined;
  /** Code of the country; "" if the service does not show it. */
  readonly country: string;
}

const isRateGroup = compileSchema<RateGroupFile>(SENT_RATE_GROUP);

/**
 * Reads what the suite needs from two answers. A field in another form than the specification describes stays unknown.
 * @param status body of the answer of status
 * @param environment body of the answer of environment parameters
 */
export function knownFrom(status: unknown, environment: unknown): Known {
  const fields = fieldsOf(status);
  const parameters = fieldsOf(environment);
  const { root } = fieldsOf(parameters.endpoints);
  const { serverTimeZone: timeZone } = parameters;
  const country = typeof parameters.country === "string" ? parameters.country : "";
  const all = Array.isArray(fields.allTaxRates) && fields.allTaxRates.length > 0 ? fields.allTaxRates : [];
  return {
    rates: (all.length > 0 ? all : [fields.currentTaxRates]).flatMap(rateGroup),
    languages: languagesIn(fields.supportedLanguages ?? parameters.supportedLanguages),
    uid: typeof fields.uid === "string" && /^\w{8}$/.test(fields.uid) ? fields.uid : "",
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
