/** Plays many scenarios, several at a time, each in a separate world. */
import { createHash } from "node:crypto";
import { type Played, play } from "./play.js";
import type { Scenario } from "./scenario.js";
import type { OpenStage } from "./stage.js";

export interface Selection {
  /** If set, the run has only the scenarios with this tag. */
  readonly tag?: string;
  /** Only the scenarios of one part: part number `index`, from 1, out of `of` parts. */
  readonly shard?: { readonly index: number; readonly of: number };
}

export interface RunOptions {
  /** Whether the run stops at the first failure. */
  readonly bail: boolean;
  /** How many scenarios run at the same time. */
  readonly parallel: number;
  /** Called as each scenario ends. */
  readonly ended?: (played: Played) => void;
}

/**
 * Selects scenarios by tag and shard. File and name decide a scenario's shard, so a new scenario does not move the
 * others.
 */
export function select(scenarios: readonly Scenario[], { tag, shard }: Selection): Scenario[] {
  return scenarios.filter(({ name, file, tags }) => {
    if (tag !== undefined && !tags.includes(tag)) return false;
    if (!shard) return true;
    const number = createHash("sha256").update(`${file}\0${name}`).digest().readUInt32BE(0);
    return number % shard.of === shard.index - 1;
  });
}

/** Returns the results in the order of the scenarios. A scenario that was skipped after a failure has no result. */
export async function runScenarios(
  scenarios: readonly Scenario[],
  open: OpenStage,
  { bail, parallel, ended }: RunOptions,
): Promise<Played[]> {
  const results = new Map<Scenario, Played>();
  const waiting = [...scenarios];
  let failed = false;
  const worker = async () => {
    for (let next = waiting.shift(); next && !(bail && failed); next = waiting.shift()) {
      const played = await play(next, open);
      results.set(next, played);
      failed ||= played.outcome === "failed";
      ended?.(played);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return scenarios.flatMap((scenario) => results.get(scenario) ?? []);
}
