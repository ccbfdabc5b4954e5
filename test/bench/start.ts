/** How long the process takes to start, against Node that does nothing. */
import { spawnSync } from "node:child_process";
import { type Group, measured, median, type Row } from "./row.js";
import { CLI, startService } from "./service.js";

const RUNS = 5;
/** Of a real receipt's shape: what a person pastes to read it. */
const URL = "https://example.org/v/?vl=AAAA";

function msOf(...args: string[]): number {
  const began = performance.now();
  spawnSync(process.execPath, args, { stdio: "ignore" });
  return performance.now() - began;
}

const repeated = (ms: () => number) => Array.from({ length: RUNS }, ms);

export const start: Group = async () => {
  const nothing = median(repeated(() => msOf("-e", "0")));
  const services: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const service = await startService();
    services.push(service.startMs / nothing);
    await service.stop();
  }
  const row = (name: string, values: readonly number[], goal: number): Row => ({
    ...{ name: `${name}, against node -e 0`, ...measured(values), goal, more: false, unit: "times" },
  });
  return [
    row("start to the first 200 of attention", services, 5),
    row(
      "--help",
      repeated(() => msOf(CLI, "--help") / nothing),
      2.5,
    ),
    row(
      "decode",
      repeated(() => msOf(CLI, "decode", URL) / nothing),
      2.5,
    ),
  ];
};
