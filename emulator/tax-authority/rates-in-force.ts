/** The authority's environment and every rate group that it ever had. */
import { stringify } from "lossless-json";
import { parseEnvironment } from "../../src/config/environment.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import type { TaxRateGroup } from "../../src/fiscal/tax.js";
import { rateGroupRecord } from "../../src/http/status.js";

/** The form of a file with environment and tax rates. */
export interface EnvironmentRecord {
  readonly parameters: object;
  readonly taxRates: readonly object[];
}

export function environmentRecord({ parameters, taxRates }: FiscalEnvironment): EnvironmentRecord {
  // Rates become JavaScript numbers. JSON.stringify writes their shortest form, which keeps the decimals exactly.
  const rates = JSON.parse(stringify(taxRates.map(rateGroupRecord)) ?? "[]") as object[];
  return { parameters, taxRates: rates };
}

/** @throws ConfigError if the record is not a valid environment */
export function environmentOf(record: EnvironmentRecord): FiscalEnvironment {
  return parseEnvironment(record, "register.json");
}

/** If a group is in both lists, the one in `more` counts. */
export function withGroups(groups: readonly TaxRateGroup[], more: readonly TaxRateGroup[]): TaxRateGroup[] {
  const numbers = new Set(more.map(({ groupId }) => groupId));
  return [...groups.filter(({ groupId }) => !numbers.has(groupId)), ...more];
}

/** Numbers of the groups in the payload of a command with rates; none if the payload is something else. */
export function groupsIn(payload: string): number[] {
  try {
    const groups: unknown = JSON.parse(payload);
    const numbers = [groups].flat().map((group) => (group as { groupId?: unknown } | null)?.groupId);
    return numbers.filter((groupId) => typeof groupId === "number");
  } catch {
    return [];
  }
}
