/** Emulators side by side in one process, as tests open them, and the shipped scenarios. */

import { SHIPPED_SCENARIOS } from "../../emulator/world/shipped-folder.js";
import { loadScenarios, scenarioFiles } from "../../harness/scenario/load.js";
import { runScenarios } from "../../harness/scenario/run.js";
import { PARALLEL } from "../../harness/scenario/run-files.js";
import { WorldStage } from "../../harness/scenario/world-stage.js";
import { createEmulator } from "../../harness/testkit.js";
import { type Group, measured } from "./row.js";

const EMULATORS = 200;
const RUNS = 3;
const MB = 1024 * 1024;

export const emulators: Group = async () => {
  const first = await createEmulator();
  await first.close();
  const [took, sizes]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    const before = process.memoryUsage.rss();
    const began = performance.now();
    const all = await Promise.all(Array.from({ length: EMULATORS }, () => createEmulator()));
    took.push((performance.now() - began) / EMULATORS);
    sizes.push((process.memoryUsage.rss() - before) / MB / EMULATORS);
    await Promise.all(all.map((emulator) => emulator.close()));
  }
  const name = `createEmulator(), ${EMULATORS} side by side, each`;
  return [
    { name, ...measured(took), goal: 16, higherIsBetter: false, unit: "ms" },
    // The next ones reuse what the first ones have freed.
    { name: `${name}: memory`, value: sizes[0], goal: 2, higherIsBetter: false, unit: "MB" },
  ];
};

export const scenarios: Group = async () => {
  const shipped = scenarioFiles([SHIPPED_SCENARIOS]).flatMap(loadScenarios);
  const rates: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now();
    const played = await runScenarios(shipped, ({ given }) => WorldStage.open(given, { realTime: false }), {
      bail: false,
      parallel: PARALLEL,
    });
    const passed = played.filter(({ status }) => status === "passed").length;
    rates.push((1000 * passed) / (performance.now() - began));
  }
  return [{ name: "scenarios", ...measured(rates), goal: 80, higherIsBetter: true, unit: "a second" }];
};
