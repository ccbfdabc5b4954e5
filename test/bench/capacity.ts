/**
 * `npm run bench -- capacity`: how long tills wait for one card. The time is that of the emulator: it goes on by itself
 * while the service works, and this program skips what is left until the next till sells or the card has signed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { World } from "../../emulator/world/world.js";
import { times } from "./client.js";
import { median } from "./row.js";
import { invoice } from "./service.js";

const CARDS_MS = [300, 500, 800];
const TILLS = [1, 5, 10, 20, 40];
const SALES = 200;
/** ms between two sales of a till, on average. */
const EVERY_MS = 20_000;
/** Sales in which V8 compiles. */
const WARM_UP = 100;
/** ms in which the service puts a sale into its queue. */
const QUEUED_MS = 4;

/** Tills at one card. */
class Shop {
  readonly sold: { readonly at: number; readonly ended: number }[] = [];
  private readonly next: number[];
  private state = 1;
  /** When the card has signed, and what goes on then. Absent while it waits. */
  private card: { readonly at: number; readonly end: () => void } | undefined;
  private underWay = 0;
  private wake = () => {};

  constructor(
    private readonly world: World,
    tills: number,
  ) {
    const { clock } = world;
    this.next = Array.from({ length: tills }, () => clock.now() + this.chance() * EVERY_MS);
    clock.sleep = (ms) =>
      new Promise((end) => {
        this.card = { at: clock.now() + ms, end };
        this.wake();
      });
  }

  async sell(): Promise<void> {
    const { clock } = this.world;
    while (this.sold.length < SALES || this.underWay > 0) {
      if (this.underWay > 0 && !this.card) {
        // The service works.
        await this.change();
        continue;
      }
      const at = this.sold.length < SALES ? Math.min(...this.next) : Number.POSITIVE_INFINITY;
      const { card } = this;
      const to = Math.min(at, card?.at ?? Number.POSITIVE_INFINITY);
      if (to > clock.now()) clock.set(Math.ceil(to));
      if (card && card.at <= at) {
        const left = this.underWay;
        this.card = undefined;
        card.end();
        while (this.underWay === left) await this.change();
      } else {
        this.post(this.next.indexOf(at), at);
        if (card) await sleep(QUEUED_MS);
      }
    }
  }

  private post(till: number, at: number): void {
    this.underWay++;
    // A till that waits does not sell.
    this.next[till] = Number.POSITIVE_INFINITY;
    void times(this.world.url, invoice(), 1).then(() => {
      const ended = this.world.clock.now();
      this.sold.push({ at, ended });
      this.next[till] = Math.max(ended, at + EVERY_MS * (0.5 + this.chance()));
      this.underWay--;
      this.wake();
    });
  }

  /** The same numbers in each run, from 0 to 1. */
  private chance(): number {
    this.state = (this.state * 48_271) % 2_147_483_647;
    return this.state / 2_147_483_647;
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}

/** @returns the waits of the sales in ms, and what the service adds to the card and to the sales before */
async function cell(cardMs: number, tills: number): Promise<{ waits: number[]; added: number[] }> {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-capacity-"));
  const world = await World.open({ card: { pinVerified: true } }, { dataDir: folder });
  try {
    await times(world.url, invoice(), WARM_UP);
    await world.do({ faults: [{ on: "sign", kind: "latency", duration: `${cardMs}ms` }] });
    const shop = new Shop(world, tills);
    await shop.sell();
    let free = 0;
    const sold = shop.sold
      .toSorted((a, b) => a.at - b.at)
      .map(({ at, ended }) => {
        free = Math.max(free, at) + cardMs;
        return { wait: ended - at, added: ended - free };
      });
    return { waits: sold.map(({ wait }) => wait), added: sold.map(({ added }) => added) };
  } finally {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function text(cardMs: number, tills: number): Promise<string> {
  const { waits, added } = await cell(cardMs, tills);
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (share: number) => ((sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN) / 1000).toFixed(2);
  const load = (tills * cardMs) / EVERY_MS;
  // At a full card, each sale also waits for what the service has added to all sales before it.
  const more = load >= 1 ? `full (${Math.round(load * 100)} %)` : `added ${median(added).toFixed(0)} ms`;
  return `${at(0.5)}, ${at(0.99)}, ${at(1)}; ${more}`;
}

/** Prints for each card and number of tills: median, 99th percentile and longest wait in s, and what the service adds. */
export async function capacity(): Promise<void> {
  const head = ["Tills", ...CARDS_MS.map((ms) => `card of ${ms} ms`)];
  const print = (cells: readonly string[]) => process.stdout.write(`| ${cells.join(" | ")} |\n`);
  print(head);
  print(head.map(() => "---"));
  for (const tills of TILLS) {
    const cells: string[] = [];
    for (const ms of CARDS_MS) cells.push(await text(ms, tills));
    print([String(tills), ...cells]);
  }
}
