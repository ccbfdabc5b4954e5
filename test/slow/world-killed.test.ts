/** An emulator that is killed while it replaces its world has the old world or the new one: store and card together. */
import { expect, it } from "vitest";
import { World } from "../../emulator/world/world.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { temporaryFolder } from "../support/folder.js";
import { built, wasKilled } from "../support/killed-at.js";

const WORLD = built("emulator", "world", "world.js");

/** Sells once, takes a snapshot, sells twice more, and is killed before its nth change of the file system from then on. */
function killedAt(nth: number, dataDir: string, replace: string): Promise<boolean> {
  return wasKilled(`
    const { World } = await import(${WORLD});
    const world = await World.open({ card: { pinVerified: true } }, { dataDir: ${JSON.stringify(dataDir)} });
    const sell = async () => {
      const { status } = await fetch(world.url + "/api/v3/test-invoice", { method: "POST" });
      if (status !== 200) throw new Error("not sold: " + status);
    };
    await sell();
    await world.snapshots.take("one");
    await sell();
    await sell();
    globalThis.killAt(${nth});
    await ${replace};
    process.exit();`);
}

/** Counters of the card, and of the newest receipt, after the next start. */
async function countersAfterStart(dataDir: string): Promise<readonly [card: number, store: number]> {
  const world = await World.open({}, { dataDir });
  const { totalCounter } = world.cards.named(world.cards.current).memory.load();
  await world.close();
  const counters = StoreReading.open(dataDir).use((store) => [...store.entries()].map((one) => one.totalCounter ?? 0));
  return [totalCounter, Math.max(0, ...counters)];
}

it.each([
  ["a snapshot", 'world.snapshots.restore("one")', 1],
  ["another scenario", "world.begin({})", 0],
])(
  "%s",
  async (_, replace, sold) => {
    const seen = new Set<number>();
    for (let nth = 1; ; nth += 5) {
      const dataDir = temporaryFolder();
      const killed = await killedAt(nth, dataDir, replace);
      const [card, store] = await countersAfterStart(dataDir);
      expect([nth, card]).toEqual([nth, store]);
      expect([3, sold]).toContain(card);
      seen.add(card);
      if (!killed) break;
      expect(nth).toBeLessThan(150);
    }
    expect([...seen]).toEqual([3, sold]);
  },
  300_000,
);
