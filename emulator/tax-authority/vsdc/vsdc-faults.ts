/** The list of the online service's faults, for the control interface, scenarios and docs/vsdc.md. */
import { POSITIVE_DURATION_SCHEMA } from "../../../src/base/duration.js";
import { type FaultValues, fault, faultsSchema, flag, normalValues } from "../fault-table.js";

export const VSDC_FAULTS = {
  down: flag("every connection is closed without an answer"),
  delay: fault(POSITIVE_DURATION_SCHEMA, "0s", "how long each request waits before the service reads it, such as 20s"),
  loseAnswers: flag("invoices are signed, and the connection is closed before the answer"),
  revoked: flag("the client certificate is revoked (403)"),
};

export type VsdcFaults = FaultValues<typeof VSDC_FAULTS>;
export const NO_VSDC_FAULTS: VsdcFaults = normalValues(VSDC_FAULTS);
export const VSDC_FAULTS_SCHEMA = faultsSchema(VSDC_FAULTS, "what goes wrong at the online service");
