/** The code of the thread that players.ts starts. */
import { parentPort, workerData } from "node:worker_threads";
import { type Played, play } from "./play.js";
import type { Scenario } from "./scenario.js";
import { openWorldStage } from "./world-stage.js";

export interface ToPlay {
  readonly id: number;
  readonly scenario: Omit<Scenario, "placeOf">;
}

export type PlayedInThread = Omit<Played, "scenario">;

const realTime = workerData as boolean;

parentPort?.on("message", async ({ id, scenario }: ToPlay) => {
  const { scenario: _, ...played } = await play(scenario, openWorldStage({ realTime }));
  parentPort?.postMessage({ id, played });
});
