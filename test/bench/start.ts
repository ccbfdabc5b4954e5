/** How long the process takes to start, compared with an empty Node. */
import { spawnSync } from "node:child_process";
import { RECORDED_URLS } from "../support/recorded.js";
import { type Group, measured, type Row } from "./row.js";
import { CLI, invoice, once, readyToSell, startService } from "./service.js";

const RUNS = 5;

function msOf(...args: string[]): number {
  const began = performance.now();
  spawnSync(process.execPath, args, { stdio: "ignore" });
  return performance.now() - began;
}

/** Each run is paired with an empty Node, because the load of a machine changes. */
const nothing = () => msOf("-e", "0");
const ratios = (...args: string[]) => Array.from({ length: RUNS }, () => msOf(CLI, ...args) / nothing());

export const start: Group = async () => {
  // The first start reads from the disk and does not count.
  msOf(CLI, "--help");
  const services: number[] = [];
  const sales: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now();
    const service = await startService();
    await readyToSell(service.url);
    await once(service.url, invoice());
    const soldMs = performance.now() - began;
    services.push(service.startMs / nothing());
    sales.push(soldMs / nothing());
    await service.stop();
  }
  const row = (name: string, values: readonly number[], goal: number): Row => ({
    name: `${name}, against node -e 0`,
    ...measured(values),
    goal,
    higherIsBetter: false,
    unit: "times",
  });
  const [{ url }] = RECORDED_URLS;
  return [
    row("start to the first 200 of attention", services, 5),
    row("start to the first signed sale", sales, 8),
    row("--help", ratios("--help"), 2.5),
    row("decode", ratios("decode", url), 2.5),
  ];
};
