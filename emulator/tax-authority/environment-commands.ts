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
 * first, because later commands may refer to it. Then comes one command for each rate group, oldest first.
 */
export function environmentCommands({ parameters, taxRates }: FiscalEnvironment): NewCommand[] {
  const groups = taxRates.toSorted((a, b) => a.validFrom - b.validFrom);
  const recording = recorded();
  const isRecorded = isDeepStrictEqual(parameters, recording?.parameters);
  return [
    {
      type: COMMAND_TYPE.configuration,
      payload: isRecorded ? recordedTexts().configuration : JSON.stringify(parameters),
    },
    ...groups.map((group) => ({ type: COMMAND_TYPE.taxRates, payload: ratesPayload(group, recording) })),
    { type: COMMAND_TYPE.timeServer, payload: parameters.ntpServer },
    { type: COMMAND_TYPE.verificationUrl, payload: parameters.endpoints.root },
  ];
}

let recording: FiscalEnvironment | undefined;

function recorded(): FiscalEnvironment | undefined {
  recording ??= loadNamedEnvironment(RECORDED);
  return recording;
}

/**
 * Returns the payload for a rate group. If the recording has the same group, it is the recorded text, byte for byte.
 */
function ratesPayload(group: TaxRateGroup, recording: FiscalEnvironment | undefined): string {
  const isRecorded = recording?.taxRates.some((one) => isDeepStrictEqual(one, group)) === true;
  return (isRecorded ? recordedGroup(group.groupId) : undefined) ?? stringify(rateGroupRecord(group)) ?? "{}";
}

/** Returns the recorded text of a rate group, from its opening brace to its closing brace. */
function recordedGroup(groupId: number): string | undefined {
  const texts = recordedTexts().taxRates.match(/\{\s*"validFrom"[\s\S]*?\n\s*\]\s*\}/g) ?? [];
  return texts.find((text) => (JSON.parse(text) as { groupId: number }).groupId === groupId);
}
