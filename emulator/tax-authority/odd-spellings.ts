/** Spellings of real authorities that a service must read (docs/authority-api.md, "Faults and administration"). */
import { type AuthorityCommand, COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import { CATEGORY_TYPES } from "../../src/fiscal/tax.js";
import type { OddConfiguration } from "./authority-faults.js";

type SpelledFields = Record<string, unknown>;

export function oddCommand(command: AuthorityCommand, odd: OddConfiguration): AuthorityCommand {
  const isConfiguration = command.type === COMMAND_TYPE.configuration;
  if (odd === "none" || (!isConfiguration && command.type !== COMMAND_TYPE.taxRates)) return command;
  const content: unknown = JSON.parse(command.payload);
  const spelled =
    odd === "names"
      ? inUpperCase(content)
      : isConfiguration
        ? { ...(content as SpelledFields), ...ODD_PARAMETERS[odd] }
        : oddRates([content].flat() as readonly SpelledFields[], odd);
  return { ...command, payload: JSON.stringify(spelled) };
}

const ODD_PARAMETERS: Readonly<Partial<Record<OddConfiguration, SpelledFields>>> = {
  timeZone: { serverTimeZone: "Moon Standard Time" },
  languages: { supportedLanguages: ["sr-Cyrl-BA", "bs-Latn-BA", "en-GB"] },
  texts: { organizationName: null, street: "", city: null, environmentName: null, logo: null },
  timeServer: { ntpServer: "time.tax-authority.test" },
};

function oddRates(groups: readonly SpelledFields[], odd: OddConfiguration): unknown {
  if (odd === "oneGroup") return groups[0];
  return odd === "categoryTypes" ? groups.map(withWords) : groups;
}

function withWords(group: SpelledFields): SpelledFields {
  const categories = group.taxCategories as readonly (SpelledFields & { readonly categoryType: number })[];
  return {
    ...group,
    taxCategories: categories.map((category) => ({ ...category, categoryType: CATEGORY_TYPES[category.categoryType] })),
  };
}

/** Returns four commands that a service cannot execute and therefore reports as failed. */
export function unreadableCommands(uid: string): readonly object[] {
  return [
    { commandId: id(1), type: COMMAND_TYPE.configuration, payload: null, uid },
    { commandId: id(2), type: COMMAND_TYPE.taxRates, payload: "{}", uid: null },
    { commandId: id(3), type: 4, payload: "", uid },
    { commandId: id(4), type: 99, payload: "", uid },
  ];
}

export function isUnreadable(commandId: string): boolean {
  return [1, 2, 3, 4].some((number) => id(number) === commandId.toLowerCase());
}

const id = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;

export function inUpperCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inUpperCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [name.toUpperCase(), inUpperCase(content)]));
}
