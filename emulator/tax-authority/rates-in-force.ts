/** Records of the authority's environment, and lists of the rate groups that the authority ever had. */
import { stringify } from "lossless-json";
import { parseEnvironment } from "../../src/config/environment.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import type { TaxRateGroup } from "../../src/fiscal/tax.js";
import { rateGroupRecord } from "../../src/http/status.js";

/** An environment with its tax rates, in the form of an environment file. */
export interface EnvironmentRecord {
  readonly parameters: object;
  readonly taxRates: readonly object[];
}

export function environmentRecord({ parameters, taxRates }: FiscalEnvironment): EnvironmentRecord {
  // The rates become JavaScript numbers. JSON.stringify writes each number with the same decimals as before.
  const rates = JSON.parse(stringify(taxRates.map(rateGroupRecord)) ?? "[]") as object[];
  return { parameters, taxRates: rates };
}

/** Reads an environment from its record. @throws ConfigError if the record is not a valid environment */
export function environmentOf(record: EnvironmentRecord): FiscalEnvironment {
  return parseEnvironment(record, "register.json");
}

/** Returns the groups of both lists. If both lists have the same group, the result has the one of `more`. */
export function withGroups(groups: readonly TaxRateGroup[], more: readonly TaxRateGroup[]): TaxRateGroup[] {
  const numbers = new Set(more.map(({ groupId }) => groupId));
  return [...groups.filter(({ groupId }) => !numbers.has(groupId)), ...more];
}

/** Returns the numbers of the rate groups in a command's payload; an empty list if the payload has no rate groups. */
export function groupsIn(payload: string): number[] {
  try {
    const groups: unknown = JSON.parse(payload);
    const numbers = [groups].flat().map((group) => (group as { groupId?: unknown } | null)?.groupId);
    return numbers.filter((groupId) => typeof groupId === "number");
  } catch {
    return [];
  }
}
