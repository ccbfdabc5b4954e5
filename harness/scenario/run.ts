/** Plays many scenarios, as many at a time as there are players. */
import { createHash } from "node:crypto";
import type { Played } from "./play.js";
import type { PlayOne } from "./players.js";
import type { Scenario } from "./scenario.js";

export interface Selection {
  readonly filter?: string;
  /** Only the scenarios of one part: part number `index`, from 1, out of `of` parts. */
  readonly shard?: { readonly index: number; readonly of: number };
}

export interface RunOptions {
  readonly bail?: boolean;
  /** Lets the run end after the scenarios that are being played. */
  readonly stopped?: AbortSignal;
  readonly ended?: (played: Played) => void;
}

/** Selects by tag and shard. File and name decide a shard, so that a new scenario does not move the others. */
export function select(scenarios: readonly Scenario[], { filter, shard }: Selection): Scenario[] {
  return scenarios.filter(({ name, file, tags }) => {
    if (filter !== undefined && !tags.includes(filter)) return false;
    if (!shard) return true;
    const number = createHash("sha256").update(`${file}\0${name}`).digest().readUInt32BE(0);
    return number % shard.of === shard.index - 1;
  });
}

/** Returns the results in the order of the scenarios. A scenario that was skipped after a failure has no result. */
export async function runScenarios(
  scenarios: readonly Scenario[],
  players: readonly PlayOne[],
  { bail, stopped, ended }: RunOptions = {},
): Promise<Played[]> {
  const results = new Map<Scenario, Played>();
  const waiting = [...scenarios];
  let failed = false;
  const playOn = async (play: PlayOne) => {
    for (let next = waiting.shift(); next && !(bail && failed) && !stopped?.aborted; next = waiting.shift()) {
      const played = await play(next);
      results.set(next, played);
      failed ||= played.outcome === "failed";
      ended?.(played);
    }
  };
  await Promise.all(players.map(playOn));
  return scenarios.flatMap((scenario) => results.get(scenario) ?? []);
}
