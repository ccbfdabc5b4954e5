/** `given` of a scenario: the starting state of a world. */

import { DURATION_SCHEMA } from "../../src/base/duration.js";
import { SETTING_NAMES, SETTINGS, type Settings, settingsSchema } from "../../src/config/settings.js";
import { describedSchema, type JsonSchema } from "../../src/schema/json-schema.js";
import { TIME_SCHEMA } from "../../src/schema/time-schema.js";
import { PROFILE_SCHEMA } from "../card/profile.js";
import type { Fault } from "../faults/fault.js";
import { FAULT_SCHEMA } from "../faults/fault-schema.js";
import {
  AUTHORITY_FAULTS_SCHEMA,
  type AuthorityFaults,
  VSDC_FAULTS_SCHEMA,
  type VsdcFaults,
} from "../tax-authority/authority-faults.js";
import { EMULATOR_LIMITS } from "./limits.js";

export interface Given {
  /** Fields of a card profile, and the state of the card. */
  readonly card?: Readonly<Record<string, unknown>> & { readonly inserted?: boolean; readonly pinVerified?: boolean };
  /** Other cards by name. They can replace the card in the reader. */
  readonly otherCards?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The environment: a name in fixtures/environments, `none`, or the content of such a file. */
  readonly environment?: string | object;
  readonly settings?: Partial<Settings>;
  readonly clock?: {
    readonly at?: string;
    readonly ticking?: boolean;
    readonly realTime?: boolean;
    /** By how much the clock is ahead of the time server, such as `1h`, or `-5m` if it is behind. */
    readonly ahead?: string;
  };
  /** The emulated tax authority. Without this field, the service has no authority, like a shop that has not set one. */
  readonly authority?: {
    /** Whether the authority sends the environment; otherwise the service reads it from a file. Default: true. */
    readonly configures?: boolean;
    readonly faults?: Partial<AuthorityFaults>;
  };
  /** The authority's online service. Without this field, the world has no online service. */
  readonly vsdc?: { readonly faults?: Partial<VsdcFaults> };
  readonly seed?: string;
  readonly faults?: readonly Fault[];
}

/** A caller of the control interface must not choose a file, a folder or an address. */
export const BEHAVIOUR_SETTINGS = SETTING_NAMES.filter((name) => SETTINGS[name].scope === "behaviour");

/** Pattern of a name in fixtures/environments. It matches no path. */
export const ENVIRONMENT_NAME = "^[A-Za-z0-9_-]+$";

/** Validation would fill in the defaults, but a field that `given` leaves out must stay missing. */
function withoutDefaults(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDefaults);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).filter(([name]) => name !== "default");
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutDefaults(value)]));
}

export const CARD_FIELDS = withoutDefaults(PROFILE_SCHEMA.properties) as Record<string, unknown>;

export const GIVEN_SCHEMA = describedSchema("the starting state of the world", {
  card: describedSchema("the card: fields of a card profile, and its state", {
    inserted: { type: "boolean", description: "whether it is in the reader; default: true" },
    pinVerified: { type: "boolean", description: "whether its PIN is verified; default: false" },
    ...CARD_FIELDS,
  }),
  otherCards: {
    type: "object",
    description: "other cards by name, to be swapped in",
    maxProperties: EMULATOR_LIMITS.cards.value,
    additionalProperties: { type: "object", additionalProperties: false, properties: CARD_FIELDS },
  },
  environment: {
    type: ["string", "object"],
    // A text must be a name, because a caller of the control interface must not choose which file is read.
    pattern: ENVIRONMENT_NAME,
    "x-expected": "the name of an environment, or the content of such a file",
    description: "tax rates and environment: a name in fixtures/environments, `none`, or the content of such a file",
  },
  settings: describedSchema(
    "settings of the service that differ from their defaults",
    withoutDefaults(settingsSchema(BEHAVIOUR_SETTINGS).properties) as JsonSchema,
  ),
  clock: describedSchema("the time of service and card", {
    at: { ...TIME_SCHEMA, description: "the time at the start; default: the system's" },
    ticking: { type: "boolean", description: "whether it ticks; default: true" },
    ahead: {
      ...DURATION_SCHEMA,
      description: "by how much it is ahead of the time server, such as 1h; without it there is no time server",
    },
    realTime: {
      type: "boolean",
      description: "whether latency takes its time; default: yes in serve, no in scenario run",
    },
  }),
  authority: describedSchema(
    "an emulated tax authority, which the service talks to over HTTPS; without it the service has none",
    {
      configures: {
        type: "boolean",
        description:
          "whether it configures the card with `environment`, by commands; otherwise `environment` is the service's file. Default: true",
      },
      faults: AUTHORITY_FAULTS_SCHEMA,
    },
  ),
  vsdc: describedSchema(
    "the authority's online service (V-SDC), which signs without a card; without it there is none",
    {
      faults: VSDC_FAULTS_SCHEMA,
    },
  ),
  seed: { type: "string", minLength: 1, description: "seed of all random values" },
  faults: {
    type: "array",
    maxItems: EMULATOR_LIMITS.faults.value,
    items: FAULT_SCHEMA,
    description: "faults from the start",
  },
});

/** Returns `given` with the fields of `base` that `given` leaves out. */
export function withBase(base: Given, given: Given): Given {
  return {
    ...base,
    ...given,
    card: { ...base.card, ...given.card },
    settings: { ...base.settings, ...given.settings },
  };
}
