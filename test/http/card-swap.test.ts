/** Another card is inserted while calls wait for the first: no call is answered with the wrong card. */
import { expect, it, vi } from "vitest";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { makeCard } from "../support/emulated-card.js";
import { openTill, sale } from "../support/till.js";

const A = { uid: "AAAAAAAA" };
const LAST_SIGNED = 0x15;

/** A till whose card can hold up every caller. @param other profile of the second card, besides its UID */
async function swappableTill(other: Record<string, unknown> = {}) {
  let wait: Promise<void> | undefined;
  /** Instruction that waits; undefined: every instruction. */
  let waitingFor: number | undefined;
  const second = makeCard({ uid: "BBBBBBBB", ...other });
  const reader: EmulatedReader = new EmulatedReader({
    connect: (run) => run(),
    exchange: async (command, run) => {
      if (command[1] === waitingFor || waitingFor === undefined) await wait;
      // The second card has signed nothing, and answers that without a PIN.
      return command[1] === 0x15 && reader.card === second ? Buffer.from("6A88", "hex") : run();
    },
  });
  const first = makeCard(A);
  reader.insert(first);
  const till = await openTill({ card: first, reader });
  const { secureElement } = till.service;
  /** Starts calls on the first card, then inserts the second one. @param verb call that waits last */
  const swapBehind = async <T>(verb: "verifyPin" | "sign" | "lastSigned", calls: () => Promise<T>): Promise<T> => {
    const asked = vi.spyOn(secureElement, verb);
    waitingFor = verb === "lastSigned" ? LAST_SIGNED : undefined;
    let endWait = () => {};
    wait = new Promise<void>((resolve) => {
      endWait = resolve;
    });
    const status = till.call("GET", "/api/v3/status");
    const waiting = calls();
    await expect.poll(() => asked.mock.calls.length).toBeGreaterThan(0);
    reader.insert(second);
    wait = undefined;
    endWait();
    await status;
    return waiting;
  };
  return { till, reader, first, second, swapBehind };
}

it("a card that is inserted while calls wait for another does not get the other card's PIN", async () => {
  const { till, second, swapBehind } = await swappableTill({ pin: "4321", pinTries: 2 });
  expect((await swapBehind("verifyPin", () => till.pin())).text).toBe("1300");
  expect(second.memory.load().pinTriesLeft).toBe(2);
});

it("a card that is inserted while calls wait for another signs nothing for the other card", async () => {
  const { till, second, swapBehind } = await swappableTill();
  const [, , sold] = await swapBehind("sign", () => Promise.all([till.pin(), till.pin(), till.sell()]));
  expect(sold.json()).toMatchObject({ code: "1300" });
  expect(second.memory.load().totalCounter).toBe(0);
  await till.pin();
  expect((await till.sell()).json()).toMatchObject({ signedBy: "BBBBBBBB", totalCounter: 1 });
});

it("a card that is inserted while calls wait for another is not asked whether the other card has signed", async () => {
  const { till, reader, first, swapBehind } = await swappableTill();
  const { memory } = first;
  const save = memory.save.bind(memory);
  memory.save = (state) => {
    save(state);
    memory.save = save;
    reader.remove();
  };
  expect((await till.sell(sale(), { RequestId: "order-1" })).json().code).toBe("1300");
  reader.insert(first);
  const find = () => till.call("GET", "/api/v3/invoices/order-1");
  await swapBehind("lastSigned", () => till.pin());
  const answer = await find();
  // Still in doubt: 404 would invite the POS to sell it again.
  expect(answer.json().code).toBe("2220");
  expect(till.service.stored).toMatchObject({ open: 1 });
  reader.insert(first);
  await till.pin();
  expect((await find()).json()).toMatchObject({ invoiceNumber: "AAAAAAAA-AAAAAAAA-1" });
  expect(first.memory.load().totalCounter).toBe(1);
});
