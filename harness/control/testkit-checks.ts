/**
 * Checks what a test gives the kit. This is apart from the kit because the build prepares these schemas, and a bundle
 * replaces the kit's own file.
 */
import type { Fault } from "../../emulator/faults/fault.js";
import { FAULT_SCHEMA } from "../../emulator/faults/fault-schema.js";
import { VSDC_FAULTS_SCHEMA, type VsdcFaults } from "../../emulator/tax-authority/authority-faults.js";
import type { CardPatch } from "../../emulator/world/card-types.js";
import { GIVEN_SCHEMA, type Given } from "../../emulator/world/given.js";
import { CARD_PATCH, REQUEST_FILTER } from "../../emulator/world/schemas.js";
import type { ActionOf } from "../../emulator/world/step-types.js";
import { actionSchema } from "../../emulator/world/steps.js";
import { compileSchema, explainErrors, type JsonSchema } from "../../src/schema/validator.js";
import type { RequestFilter } from "../scenario/request-types.js";
import type { EmulatorOptions } from "./testkit-types.js";

/** Checks only the types of `given` and `clock`. Their fields are checked after the options are merged with the scenario. */
const OPTIONS_SCHEMA = {
  type: "object",
  additionalProperties: false,
  properties: { scenario: { type: "string" }, given: { type: "object" }, seed: {}, clock: { type: "object" } },
};

export const checkedOptions = checker<EmulatorOptions>("createEmulator", OPTIONS_SCHEMA);
export const checkedGiven = checker<Given>("given", GIVEN_SCHEMA);
export const checkedFault = checker<Fault>("the fault", FAULT_SCHEMA);
export const checkedFilter = checker<RequestFilter>("the filter of requests", REQUEST_FILTER);
export const checkedVsdc = checker<Partial<VsdcFaults>>("the faults of the online service", VSDC_FAULTS_SCHEMA);
export const checkedPatch = checker<CardPatch>("card.patch", CARD_PATCH);
export const checkedAction = checker<ActionOf<"authority">>("authority.do", actionSchema("authority"));

/** @returns a function that returns a valid value, or throws an Error with every wrong field. JavaScript callers have no type check. */
function checker<T>(subject: string, schema: JsonSchema): (value: T) => T {
  const validate = compileSchema<T>(schema);
  return (value) => {
    if (validate(structuredClone(value))) return value;
    throw new Error(`${subject}: ${explainErrors(validate.errors, subject, "names").join("; ")}`);
  };
}
