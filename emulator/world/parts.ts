/** Makes the parts of a world that `given` describes, without changing an earlier world. */
import { statSync } from "node:fs";
import { systemClock } from "../../src/base/clock.js";
import { messageOf } from "../../src/base/thrown.js";
import { at, ConfigError } from "../../src/config/config-error.js";
import { loadNamedEnvironment, parseEnvironment } from "../../src/config/environment.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import { parseTime } from "../../src/fiscal/time.js";
import { initialState } from "../card/card-state.js";
import { EmulatedCard } from "../card/emulated-card.js";
import { type CardIntercept, EmulatedReader } from "../card/emulated-reader.js";
import { MAIN_CARD, NamedCards } from "../card/named-cards.js";
import { parseProfile } from "../card/profile.js";
import { EmulatedClock } from "../faults/emulated-clock.js";
import { Faults } from "../faults/fault-list.js";
import { requireMatchers } from "../faults/match.js";
import { FIXTURE_KEYS, loadKeys } from "../pki/keys.js";
import { SeededRandom } from "../pki/random.js";
import type { Given } from "./given.js";
import type { WorldFolder } from "./world-folder.js";

export const WORLD_KEYS = loadKeys(FIXTURE_KEYS);

export interface WorldParts {
  readonly seed: string;
  readonly clock: EmulatedClock;
  readonly faults: Faults;
  readonly reader: EmulatedReader;
  readonly cards: NamedCards;
  readonly cardFiles: ReadonlyMap<string, string>;
  environment: FiscalEnvironment | undefined;
  readonly environmentName: string;
}

export interface PartsOptions {
  readonly intercept: CardIntercept;
  readonly folder: WorldFolder;
  /** For a `given` that does not say it. */
  readonly realTime: boolean;
  readonly seed: string;
}

/** Makes the parts of a world. @throws ConfigError if `given` asks for something impossible */
export function makeParts(given: Given, { intercept, folder, ...defaults }: PartsOptions): WorldParts {
  const { seed = defaults.seed, card = {}, otherCards = {}, clock, environment = "specification", faults = [] } = given;
  for (const [i, { where }] of faults.entries())
    at(`given.faults[${i}].where`, () => requireMatchers(where), "faults", i, "where");
  const random = new SeededRandom(seed);
  const { inserted = true, pinVerified: _, ...profile } = card;
  const profiles = Object.entries({ [MAIN_CARD]: profile, ...otherCards }).map(
    ([name, fields]) => [name, at(`card ${name}`, () => parseProfile(fields), ...cardPath(name))] as const,
  );
  const cards = new Map<string, EmulatedCard>();
  const cardFiles = new Map<string, string>();
  for (const [name, parsed] of profiles) {
    const { uid } = parsed;
    const twins = profiles.filter(([, other]) => other.uid === uid);
    // Two cards may have the same UID, but each card needs a file with a different name.
    const before = [...cards.values()].filter((card) => card.profile.uid === uid).length;
    const file = before === 0 ? uid : `${uid}-${before + 1}`;
    // The store finds receipts by the UID, so it cannot know which of two cards with the same UID has signed.
    const memory = folder.memory(file, initialState(parsed), twins.length > 1 ? undefined : parsed);
    cardFiles.set(name, file);
    const make = () => new EmulatedCard(parsed, memory, WORLD_KEYS, random);
    cards.set(name, withKey(name, parsed.key, make));
  }
  const reader = new EmulatedReader(intercept);
  const main = cards.get(MAIN_CARD);
  if (inserted && main) reader.insert(main);
  const start = clock?.at === undefined ? undefined : parseTime(clock.at);
  const { realTime = defaults.realTime } = clock ?? {};
  return {
    seed,
    clock: new EmulatedClock(systemClock, { at: start, ticking: clock?.ticking, realTime }),
    faults: new Faults(random),
    reader,
    cards: new NamedCards(cards),
    cardFiles,
    environment: at("given.environment", () => environmentOf(environment), "environment"),
    environmentName: typeof environment === "string" ? environment : "given in the scenario",
  };
}

function withKey(name: string, key: string | undefined, make: () => EmulatedCard): EmulatedCard {
  try {
    // Refuse a device, because reading from it might never end.
    if (key !== undefined && !statSync(key).isFile()) throw new Error(`${key} is not a file`);
    return make();
  } catch (error) {
    const reason = messageOf(error);
    throw new ConfigError(`card ${name}: its key cannot be used: ${reason}`, [...cardPath(name), "key"]);
  }
}

const cardPath = (name: string) => (name === MAIN_CARD ? ["card"] : ["otherCards", name]);

/** @throws ConfigError */
export function environmentOf(environment: string | object): FiscalEnvironment | undefined {
  return typeof environment === "string" ? loadNamedEnvironment(environment) : parseEnvironment(environment);
}
