/** Faults of processes and connections: kills at the worst moments, a dead pcscd, POS that hang up, a wrong clock. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { INS } from "../../src/secure-element/apdu/instructions.js";
import type { Stage } from "./moments.js";
import type { Run } from "./run.js";
import type { Exchange } from "./slot.js";
import type { Torture } from "./tortures.js";

/** The answer of a card that did nothing, to a program that is dead. */
export const NOT_DONE = Uint8Array.of(0x6f, 0x00);
const LATEST_MS = 4_000;
const PCSCD_AWAY_MS = 300;
const DAY_MS = 86_400_000;

/** One of the first signatures of the run. */
export function oneSignature(run: Run): (exchange: Exchange) => boolean {
  const nth = run.chance.between(1, 5);
  return ({ signature }) => signature === nth;
}

/** Kills the service at one signature. @param repair runs before it is started again */
export function crashAt(
  run: Run,
  stage: Stage,
  why = `killed ${stage} the signature`,
  repair?: () => Promise<void> | void,
): void {
  run.moments.once(stage, oneSignature(run), () => {
    run.crash(why, repair);
    return stage === "before" ? NOT_DONE : undefined;
  });
}

export const PROCESS_TORTURES: readonly Torture[] = [
  { name: "SIGKILL before the signature", reality: "real", arm: (run) => crashAt(run, "before") },
  { name: "SIGKILL during the signature", reality: "real", arm: (run) => crashAt(run, "during") },
  { name: "SIGKILL after the signature", reality: "real", arm: (run) => crashAt(run, "after") },
  {
    name: "SIGKILL at random, twice",
    reality: "real",
    arm: (run) => {
      const [first, second] = [run.chance.between(0, LATEST_MS), run.chance.between(0, LATEST_MS)];
      run.meanwhile(`kills after ${first} ms and ${second} ms more`, async () => {
        await sleep(first);
        run.crash("killed at random");
        await sleep(second);
        run.crash("killed at random again");
      });
    },
  },
  {
    name: "SIGKILL after the signature, and again while INS 15 is asked",
    reality: "real",
    arm: (run) =>
      crashAt(run, "after", "killed when the card has signed", () => {
        const asks = ({ ins }: Exchange) => ins === INS.lastSigned;
        run.moments.once("after", asks, () => {
          run.crash("killed while it asks for the last invoice");
        });
      }),
  },
  {
    name: "pcscd killed",
    reality: "real",
    arm: (run) => {
      const stage = run.chance.pick(["before", "during", "after"] as const);
      run.moments.once(stage, oneSignature(run), () => {
        run.meanwhile(`pcscd is killed ${stage} the signature`, async () => {
          await run.pcscd.kill();
          await sleep(PCSCD_AWAY_MS);
          await run.pcscd.start();
        });
      });
    },
  },
  { name: "connections dropped by the POS", reality: "real", hangsUp: true },
  {
    name: "clock set back by a day",
    reality: "simulated",
    needsClock: true,
    arm: (run) =>
      run.moments.once("before", oneSignature(run), () => {
        run.note("the clock is set back");
        run.shiftClock(-DAY_MS);
        run.signal("SIGUSR2");
        if (run.chance.oneIn(2)) run.crash("killed with the wrong clock");
      }),
  },
  {
    name: "two services, tillseal.lock deleted",
    reality: "real",
    alone: true,
    arm: async (run) => {
      await rm(join(run.dataDir, "tillseal.lock"), { force: true });
      const second = await run.second();
      if (!second) return;
      run.note("two services run on one folder");
      run.urls.push(second.url);
    },
    atEnd: (run) => run.stopSecond(),
  },
  { name: "queue full", reality: "real", leastPos: 8, flags: { "queue-length": "2" } },
];
