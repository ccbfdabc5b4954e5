/** Plays scenarios in new worlds, several at a time, on each core. */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { type Played, play } from "./play.js";
import type { PlayedInThread, ToPlay } from "./player-thread.js";
import type { Scenario } from "./scenario.js";
import { openWorldStage } from "./world-stage.js";

const THREAD = join(PACKAGE_ROOT, "dist", "harness", "scenario", "player-thread.js");

/**
 * Number of worlds of a thread that run at the same time. A world often waits for the disk or for the card's
 * computations, so several worlds save time.
 */
const WORLDS = 4;
const WORTH_A_THREAD = 25;

export type PlayOne = (scenario: Scenario) => Promise<Played>;

/** Calls `run` with the functions that may play at the same time. @param count number of scenarios */
export async function withPlayers<T>(
  count: number,
  realTime: boolean,
  run: (players: readonly PlayOne[]) => Promise<T>,
): Promise<T> {
  const here: PlayOne = (scenario) => play(scenario, openWorldStage({ realTime }));
  const further = Math.max(1, Math.min(availableParallelism(), Math.floor(count / WORTH_A_THREAD))) - 1;
  const threads = Array.from({ length: further }, () => new Worker(THREAD, { workerData: realTime }));
  try {
    const players = [here, ...threads.map(playIn)];
    return await run(players.flatMap((player) => Array.from({ length: WORLDS }, () => player)));
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

function playIn(thread: Worker): PlayOne {
  const waiting = new Map<number, { resolve: (played: PlayedInThread) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  thread.on("message", ({ id, played }: { id: number; played: PlayedInThread }) => waiting.get(id)?.resolve(played));
  thread.on("error", (error: Error) => {
    for (const { reject } of waiting.values()) reject(error);
  });
  return async (scenario) => {
    const { placeOf: _, ...plain } = scenario;
    const id = ++lastId;
    const played = await new Promise<PlayedInThread>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      thread.postMessage({ id, scenario: plain } satisfies ToPlay);
    });
    waiting.delete(id);
    return { ...played, scenario };
  };
}
