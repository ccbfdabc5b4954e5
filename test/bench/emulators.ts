/** Emulators as tests open them, and the shipped scenarios. */
import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { type Group, measured } from "./row.js";
import { CLI, cpuMsOfChildren } from "./service.js";

const RUNS = 3;
const EMULATORS = 100;
const TESTKIT = JSON.stringify(join(PACKAGE_ROOT, "dist", "harness", "testkit.js"));
const RUN = [CLI, "scenario", "run", join(PACKAGE_ROOT, "scenarios")];

/** Prints the CPU time of the first emulator of a process, with its code, and of each of the next ones, in ms. */
const SCRIPT = `const cpu = (since) => { const { user, system } = process.cpuUsage(since); return (user + system) / 1000; };
let began = process.cpuUsage();
const { createEmulator } = await import(${TESTKIT});
await (await createEmulator()).close();
const first = cpu(began);
for (let i = 0; i < ${EMULATORS}; i++) await (await createEmulator()).close();
began = process.cpuUsage();
for (let i = 0; i < ${EMULATORS}; i++) await (await createEmulator()).close();
console.log(JSON.stringify([first, cpu(began) / ${EMULATORS}]));`;

export const emulators: Group = async () => {
  const args = ["--input-type=module", "--eval", SCRIPT];
  const took = Array.from(
    { length: RUNS },
    () => JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as [number, number],
  );
  const [first, next] = [took.map(([ms]) => ms), took.map(([, ms]) => ms)];
  const name = "`createEmulator()` and close, CPU";
  return [
    { name: `${name}: first in a process`, ...measured(first), goal: 130, higherIsBetter: false, unit: "ms" },
    { name: `${name}: the next ones`, ...measured(next), goal: 8, higherIsBetter: false, unit: "ms" },
  ];
};

export const scenarios: Group = async () => {
  const [cpu, wall]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now();
    execFileSync(process.execPath, RUN);
    wall.push((performance.now() - began) / 1000);
    const before = cpuMsOfChildren();
    // With one core, one thread plays all of them.
    const printed = execFileSync("taskset", ["-c", "0", process.execPath, ...RUN], { encoding: "utf8" });
    cpu.push((cpuMsOfChildren() - before) / Number(/(\d+) passed/.exec(printed)?.[1]));
  }
  return [
    {
      name: "a scenario of all shipped ones, one thread, CPU",
      ...measured(cpu),
      goal: 29,
      higherIsBetter: false,
      unit: "ms",
    },
    {
      name: `all shipped scenarios, wall, on ${availableParallelism()} cores`,
      ...measured(wall),
      goal: 4.5,
      higherIsBetter: false,
      unit: "s",
    },
  ];
};
