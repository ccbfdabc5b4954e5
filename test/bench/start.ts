/** The CPU time of a start with default settings, which include the emulated authority, to the first signed sale. */
import { type Group, measured } from "./row.js";
import { invoice, once, readyToSell, startService } from "./service.js";

const RUNS = 5;

export const start: Group = async () => {
  const took: number[] = [];
  // The first start reads from the disk and does not count.
  for (let run = -1; run < RUNS; run++) {
    const service = await startService();
    await readyToSell(service.url);
    await once(service.url, invoice());
    if (run >= 0) took.push(service.cpuMs());
    await service.stop();
  }
  const name = "default `serve` to the first signed sale, CPU";
  return [{ name, ...measured(took), goal: 400, higherIsBetter: false, unit: "ms" }];
};
