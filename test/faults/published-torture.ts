/** A published card is a process with a memory: however it ends, its next start goes on where it was. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { CLI, environmentWith } from "../support/environment.js";
import { freePort } from "../support/free-port.js";
import { newShop, Pos, postPin, postSale, requestIdOf, type Shop } from "./pos.js";
import type { Run } from "./run.js";
import { ServiceProcess } from "./service-process.js";
import type { Torture } from "./tortures.js";

const SALES = 12;
/** ms of a life of the card's process: shorter and longer than a sale. */
const LIFE_MS = [100, 2_500] as const;
const LONGER_MS = 250;
const APPEARS_MS = 60_000;
/** ms for all sales. */
const PATIENCE_MS = 180_000;
const FIRST_TRAINING = 900_000;
const UNLOCK_PAUSE_MS = 200;

const ENDS: readonly { readonly name: string; readonly end: (card: ChildProcess) => void }[] = [
  { name: "quit", end: (card) => void card.stdin?.write("quit\n") },
  { name: "SIGTERM", end: (card) => void card.kill("SIGTERM") },
  { name: "SIGKILL", end: (card) => void card.kill("SIGKILL") },
];

export const PUBLISHED_TORTURES: readonly Torture[] = [
  { name: "published card ends at random", reality: "real", alone: true, atEnd: publishedCardEnds },
];

/** A till of its own sells with the published card, whose process ends and begins again meanwhile. */
async function publishedCardEnds(run: Run): Promise<void> {
  await run.slot.link.remove();
  const dataDir = join(run.folder, "till-of-published-card");
  const port = await freePort();
  const shop = shopAt(`http://127.0.0.1:${port}`, run);
  let card = await publish(run);
  const service = await ServiceProcess.start({ dataDir, flags: { port: String(port) } });
  try {
    const pos = new Pos(shop);
    let sold = false;
    const sales = (async () => {
      for (let n = 1; n <= SALES; n++) await pos.sell(n);
    })().finally(() => {
      sold = true;
    });
    // The lives get longer, so that a busy machine finds the time for a sale, too.
    for (let longer = 0; !sold; longer += LONGER_MS) {
      await sleep(run.chance.between(...LIFE_MS) + longer);
      card = await endAndPublish(run, card);
    }
    await sales;
    await pos.sell(SALES + 1);
    const status = await service.stop();
    if (status !== 0) run.violations.push(`the till of the published card ended with ${status}`);
    compare(run, shop, join(dataDir, "store/tillseal.db"));
  } finally {
    await service.kill();
    card.kill("SIGKILL");
    await run.slot.link.insert();
  }
}

/** The last sale's counter is the number of receipts: none is lost, and none has the number of another one. */
function compare(run: Run, { answers }: Shop, file: string): void {
  const store = StoreReading.openFile(file);
  try {
    const numbers = [...store.entries()].flatMap(({ number }) => number ?? []);
    const last = answers.get(requestIdOf(SALES + 1));
    const counter = last === undefined ? undefined : (JSON.parse(last) as { totalCounter: number }).totalCounter;
    run.note(`${numbers.length} receipts of the published card, the last one has counter ${counter}`);
    if (new Set(numbers).size !== numbers.length)
      run.violations.push(`the published card gave a number twice: ${numbers}`);
    if (counter !== numbers.length)
      run.violations.push(`${numbers.length} receipts, but the last counter is ${counter}`);
  } finally {
    store.close();
  }
}

async function endAndPublish(run: Run, card: ChildProcess): Promise<ChildProcess> {
  const { name, end } = run.chance.pick(ENDS);
  run.note(`the published card ends: ${name}`);
  const ended = once(card, "exit");
  end(card);
  await ended;
  return publish(run);
}

/** Resolves when the card is in the reader. */
async function publish(run: Run): Promise<ChildProcess> {
  const folder = join(run.folder, "published-card");
  const card = spawn(process.execPath, [CLI, "card", "publish", "--control-port", "0", "--data-dir", folder], {
    env: environmentWith(),
  });
  let output = "";
  for (const stream of [card.stdout, card.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  if (await run.eventually(async () => output.includes("is in the virtual reader"), APPEARS_MS)) return card;
  card.kill("SIGKILL");
  throw new Error(`the card was not published: ${output}`);
}

function shopAt(url: string, run: Run): Shop {
  let training = FIRST_TRAINING;
  return newShop({
    urls: [url],
    chance: run.chance,
    hangsUp: false,
    deadline: Date.now() + PATIENCE_MS,
    violation: (what) => void run.violations.push(`with the published card: ${what}`),
    unlock: async () => {
      await postPin(url);
      await sleep(UNLOCK_PAUSE_MS);
    },
    settle: async () => void (await postSale(url, ++training, "Training")),
  });
}
