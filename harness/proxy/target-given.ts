/** Describes a running service as the `given` of a scenario: an emulated card and the same tax rates. */

import type { Given } from "../../emulator/world/given.js";
import { at, ConfigError } from "../../src/config/config-error.js";
import { loadNamedEnvironment, parseEnvironment } from "../../src/config/environment.js";
import { SENT_RATE_GROUP } from "../../src/config/environment-schema.js";
import { withKnownFields } from "../../src/config/sent-environment.js";
import type { EnvironmentFile, RateGroupFile } from "../../src/fiscal/environment.js";
import { parseTime, toIso } from "../../src/fiscal/time.js";
import { compileSchema } from "../../src/schema/validator.js";
import { fieldsOf } from "../scenario/json.js";

const isRateGroup = compileSchema<RateGroupFile>(SENT_RATE_GROUP);

/** Many PIN attempts and a high limit, because the emulated card must not lock or stop before the target's card. */
const CARD = { pinTries: 255, limit: "999999999999" };

/**
 * Makes the `given` of a recording.
 * @param status body of GET /status
 * @param parameters body of GET /environment-parameters; any other value if the target has no parameters
 * @param online whether the target is an authority's online service, which has no card
 * @throws ConfigError if the target's tax rates contradict each other
 */
export function givenOfTarget(status: unknown, parameters: unknown, online: boolean): Given {
  const { uid, sdcDateTime, isPinRequired } = fieldsOf(status);
  const inserted = !stateCodes(status).includes("1300");
  const environment = environmentOf(status, parameters);
  const at = typeof sdcDateTime === "string" ? parseTime(sdcDateTime) : undefined;
  return {
    card: online
      ? { inserted: false }
      : {
          ...(typeof uid === "string" && /^[0-9A-Z]{8}$/.test(uid) ? { uid } : {}),
          ...CARD,
          inserted,
          pinVerified: inserted && isPinRequired === false,
        },
    environment: environment ?? "none",
    ...(online ? { vsdc: {} } : {}),
    ...(at === undefined ? {} : { clock: { at: toIso(at) } }),
  };
}

export function stateCodes(status: unknown): string[] {
  const { gsc } = fieldsOf(status);
  return Array.isArray(gsc) ? gsc.filter((code) => typeof code === "string") : [];
}

/** @returns undefined if the target has no tax rates @throws ConfigError if the rates contradict each other */
function environmentOf(status: unknown, parameters: unknown): EnvironmentFile | undefined {
  const { allTaxRates, currentTaxRates } = fieldsOf(status);
  const all = Array.isArray(allTaxRates) && allTaxRates.length > 0 ? (allTaxRates as unknown[]) : [currentTaxRates];
  const taxRates = all.filter((group) => isRateGroup(group)).map(withKnownFields);
  if (taxRates.length === 0) return undefined;
  const ours = loadNamedEnvironment("specification")?.parameters;
  if (!ours) return undefined;
  const base: EnvironmentFile = { parameters: ours, taxRates };
  at("the tax rates of the target", () => parseEnvironment(base));
  // We take each field that fits. Our environment has the values for fields that the target leaves out or writes in
  // another form.
  let environment = base;
  for (const [name, value] of Object.entries(fieldsOf(parameters)).filter(([name]) => Object.hasOwn(ours, name))) {
    const changed = { taxRates, parameters: { ...environment.parameters, [name]: value } };
    if (isEnvironment(changed)) environment = changed;
  }
  return environment;
}

function isEnvironment(environment: EnvironmentFile): boolean {
  try {
    parseEnvironment(environment);
    return true;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}
