/** The current state of the world as the `given` of a scenario. */
import { parse as parseYaml } from "yaml";
import { systemClock } from "../../src/base/clock.js";
import { readText } from "../../src/base/read-text.js";
import { SETTINGS, type SettingName, type Settings } from "../../src/config/settings.js";
import { toIso } from "../../src/fiscal/time.js";
import type { CardIdentity, SecureElementState } from "../../src/secure-element/secure-element.js";
import { cardRecord } from "./card-bench.js";
import { BEHAVIOUR_SETTINGS, ENVIRONMENT_NAME, type Given } from "./given.js";
import type { World } from "./world.js";

export function givenOfWorld(world: World): Given {
  const { given, clock, faults } = world;
  const { inserted, pin, pinTriesLeft, disabled, sum, limit, counters } = cardRecord(world);
  return {
    ...portableGiven(given),
    seed: world.seed,
    card: {
      ...(given.otherCards?.[world.cards.current] ?? given.card),
      inserted,
      pinVerified: pin === "verified",
      pinTriesLeft,
      disabled,
      sum,
      limit,
      counters,
    },
    clock: { at: toIso(clock.now()), ticking: clock.state.ticking },
    faults: faults.plain,
  };
}

/** For other machines: without paths of this machine and without settings that have their defaults. */
export function portableGiven(given: Given): Given {
  return {
    ...given,
    ...environmentNow(given.environment ?? "specification"),
    settings: changedSettings(given.settings ?? {}),
  };
}

/** Returns a `given` whose card has the identity of the real card, if the service can read that identity. */
export function givenOfCard(settings: Settings, state: SecureElementState): Given {
  return {
    card: state.kind === "ready" ? cardLike(state.identity) : { inserted: state.kind !== "no-card" },
    ...environmentNow(settings.environment ?? "none"),
    settings: { testInvoice: false, ...changedSettings(settings) },
    clock: { at: toIso(systemClock.now()) },
  };
}

function cardLike({ uid, taxpayer, country, taxAuthorityApi, appletVersion }: CardIdentity) {
  const { tin, businessName, locationName, address, district } = taxpayer;
  const subject = { tin, businessName, locationName, address, district, country };
  return { uid, taxpayer: subject, taxAuthorityApi, appletVersion };
}

/** By name of the file: the service still uses the content if the file is gone or broken later. */
const READ = new Map<string, object>();

/** Other machines have the shipped environments, but no other file: give that one's content. */
function environmentNow(environment: string | object): Pick<Given, "environment"> {
  const isFile = typeof environment === "string" && !new RegExp(ENVIRONMENT_NAME).test(environment);
  return { environment: isFile ? contentOf(environment) : environment };
}

function contentOf(file: string): object {
  const content = READ.get(file) ?? (parseYaml(readText(file)) as object);
  READ.set(file, content);
  return content;
}

function changedSettings(settings: Partial<Settings>): Partial<Settings> {
  const isDefault = (name: SettingName) => JSON.stringify(settings[name]) === JSON.stringify(SETTINGS[name].default);
  const changed = BEHAVIOUR_SETTINGS.filter((name) => settings[name] !== undefined && !isDefault(name));
  return Object.fromEntries(changed.map((name) => [name, settings[name]]));
}
