/** Emulators as tests open them, and the shipped scenarios, beside `node -e 0`. */
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Figures, Group } from "./row.js";
import { cpuMsOfChildren } from "./service.js";

const ROUNDS = 5;
const WORKER = fileURLToPath(new URL("worker.js", import.meta.url));
/** Processes of one slice. */
const STARTS = 2;

interface Pieces {
  readonly kind: "emulator" | "scenario";
  /** Pieces before the measurement. */
  readonly warmUp: number;
  readonly slice: number;
  readonly slices: number;
}

/** CPU time of some `node -e 0`, in ms. */
function bare(): number {
  const before = cpuMsOfChildren();
  for (let start = 0; start < STARTS; start++) execFileSync(process.execPath, ["-e", "0"]);
  return cpuMsOfChildren() - before;
}

/** @returns the CPU time of one piece and of one `node -e 0`, in ms */
async function round({ kind, warmUp, slice, slices }: Pieces): Promise<[own: number, other: number]> {
  const worker = fork(WORKER, [kind]);
  const ask = async (wanted: number) => {
    worker.send(wanted);
    return ((await once(worker, "message")) as [{ count: number; ms: number }])[0];
  };
  await ask(warmUp);
  const sum = { ms: 0, count: 0, bare: 0, starts: 0 };
  for (let n = 0; n < slices; n++) {
    const { count, ms } = await ask(slice);
    if (count === 0) break;
    sum.bare += bare();
    sum.starts += STARTS;
    sum.ms += ms;
    sum.count += count;
  }
  worker.kill();
  await once(worker, "exit");
  return [sum.ms / sum.count, sum.bare / sum.starts];
}

async function measured(pieces: Pieces): Promise<Figures> {
  const rounds: [number, number][] = [];
  for (let n = 0; n < ROUNDS; n++) rounds.push(await round(pieces));
  return { own: rounds.map(([own]) => own), other: rounds.map(([, other]) => other) };
}

export const emulators: Group = async () => {
  const shared = { beside: "`node -e 0`", unit: "ms" } as const;
  return [
    {
      name: "next `createEmulator()` and close, CPU",
      ...shared,
      goal: 0.1,
      ...(await measured({ kind: "emulator", warmUp: 100, slice: 20, slices: 8 })),
    },
    {
      name: "a shipped scenario, CPU",
      ...shared,
      ...(await measured({ kind: "scenario", warmUp: 0, slice: 20, slices: Number.POSITIVE_INFINITY })),
    },
  ];
};
