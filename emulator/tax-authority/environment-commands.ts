/** The commands that configure a service (docs/authority-api.md, "Commands"). */
import { stringify } from "lossless-json";
import { COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import { rateGroupRecord } from "../../src/http/status.js";

export interface NewCommand {
  readonly type: number;
  readonly payload: string;
}

/** The configuration comes first, because later commands may refer to it. */
export function environmentCommands({ parameters, taxRates }: FiscalEnvironment): NewCommand[] {
  return [
    { type: COMMAND_TYPE.configuration, payload: JSON.stringify(parameters) },
    { type: COMMAND_TYPE.taxRates, payload: stringify(taxRates.map(rateGroupRecord)) ?? "[]" },
    { type: COMMAND_TYPE.timeServer, payload: parameters.ntpServer },
    { type: COMMAND_TYPE.verificationUrl, payload: parameters.endpoints.root },
  ];
}
