/** Writes the current settings, rates and parameters as names and values for the record of changes, without secrets. */

import type { EpochMs } from "../../base/epoch-ms.js";
import { SETTING_NAMES, SETTINGS, type Settings } from "../../config/settings.js";
import type { EnvironmentParameters, FiscalEnvironment } from "../../fiscal/environment.js";
import { toDecimalText } from "../../fiscal/money.js";
import { rateGroupAt } from "../../fiscal/tax.js";
import { toIso } from "../../fiscal/time.js";
import type { ChangeFacts } from "../../ledger/change-log.js";

/** The settings that have a value; lists become texts with commas. */
export function settingsFacts(settings: Settings): ChangeFacts {
  const facts: Record<string, string> = {};
  for (const name of SETTING_NAMES) {
    const value = settings[name];
    if (value === undefined) continue;
    const shown = Array.isArray(value) ? value.join(", ") : String(value);
    facts[name] = SETTINGS[name].secret ? "(set, not shown)" : shown;
  }
  return facts;
}

/**
 * The current rates as facts; empty without an environment.
 * @param source where the rates come from, for people
 */
export function ratesFacts(environment: FiscalEnvironment | undefined, source: string, now: EpochMs): ChangeFacts {
  const group = environment && rateGroupAt(environment.taxRates, now);
  if (!group) return {};
  const rates = group.taxCategories.flatMap(({ taxRates }) => taxRates);
  return {
    source,
    groupId: String(group.groupId),
    validFrom: toIso(group.validFrom),
    ...Object.fromEntries(rates.map(({ label, rate }) => [label, toDecimalText(rate)])),
  };
}

/** The parameters as facts; empty without an environment. @param source where the parameters come from, for people */
export function parametersFacts(parameters: EnvironmentParameters | undefined, source: string): ChangeFacts {
  if (!parameters) return {};
  const { endpoints, supportedLanguages, logo: _, ...rest } = parameters;
  return { source, ...rest, ...endpoints, supportedLanguages: supportedLanguages.join(", ") };
}

export function sameFacts(one: ChangeFacts | undefined, other: ChangeFacts): boolean {
  const sorted = (facts: ChangeFacts) => JSON.stringify(Object.entries(facts).toSorted());
  return one !== undefined && sorted(one) === sorted(other);
}
