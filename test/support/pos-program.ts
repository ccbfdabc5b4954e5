/**
 * The POS of pos.ts as a program, as the tests of a POS run it: `node pos-program.js ACT [MISTAKE OR HABIT]`. It finds
 * the emulator in its environment.
 */
import { type Fields, type Habit, type Mistake, Pos } from "./pos.js";

const { TILLSEAL_URL = "", TILLSEAL_CONTROL_URL = "" } = process.env;
const [, , act = "", mistake] = process.argv;
const newPos = () => new Pos(TILLSEAL_URL, mistake as Mistake | Habit | undefined);
const pos = newPos();
const BUYER: Fields = { buyerId: "10:100000002" };

async function control(method: string, path: string, body: object): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  await fetch(`${TILLSEAL_CONTROL_URL}/control${path}`, { method, headers, body: JSON.stringify(body) });
}

const ACTS: Readonly<Record<string, () => Promise<unknown>>> = {
  nothing: async () => undefined,
  twice: async () => {
    await pos.sell();
    await pos.sell(BUYER);
  },
  "two cash desks": () => Promise.all([pos.sell(), newPos().sell(BUYER)]),
  "over midnight": async () => {
    await pos.sell();
    await control("POST", "/do", { clock: { advance: "1m" } });
    await pos.sell();
  },
  "refund and copy": async () => {
    const sale = await pos.sell();
    if (!sale) return;
    await pos.about(sale, { transactionType: "Refund" });
    await pos.about(sale, { invoiceType: "Copy" });
  },
  "sale and advance": async () => {
    await pos.sell();
    await pos.advance("2026-01-01T12:00:00Z");
  },
  /** Its situations are those of the guide. It has a repeat after 2220, an article that two customers buy, and labels that are read again. */
  day: async () => {
    await pos.start();
    const sale = await pos.sell(BUYER);
    if (sale) await pos.about(sale, { transactionType: "Refund" });
    await pos.advance("2026-01-01T00:00:00Z");
    for (const id of ["lose-answer", "refuse-sale", "card-fails", "change-labels"]) {
      await control("POST", "/rehearsal/situation", { id });
      await pos.sell({ cashier: `Ana, after ${id}` });
      const same = { cashier: `Ana, later after ${id}` };
      if (await pos.sell(same)) await pos.sell(same);
    }
  },
  "day of two cash desks": async () => {
    const desks = [pos, newPos()];
    for (const desk of desks) await desk.start();
    for (const id of ["lose-answer", "refuse-sale", "card-fails"]) {
      await control("POST", "/rehearsal/situation", { id });
      await Promise.all(desks.map((desk) => desk.sell()));
    }
  },
};

await ACTS[act]?.();
