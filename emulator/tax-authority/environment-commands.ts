/** The commands that configure a service (docs/authority-api.md, "Commands"). */
import { isDeepStrictEqual } from "node:util";
import { stringify } from "lossless-json";
import { type AuthorityCommand, COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import { at } from "../../src/config/config-error.js";
import { loadNamedEnvironment, parseEnvironment, RECORDED, recordedTexts } from "../../src/config/environment.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import type { TaxRateGroup } from "../../src/fiscal/tax.js";
import { rateGroupRecord } from "../../src/http/status.js";

export type NewCommand = Pick<AuthorityCommand, "type" | "payload">;

/**
 * Returns the commands for an environment in the order in which the authority sends them. The configuration comes
 * first, because later commands may refer to it. What equals the recording is the recorded text, byte for byte.
 */
export function environmentCommands({ parameters, taxRates }: FiscalEnvironment): NewCommand[] {
  recording ??= loadNamedEnvironment(RECORDED);
  const groups = newestFirst(taxRates);
  const isRecorded = isDeepStrictEqual(parameters, recording?.parameters);
  const isRecordedRates = recording !== undefined && isDeepStrictEqual(groups, newestFirst(recording.taxRates));
  return [
    {
      type: COMMAND_TYPE.configuration,
      payload: isRecorded ? recordedTexts().configuration : JSON.stringify(parameters),
    },
    {
      type: COMMAND_TYPE.taxRates,
      payload: isRecordedRates ? recordedGroups() : (stringify(groups.map(rateGroupRecord)) ?? "[]"),
    },
    { type: COMMAND_TYPE.timeServer, payload: parameters.ntpServer },
    { type: COMMAND_TYPE.verificationUrl, payload: parameters.endpoints.root },
  ];
}

let recording: FiscalEnvironment | undefined;

function newestFirst(groups: readonly TaxRateGroup[]): readonly TaxRateGroup[] {
  return groups.toSorted((a, b) => b.validFrom - a.validFrom);
}

function recordedGroups(): string {
  const { taxRates } = recordedTexts();
  const begin = taxRates.indexOf("[", taxRates.indexOf('"allTaxRates"'));
  return taxRates.slice(begin, taxRates.lastIndexOf("]") + 1);
}

/** Returns an environment with its tax rates in the form of an environment file. */
export function environmentRecord({ parameters, taxRates }: FiscalEnvironment): object {
  // The rates become JavaScript numbers. JSON.stringify writes each number with the same decimals as before.
  const rates = JSON.parse(stringify(taxRates.map(rateGroupRecord)) ?? "[]") as object[];
  return { parameters, taxRates: rates };
}

/** Reads an environment from its record. @throws ConfigError if the record is not a valid environment */
export function environmentOf(record: object): FiscalEnvironment {
  return at("register.json", () => parseEnvironment(record));
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
