/** `npm run bench:testkit`: how long a test waits for its emulator. */
import { availableParallelism } from "node:os";
import { createEmulator } from "../../emulator/testkit.js";

const RUNS = 20;

const times: number[] = [];
for (let run = 0; run < RUNS; run++) {
  const began = performance.now();
  const till = await createEmulator();
  times.push(performance.now() - began);
  await till.close();
}
const first = times[0] ?? 0;
const median = [...times].sort((a, b) => a - b)[RUNS / 2] ?? 0;
console.log(
  `createEmulator: ${Math.round(first)} ms the first time, then ${Math.round(median)} ms (median of ${RUNS})`,
);

const began = performance.now();
const tills = await Promise.all(Array.from({ length: RUNS }, () => createEmulator()));
console.log(`${RUNS} side by side: ${Math.round(performance.now() - began)} ms, ${availableParallelism()} cores`);
await Promise.all(tills.map((till) => till.close()));
