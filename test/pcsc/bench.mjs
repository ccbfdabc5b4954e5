/**
 * The cost of an exchange with a card through each module: `npm run build && node test/pcsc/bench.mjs [EXCHANGES]`. The
 * card is a published one in the virtual reader, in its own process; each round measures both modules in turn.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { namespace, requirePcsc } from "./namespace.mjs";

const ROUNDS = 5;
const SHARED = 2;
const T0_OR_T1 = 3;
const PRESENT = 0x20;
const LEAVE = 0;
const SELECT = Uint8Array.from([0, 0xa4, 4, 0, 15, ...Buffer.from("A000000748464A492D546178436F7265", "hex"), 0]);

if (!process.env.BENCH_INSIDE) {
  requirePcsc("the measurement through PC/SC");
  const [command, ...args] = [...namespace(), process.execPath, ...process.argv.slice(1)];
  const env = { ...process.env, BENCH_INSIDE: "1" };
  process.exit(spawnSync(command, args, { stdio: "inherit", env }).status ?? 1);
}

const { Pcscd } = await import("../../dist/test/support/pcsc.js");
const { bindingOf } = await import("../../dist/src/secure-element/pcsc/bindings.js");
const exchanges = Number(process.argv[2] ?? 1_000);
const modules = existsSync("node_modules/pcsclite/build") ? ["koffi", "pcsclite"] : ["koffi"];

const pcscd = new Pcscd();
await pcscd.start();
const publisher = spawn(process.execPath, ["dist/src/cli.js", "card", "publish"], {
  stdio: ["pipe", "ignore", "inherit"],
});
const figures = new Map(modules.map((module) => [module, []]));
try {
  for (let round = 0; round < ROUNDS; round++) {
    for (const module of modules) figures.get(module).push(await measure(bindingOf(module)));
  }
  const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
  for (const [module, runs] of figures) {
    const [wall, cpu, idle] = ["wall", "cpu", "idle"].map((name) => median(runs.map((run) => run[name])));
    console.log(
      `${module}: ${wall.toFixed(3)} ms an exchange, ${cpu.toFixed(3)} ms of it CPU; ${idle.toFixed(1)} ms CPU a second while it waits`,
    );
  }
} finally {
  publisher.kill();
  await pcscd.stop();
}
process.exit(0);

async function measure(binding) {
  const watch = binding.watcher();
  await watch.establish();
  let readers = [];
  while (!readers.some(({ state }) => (state & PRESENT) !== 0)) readers = await watch.wait(readers, 1_000);
  const { name } = readers.find(({ state }) => (state & PRESENT) !== 0);
  const card = binding.card(name);
  const protocol = await card.connect(SHARED, T0_OR_T1);
  for (let i = 0; i < exchanges / 10; i++) await card.transmit(SELECT, protocol);
  const before = process.cpuUsage();
  const began = performance.now();
  for (let i = 0; i < exchanges; i++) await card.transmit(SELECT, protocol);
  const wall = (performance.now() - began) / exchanges;
  const cpu = msOf(process.cpuUsage(before)) / exchanges;
  await card.disconnect(LEAVE);
  await card.release();
  readers = await watch.wait(readers, 1_000);
  const idleBefore = process.cpuUsage();
  const idleBegan = performance.now();
  for (let i = 0; i < 3; i++) readers = await watch.wait(readers, 1_000);
  const idle = (msOf(process.cpuUsage(idleBefore)) * 1_000) / (performance.now() - idleBegan);
  await watch.release();
  await delay(100);
  return { wall, cpu, idle };
}

function msOf({ user, system }) {
  return (user + system) / 1_000;
}
