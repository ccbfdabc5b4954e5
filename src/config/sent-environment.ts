/** Reads what an authority sends (protocol facts, section 8). Refuses only values that a sale needs but cannot use. */
import type { EnvironmentParameters, RateGroupFile } from "../fiscal/environment.js";
import { groupContradictions, rootProblems } from "../fiscal/environment-rules.js";
import { CATEGORY_TYPES } from "../fiscal/tax.js";
import { isObject } from "../schema/decimal.js";
import { knownNames, respelled } from "../schema/respelled.js";
import { compileSchema, MOST_FILE_VALUES, wrongIn } from "../schema/validator.js";
import { at, ConfigError, wrongContent } from "./config-error.js";
import { rateGroupOf, SENT_RATE_GROUP } from "./environment-schema.js";

const isRateGroup = compileSchema<RateGroupFile>(SENT_RATE_GROUP, MOST_FILE_VALUES);

const TEXTS = ["organizationName", "serverTimeZone", "street", "city", "country"] as const;
const LAST_TEXTS = ["environmentName", "logo", "ntpServer"] as const;
const ADDRESSES = ["taxpayerAdminPortal", "taxAuthorityApi", "vsdc", "root"] as const;

const PARAMETER_NAMES = knownNames([...TEXTS, ...LAST_TEXTS, ...ADDRESSES, "endpoints", "supportedLanguages"], {
  taxCoreApi: "taxAuthorityApi",
});
const RATE_NAMES = knownNames([
  "currentTaxRates",
  "allTaxRates",
  "groupId",
  "validFrom",
  "taxCategories",
  "name",
  "categoryType",
  "orderId",
  "taxRates",
  "label",
  "rate",
]);

/** Maximum number of characters of a text that are kept. */
const LONGEST_TEXT = 500;
const MOST_LANGUAGES = 50;

/**
 * Reads parameters. Unknown fields are left out; missing and empty texts become "". Values keep the authority's
 * spelling.
 * @param content parsed JSON
 * @throws ConfigError if the content is not a record, or a sale cannot use its `endpoints.root`
 */
export function sentParameters(content: unknown): EnvironmentParameters {
  const sent = respelled(content, PARAMETER_NAMES);
  if (!isObject(sent)) throw new ConfigError("the parameters are not a record");
  const endpoints = linesOf(isObject(sent.endpoints) ? sent.endpoints : {}, ADDRESSES);
  const [wrong] = rootProblems(endpoints.root, "endpoints.root");
  if (wrong !== undefined) throw new ConfigError(wrong);
  return {
    ...linesOf(sent, TEXTS),
    endpoints,
    ...linesOf(sent, LAST_TEXTS),
    supportedLanguages: listOf(sent.supportedLanguages)
      .slice(0, MOST_LANGUAGES)
      .map(lineOf)
      .filter((tag) => tag !== ""),
  };
}

/**
 * Reads groups of tax rates.
 * @param content parsed JSON: a group of rates, a list of groups, or the authority's answer (with `allTaxRates` or
 *   `currentTaxRates`)
 * @returns at least one group, in the form of an environment file
 * @throws ConfigError if there is no group, or a sale cannot use one of the groups
 */
export function sentRateGroups(content: unknown): readonly RateGroupFile[] {
  const groups = groupsIn(respelled(content, RATE_NAMES));
  if (groups.length === 0) throw new ConfigError("there is no group of tax rates");
  return groups.map((group, i) => at(`group ${i + 1}`, () => usableGroup(withCategoryTypes(group))));
}

function usableGroup(group: unknown): RateGroupFile {
  const wrong = isRateGroup(group) ? groupContradictions(group) : wrongIn(isRateGroup.errors, "the group");
  if (wrong.length > 0) throw wrongContent(wrong);
  const known = withKnownFields(group as RateGroupFile);
  rateGroupOf(known);
  return known;
}

/** Keeps only the fields of an environment file, which accepts no others. */
export function withKnownFields({ groupId, validFrom, taxCategories }: RateGroupFile): RateGroupFile {
  const categories = taxCategories.map(({ name, categoryType, orderId, taxRates }) => {
    return { name, categoryType, orderId, taxRates: taxRates.map(({ label, rate }) => ({ label, rate })) };
  });
  return { groupId, validFrom, taxCategories: categories };
}

function groupsIn(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  if (!isObject(content)) return [];
  const { allTaxRates, currentTaxRates } = content;
  if (allTaxRates === undefined && currentTaxRates === undefined) return [content];
  const all = listOf(allTaxRates);
  return all.length > 0 ? all : [currentTaxRates];
}

/** A group with category types as numbers. A category without a name gets the name "". */
function withCategoryTypes(group: unknown): unknown {
  if (!isObject(group)) return group;
  const categories = listOf(group.taxCategories).map((category) =>
    isObject(category)
      ? { ...category, name: lineOf(category.name), categoryType: categoryTypeOf(category.categoryType) }
      : category,
  );
  return { ...group, taxCategories: categories };
}

/** The number of a category type: 0 for `0`, `"0"` and `TaxOnNet`. The schema refuses an unknown type. */
function categoryTypeOf(sent: unknown): unknown {
  if (typeof sent !== "string") return sent;
  const text = sent.trim().toLowerCase();
  const index = CATEGORY_TYPES.findIndex((name, i) => text === String(i) || text === name.toLowerCase());
  return index === -1 ? sent : index;
}

/** A text or a number as one line of text; "" for anything else. */
function lineOf(sent: unknown): string {
  if (typeof sent !== "string" && typeof sent !== "number") return "";
  const line = String(sent).replace(/\p{Cc}+/gu, " ");
  return line.trim().slice(0, LONGEST_TEXT);
}

function linesOf<Name extends string>(record: Readonly<Record<string, unknown>>, names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, lineOf(record[name])])) as Record<Name, string>;
}

function listOf(sent: unknown): readonly unknown[] {
  return Array.isArray(sent) ? sent : [];
}
