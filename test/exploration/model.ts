/** The machine in its model world, as the exploration sees it. */
import { answersTo } from "./answers.js";
import { calmEnd } from "./calm.js";
import { enterPin, eventsIn } from "./events.js";
import { type Explored, explore, type Model, type Move } from "./explore.js";
import { Interner } from "./interner.js";
import { requireAll } from "./invariants.js";
import type { Rule } from "./rules.js";
import { protocolWithout, RULES_OFF } from "./rules-off.js";
import { type Configuration, type Setting, settingOf, startsOf, type World } from "./world.js";

export function explored(configuration: Configuration): Explored {
  return explore(modelOf(settingOf(configuration)));
}

export async function exploredWithout(rule: Rule): Promise<Explored> {
  const { world, finds } = RULES_OFF[rule];
  const setting = settingOf({ ...world, name: rule }, await protocolWithout(rule));
  return explore(modelOf(setting, finds === "deadEnd"));
}

/** @param toTheEnd whether sales must go on from every world */
function modelOf(setting: Setting, toTheEnd = true): Model<World> {
  const interner = new Interner();
  const requireGoingOn = calmEnd(setting, interner);
  return {
    starts: startsOf(setting).map((world) => readyToSell(setting, world)),
    interner,
    rests: ({ inFlight }) => inFlight === undefined,
    moves: (world) => movesIn(setting, world),
    check: (world) => {
      requireAll(setting, world);
      if (toTheEnd) requireGoingOn(world);
    },
  };
}

/** The PIN is entered, and card and ledger are compared, unless the exploration begins before that. */
function readyToSell(setting: Setting, world: World): World {
  if (setting.configuration.locked) return world;
  let at = enterPin(setting, world).to();
  for (let [first] = answersIn(setting, at); first; [first] = answersIn(setting, at)) at = first.to();
  return at;
}

function movesIn(setting: Setting, world: World): readonly Move<World>[] {
  return [...answersIn(setting, world), ...eventsIn(setting, world)].map(({ words, to }) => ({
    words,
    to: () => hurried(setting, to()),
  }));
}

function answersIn(setting: Setting, world: World): readonly Move<World>[] {
  const { inFlight } = world;
  return inFlight && inFlight.kind !== "reply" ? answersTo(setting, world, inFlight) : [];
}

/** Continues while there is only one move, and it needs no words. */
function hurried(setting: Setting, world: World): World {
  for (let at = world; ; ) {
    const [only, ...others] = answersIn(setting, at);
    if (only?.words !== "" || others.length > 0 || eventsIn(setting, at).length > 0) return at;
    at = only.to();
  }
}
