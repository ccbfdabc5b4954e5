/** Checks the rules for an environment file that a JSON schema cannot express. */
import { pathText, type ValuePath, type WrongValue } from "../base/wrong-value.js";
import type { EnvironmentFile, RateGroupFile } from "./environment.js";
import { UNPRINTABLE } from "./journal/on-paper.js";
import { normaliseLabel } from "./tax.js";
import { parseTime } from "./time.js";

export function contradictions({ parameters, taxRates }: EnvironmentFile): WrongValue[] {
  const root = ["parameters", "endpoints", "root"];
  const groups = taxRates.map((group, i) => ({ ...group, at: ["taxRates", i] }));
  const starts = groups.map(({ validFrom, at }) => ({ validFrom: parseTime(validFrom), at }));
  return [
    ...rootProblems(parameters.endpoints.root, pathText(root)).map((says) => ({ path: root, says })),
    ...repeated(groups, "groupId", (id) => `${id} is the number of another group too; a receipt names its group by it`),
    ...repeated(starts, "validFrom", () => "another group begins at the same time; only one can be in force"),
    ...groups.flatMap((group) => groupContradictions(group, group.at)),
  ];
}

/** Highest rate: percent, or an amount for each unit. With higher rates, amounts do not fit into the card's fields. */
const MOST_RATE = 1_000_000_000;
const CONTROL = new RegExp(`[${UNPRINTABLE}]`, "u");
const NOT_PRINTED = "it has characters that cannot be printed";

/** Checks the rules for one group of rates. @param path of the group */
export function groupContradictions({ taxCategories }: RateGroupFile, path: ValuePath = []): WrongValue[] {
  const categories = taxCategories.map((category, j) => ({ ...category, at: [...path, "taxCategories", j] }));
  const rates = categories.flatMap(({ at, taxRates }) =>
    taxRates.map((rate, k) => ({ ...rate, at: [...at, "taxRates", k] })),
  );
  const labels = rates.map(({ label, at }) => ({ label: normaliseLabel(label), at }));
  return [
    ...categories.filter(({ name }) => CONTROL.test(name)).map(({ at }) => wrong([...at, "name"], NOT_PRINTED)),
    ...rates.filter(({ label }) => CONTROL.test(label)).map(({ at }) => wrong([...at, "label"], NOT_PRINTED)),
    ...rates
      .filter(({ rate }) => rate > MOST_RATE)
      .map(({ at, rate }) => wrong([...at, "rate"], `${rate} is above ${MOST_RATE}`)),
    ...repeated(
      categories,
      "orderId",
      (id) =>
        `${id} is the number of another category too; each category needs its own, because the card knows it by this number`,
    ),
    ...repeated(labels, "label", (label) => `${label} appears twice in this group`),
  ];
}

/** Maximum number of characters of the root. With a longer root, a verification URL may not fit into a QR code. */
const LONGEST_ROOT = 500;

/**
 * Checks the root of verification URLs. The data of such a URL follows its root directly (protocol facts, section 3).
 * @returns one sentence for each broken rule
 */
export function rootProblems(root: string, name: string): string[] {
  if (root === "") return [`${name} is missing; it is the address that receipts lead to`];
  if (root.length > LONGEST_ROOT) return [`${name} has ${root.length} characters, and at most ${LONGEST_ROOT} fit`];
  if (!/^https?:\/\//i.test(root)) return [`${name} must begin with https:// or http://; it is ${root}`];
  if (!/^[\x21-\x7e]+$/.test(root) || !URL.canParse(root)) return [`${name} is not an address: ${root}`];
  if (/[?&]vl=$/.test(root)) return [];
  return [`${name} must end with ?vl= or &vl=, as https://tax-authority.test/v/?vl= does; it is ${root}`];
}

/** Finds each entry whose field has the value of an earlier entry. */
function repeated<F extends string>(
  list: readonly (Readonly<Record<F, unknown>> & { readonly at: ValuePath })[],
  field: F,
  why: (value: unknown) => string,
): WrongValue[] {
  const values = list.map((entry) => entry[field]);
  return list
    .filter((entry, i) => values.indexOf(entry[field]) < i)
    .map((entry) => wrong([...entry.at, field], why(entry[field])));
}

const wrong = (path: ValuePath, why: string): WrongValue => ({ path, says: `${pathText(path)}: ${why}` });
