/** Checks the rules for an environment file that a JSON schema cannot express. */
import type { EnvironmentFile, RateGroupFile } from "./environment.js";
import { UNPRINTABLE } from "./journal/on-paper.js";
import { normaliseLabel } from "./tax.js";
import { parseTime } from "./time.js";

/** @returns one sentence for each broken rule, which says where the error is, what is wrong and what would be right */
export function contradictions({ parameters, taxRates }: EnvironmentFile): string[] {
  return [
    ...rootProblems(parameters.endpoints.root, "parameters.endpoints.root"),
    ...repeated(taxRates, ({ groupId }) => groupId).map(
      ([i, id]) =>
        `taxRates[${i}].groupId: ${id} is the number of another group too; a receipt names its group by this number`,
    ),
    ...repeated(taxRates, ({ validFrom }) => parseTime(validFrom)).map(
      ([i]) => `taxRates[${i}].validFrom: another group begins at the same time; only one can be in force`,
    ),
    ...taxRates.flatMap((group, i) => groupContradictions(group).map((wrong) => `taxRates[${i}].${wrong}`)),
  ];
}

/** Highest rate: percent, or an amount for each unit. With higher rates, amounts do not fit into the card's fields. */
const MOST_RATE = 1_000_000_000;
const CONTROL = new RegExp(`[${UNPRINTABLE}]`, "u");

/** Checks the rules for one group of rates. @returns one sentence for each broken rule, as {@link contradictions} */
export function groupContradictions({ taxCategories }: RateGroupFile): string[] {
  const rates = taxCategories.flatMap(({ taxRates: ofCategory }, j) =>
    ofCategory.map(({ label }, k) => ({ label: normaliseLabel(label), at: `taxCategories[${j}].taxRates[${k}]` })),
  );
  return [
    ...taxCategories.flatMap(({ name, taxRates: ofCategory }, j) => [
      ...(CONTROL.test(name) ? [`taxCategories[${j}].name: it has characters that cannot be printed`] : []),
      ...ofCategory.flatMap(({ label, rate }, k) => [
        ...(CONTROL.test(label)
          ? [`taxCategories[${j}].taxRates[${k}].label: it has characters that cannot be printed`]
          : []),
        ...(rate > MOST_RATE ? [`taxCategories[${j}].taxRates[${k}].rate: ${rate} is above ${MOST_RATE}`] : []),
      ]),
    ]),
    ...repeated(taxCategories, ({ orderId }) => orderId).map(
      ([j, id]) =>
        `taxCategories[${j}].orderId: ${id} is the number of another category too; each category needs its own, because the card knows it by this number`,
    ),
    ...repeated(rates, ({ label }) => label).map(
      ([k, label]) => `${rates[k]?.at}.label: ${label} appears twice in this group`,
    ),
  ];
}

/** Maximum number of characters of the root. With a longer root, a verification URL may not fit into a QR code. */
const LONGEST_ROOT = 500;

/**
 * Checks the root of verification URLs. The data of such a URL follows its root directly (protocol facts, section 3).
 * @returns one sentence for each broken rule, as {@link contradictions} does
 */
export function rootProblems(root: string, name: string): string[] {
  if (root === "") return [`${name} is missing; it is the address that receipts lead to`];
  if (root.length > LONGEST_ROOT) return [`${name} has ${root.length} characters, and at most ${LONGEST_ROOT} fit`];
  if (!/^https?:\/\//i.test(root)) return [`${name} must begin with https:// or http://; it is ${root}`];
  if (!/^[\x21-\x7e]+$/.test(root) || !URL.canParse(root)) return [`${name} is not an address: ${root}`];
  if (/[?&]vl=$/.test(root)) return [];
  return [`${name} must end with ?vl= or &vl=, as https://tax-authority.test/v/?vl= does; it is ${root}`];
}

/** Returns the index and the key of each entry whose key an earlier entry has too. */
function repeated<T, K>(list: readonly T[], keyOf: (entry: T) => K): [index: number, key: K][] {
  const seen = new Set<K>();
  return list.flatMap((entry, i) => {
    const key = keyOf(entry);
    if (seen.has(key)) return [[i, key] as [number, K]];
    seen.add(key);
    return [];
  });
}
