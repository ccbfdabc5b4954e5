/** Plans a run: the same seed and number give the same plan. */
import { Chance } from "./chance.js";
import type { Torture } from "./tortures.js";

export interface Plan {
  readonly tortures: readonly Torture[];
  readonly pos: number;
  readonly sales: number;
}

/** Kinds of cards in shops: the form of the answer and of the command. */
const PROFILES = [{}, {}, { internalDataBytes: 512 }, { appletVersion: "3.2.5" }];
const MOST_SALES = 10;

/** @param number number of the run, from 0: every fault has its turn, and the rest is random */
export function planOf(seed: string, number: number, possible: readonly Torture[]): Plan {
  const chance = new Chance(`${seed} plan ${number}`);
  const round = Math.floor(number / possible.length);
  const torture = shuffled(possible, `${seed} round ${round}`)[number % possible.length];
  if (!torture) throw new RangeError("no torture is possible here");
  const tortures = [withCard(torture, chance), ...second(torture, possible, chance)];
  const least = Math.max(1, ...tortures.map(({ leastPos = 1 }) => leastPos));
  // 200 POS in one of 20 runs, because these take as long as ten others.
  const pos = Math.max(least, chance.oneIn(20) ? 200 : chance.pick([1, 8]));
  return { tortures, pos, sales: Math.max(pos, chance.between(6, MOST_SALES)) };
}

function withCard(torture: Torture, chance: Chance): Torture {
  return { ...torture, profile: { ...chance.pick(PROFILES), ...torture.profile } };
}

/** Two at once in one of three runs. */
function second(first: Torture, possible: readonly Torture[], chance: Chance): Torture[] {
  const others = possible.filter(
    (other) => !other.alone && other.name !== first.name && !(other.needsDisk && first.needsDisk),
  );
  return first.alone || others.length === 0 || !chance.oneIn(3) ? [] : [chance.pick(others)];
}

function shuffled(list: readonly Torture[], seed: string): readonly Torture[] {
  const chance = new Chance(seed);
  return list
    .map((item) => ({ item, order: chance.between(0, 0xffff_ffff) }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
