/** The commands that configure a service (docs/authority-api.md, "Commands"). */
import { stringify } from "lossless-json";
import { COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import { rateGroupRecord } from "../../src/http/status.js";

export interface NewCommand {
  readonly type: number;
  readonly payload: string;
}

/** Configuration first: what follows may name what it says. */
export function environmentCommands({ parameters, taxRates }: FiscalEnvironment): NewCommand[] {
  return [
    { type: COMMAND_TYPE.configuration, payload: JSON.stringify(parameters) },
    { type: COMMAND_TYPE.taxRates, payload: stringify(taxRates.map(rateGroupRecord)) ?? "[]" },
    { type: COMMAND_TYPE.timeServer, payload: parameters.ntpServer },
    { type: COMMAND_TYPE.verificationUrl, payload: parameters.endpoints.root },
  ];
}
