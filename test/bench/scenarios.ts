/** `npm run bench:scenarios`: how fast the shipped scenarios are played in one process. */
import { availableParallelism } from "node:os";
import { PARALLEL } from "../../emulator/scenario/commands.js";
import { loadScenarios, scenarioFiles } from "../../emulator/scenario/load.js";
import { runScenarios } from "../../emulator/scenario/run.js";
import { SHIPPED_SCENARIOS } from "../../emulator/scenario/shipped-folder.js";
import { WorldStage } from "../../emulator/scenario/world-stage.js";

const RUNS = 3;

const scenarios = scenarioFiles([SHIPPED_SCENARIOS]).flatMap(loadScenarios);
const rates: number[] = [];
for (let run = 0; run < RUNS; run++) {
  const began = performance.now();
  const played = await runScenarios(scenarios, ({ given }) => WorldStage.open(given, { realTime: false }), {
    ...{ bail: false, parallel: PARALLEL },
  });
  const seconds = (performance.now() - began) / 1000;
  const passed = played.filter(({ status }) => status === "passed").length;
  rates.push(passed / seconds);
  console.log(`${passed} of ${scenarios.length} passed in ${seconds.toFixed(1)} s`);
}
const median = rates.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0;
console.log(`${Math.round(median)} scenarios a second (median of ${RUNS}), ${availableParallelism()} cores`);
