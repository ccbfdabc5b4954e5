/**
 * One service for a long time, with faults that it has to survive: its memory, handles and speed must stay the same.
 * test/faults/run.mjs provides a separate pcscd.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { newSeed } from "../../emulator/pki/random.js";
import { Pcscd } from "../support/pcsc.js";
import { NOT_DONE } from "./process-tortures.js";
import { Run } from "./run.js";
import { type Exchange, Slot } from "./slot.js";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: newSeed().slice(0, 8) },
    minutes: { type: "string", default: "120" },
    pos: { type: "string", default: "8" },
  },
});
const { seed, minutes } = values;
const MINUTE_MS = 60_000;
const FAULT_EVERY_MS = 20_000;
const PROBE_EVERY_MS = 500;
const PCSCD_AWAY_MS = 300;
/** Otherwise sales would wait for each other, and their time would measure the queue instead of the service. */
const PAUSE_MS = 1_000;
/** Its sums must stay below the limit during the whole test. */
const LIMIT = "999999999999";
const FIRST_PROBE = 5_000_000;
/** Allowed growth by the end: garbage not collected yet, connections of POS. */
const MORE_MEMORY = 100 * 2 ** 20;
const MORE_HANDLES = 40;
/** libpcsclite 1.9 keeps a socket of each pcscd that died. */
const HANDLES_FOR_EACH_PCSCD = 2;

interface Sample {
  readonly minute: number;
  readonly memory: number;
  readonly handles: number;
  /** ms of sales, sorted. */
  readonly latencies: readonly number[];
}

const say = (line: string) => process.stdout.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), "tillseal-soak-"));
const pcscd = new Pcscd();
await pcscd.start();
const slot = new Slot(join(folder, "card"));
await slot.link.insert();

const samples: Sample[] = [];
const struck = new Map<string, number>();
const lasts = Number(minutes) * MINUTE_MS;
const end = Date.now() + lasts;

const signs = ({ signature }: Exchange) => signature > 0;

/** Faults of the card that end without help, and of pcscd. */
const faults: Readonly<Record<string, (run: Run) => void>> = {
  "pcscd killed": (run) =>
    run.meanwhile("pcscd is killed", async () => {
      await pcscd.kill();
      await sleep(PCSCD_AWAY_MS);
      await pcscd.start();
    }),
  "card pulled while it signs": (run) =>
    run.moments.once(run.chance.pick(["before", "after"] as const), signs, (answer) => {
      run.meanwhile("pulled", () => slot.pull());
      return answer.length === 0 ? NOT_DONE : undefined;
    }),
  "card loses its sessions": () => slot.reset(),
  "one bit of a signature flipped": (run) =>
    run.moments.once("after", signs, (answer) => answer.map((byte, i) => (i === 100 ? byte ^ 1 : byte))),
  "card hangs for 11 s": (run) =>
    run.moments.once("after", signs, async () => {
      await sleep(11_000);
    }),
};

async function strike(run: Run): Promise<void> {
  while (Date.now() < end - FAULT_EVERY_MS) {
    await sleep(FAULT_EVERY_MS);
    const name = run.chance.pick(Object.keys(faults));
    struck.set(name, (struck.get(name) ?? 0) + 1);
    faults[name]?.(run);
  }
}

async function measure(run: Run): Promise<void> {
  let latencies: number[] = [];
  let probe = FIRST_PROBE;
  for (let minute = 1; Date.now() < end; minute++) {
    for (const next = Date.now() + MINUTE_MS; Date.now() < Math.min(next, end); await sleep(PROBE_EVERY_MS)) {
      const ms = await run.timedSale(++probe);
      if (ms !== undefined) latencies.push(ms);
    }
    const sample = { minute, ...run.use(), latencies: latencies.toSorted((a, b) => a - b) };
    samples.push(sample);
    latencies = [];
    say(line(sample));
  }
}

const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
const part = (sorted: readonly number[], share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
const line = ({ minute, memory, handles, latencies }: Sample) =>
  `| ${minute} | ${mib(memory)} | ${handles} | ${part(latencies, 0.5)} ms | ${part(latencies, 0.95)} ms | ${latencies.length} |`;

say(`soak: seed ${seed}, ${minutes} minutes, ${values.pos} POS, in ${folder}`);
const head = [
  "| Minute | Memory | Handles | Sale, median | Sale, 95 % | Sales measured |",
  "| ---: | ---: | ---: | ---: | ---: | ---: |",
];
for (const row of head) say(row);
const soak = {
  name: "soak",
  reality: "real" as const,
  hangsUp: true,
  profile: { limit: LIMIT },
  arm: (run: Run) => {
    run.meanwhile("faults", () => strike(run));
    run.meanwhile("measuring", () => measure(run));
  },
};
const sizes = { pos: Number(values.pos), sales: 1, lasts, pause: PAUSE_MS };
const run = new Run({ slot, pcscd }, join(folder, "run"), seed, [soak], sizes);
const { violations, signatures } = await run.play();
run.unmount();
await slot.link.remove();
await pcscd.stop();

const [first, last] = [samples[0], samples.at(-1)];
const problems = [...violations];
if (first && last) {
  if (last.memory > first.memory + MORE_MEMORY) problems.push(`memory grew to ${mib(last.memory)}`);
  const more = MORE_HANDLES + HANDLES_FOR_EACH_PCSCD * (struck.get("pcscd killed") ?? 0);
  if (last.handles > first.handles + more) problems.push(`${last.handles} handles are open`);
} else problems.push("it was too short to be measured");
const occurrences = [...struck].map(([name, times]) => `${name}: ${times}`).join("; ");
say(
  [
    "",
    "| | Memory | Handles | Sale, median | Sale, 95 % |",
    "| --- | ---: | ---: | ---: | ---: |",
    ...[first, last].flatMap((sample) => {
      if (!sample) return [];
      const { minute, memory, handles, latencies } = sample;
      const cells = [mib(memory), handles, `${part(latencies, 0.5)} ms`, `${part(latencies, 0.95)} ms`];
      return [`| minute ${minute} | ${cells.join(" | ")} |`];
    }),
    "",
    `${minutes} minutes, ${values.pos} POS, ${signatures} signatures. Faults: ${occurrences}.`,
    problems.length === 0
      ? "Nothing was lost, doubled or kept silent."
      : `FAILED (kept: ${folder}):\n  ${problems.join("\n  ")}`,
    "",
  ].join("\n"),
);
if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
process.exit(problems.length === 0 ? 0 : 1);
