/** The commands that configure a service (docs/authority-api.md, "Commands"). */
import { isDeepStrictEqual } from "node:util";
import { stringify } from "lossless-json";
import { COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import { loadNamedEnvironment, RECORDED, recordedTexts } from "../../src/config/environment.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import type { TaxRateGroup } from "../../src/fiscal/tax.js";
import { rateGroupRecord } from "../../src/http/status.js";

export interface NewCommand {
  readonly type: number;
  readonly payload: string;
}

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

/** Returns the recorded text of the array of all groups. */
function recordedGroups(): string {
  const { taxRates } = recordedTexts();
  const begin = taxRates.indexOf("[", taxRates.indexOf('"allTaxRates"'));
  return taxRates.slice(begin, taxRates.lastIndexOf("]") + 1);
}
