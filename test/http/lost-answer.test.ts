/** A sale whose answer was lost is completed, freed or reported, and never signed twice. */
import { expect, it } from "vitest";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { openTill, sale, type Till } from "../support/till.js";

/** Pulls the card out after it has counted and before its answer arrives. */
function loseNextAnswer(till: Till): void {
  const { memory } = till.card;
  const save = memory.save.bind(memory);
  memory.save = (state) => {
    save(state);
    memory.save = save;
    till.reader.remove();
  };
}

/** Pulls the card out before it counts. */
function loseNextSale(till: Till): void {
  const { memory } = till.card;
  const load = memory.load.bind(memory);
  memory.load = () => {
    memory.load = load;
    till.reader.remove();
    throw new Error("no power");
  };
}

it("after a lost answer an invoice that the card has signed is completed when the card is back", async () => {
  const till = await openTill();
  loseNextAnswer(till);
  const lost = await till.sell(sale(), { RequestId: "order-1" });
  expect(lost.json().code).toBe("1300");
  expect(till.cardState().totalCounter).toBe(1);
  till.reader.insert(till.card);
  expect((await till.call("GET", "/api/v3/invoices/order-1")).json().code).toBe("2220");
  const last = () => till.call("GET", "/api/v3/invoices");
  expect([(await last()).status, (await last()).json().code]).toEqual([503, "2220"]);
  await till.pin();
  const stored = await till.call("GET", "/api/v3/invoices/order-1");
  expect((await last()).text).toBe(stored.text);
  expect(stored.json()).toMatchObject({ totalCounter: 1, invoiceNumber: "TESTCARD-TESTCARD-1" });
  const repeated = await till.sell(sale(), { RequestId: "order-1" });
  expect(repeated.headers["idempotent-replayed"]).toBe("true");
  expect(repeated.text).toBe(stored.text);
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 2 });
});

it("after a lost answer an invoice that the card has not signed can be sent again under its RequestId", async () => {
  const till = await openTill();
  loseNextSale(till);
  expect((await till.sell(sale(), { RequestId: "order-1" })).json().code).toBe("1300");
  till.reader.insert(till.card);
  await till.pin();
  const answer = await till.sell(sale(), { RequestId: "order-1" });
  expect(answer.json()).toMatchObject({ totalCounter: 1 });
  expect(answer.headers["idempotent-replayed"]).toBeUndefined();
});

it.each(["6D00", "6E00", "6999", "6100"])(
  "after a lost answer a card that signs and then answers %s has signed once",
  async (word) => {
    let lies = true;
    const reader = new EmulatedReader({
      connect: (run) => run(),
      exchange: async (command, run) => {
        const answer = await run();
        if (command[1] !== 0x13 || !lies) return answer;
        lies = false;
        return Buffer.from(word, "hex");
      },
    });
    const card = makeCard();
    reader.insert(card);
    const till = await openTill({ card, reader });
    await till.sell(sale(), { RequestId: "order-1" });
    await till.pin();
    expect((await till.sell(sale(), { RequestId: "order-1" })).json()).toMatchObject({ totalCounter: 1 });
    expect(till.cardState().totalCounter).toBe(1);
    expect((await till.sell()).json()).toMatchObject({ totalCounter: 2 });
  },
);

it.each(["with its CRC", "without one"])(
  "after a lost answer an applet that signs with a CRC returns its last invoice %s",
  async (form) => {
    let lost = false;
    const reader = new EmulatedReader({
      connect: (run) => run(),
      exchange: async (command, run) => {
        const answer = await run();
        if (command[1] === 0x13 && !lost) {
          lost = true;
          return Buffer.from("6F00", "hex");
        }
        const bare = command[1] === 0x15 && form === "without one" && answer.length > 4 + 2;
        return bare ? Buffer.concat([answer.subarray(0, -6), answer.subarray(-2)]) : answer;
      },
    });
    const card = makeCard({ appletVersion: "3.2.9" });
    reader.insert(card);
    const till = await openTill({ card, reader });
    expect((await till.sell(sale(), { RequestId: "order-1" })).json()).toMatchObject({ totalCounter: 1 });
    expect(till.service.stored).toEqual({ complete: 1, open: 0, lost: 0 });
  },
);

it("after a lost answer two identical invoices in the same millisecond are never confused", async () => {
  const till = await openTill({ now: () => Date.UTC(2026, 0, 1) });
  await till.sell(sale(), { RequestId: "order-1" });
  loseNextSale(till);
  expect((await till.sell(sale(), { RequestId: "order-2" })).json().code).toBe("1300");
  till.reader.insert(till.card);
  await till.pin();
  expect((await till.call("GET", "/api/v3/invoices/order-2")).status).toBe(404);
  expect((await till.sell(sale(), { RequestId: "order-2" })).json()).toMatchObject({ totalCounter: 2 });
});

it("after a lost answer a card without the last invoice command is settled by its next counter: signed and lost, with a warning", async () => {
  const till = await openTill({ profile: { lastSignedInvoice: false } });
  await till.sell();
  loseNextAnswer(till);
  await till.sell(sale(), { RequestId: "order-1" });
  till.reader.insert(till.card);
  await till.pin();
  expect((await till.sell(sale(), { RequestId: "order-1" })).json().code).toBe("2220");
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 3 });
  expect((await till.sell(sale(), { RequestId: "order-1" })).json().code).toBe("2220");
  expect((await till.call("GET", "/api/v3/status")).json()).toMatchObject({
    mssc: ["9001", "9002"],
    gsc: ["0100", "1999"],
  });
});

it("after a lost answer a card without the last invoice command is settled by its next counter: never signed, free to be sent again", async () => {
  const till = await openTill({ profile: { lastSignedInvoice: false } });
  await till.sell();
  loseNextSale(till);
  await till.sell(sale(), { RequestId: "order-1" });
  till.reader.insert(till.card);
  await till.pin();
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 2 });
  expect((await till.sell(sale(), { RequestId: "order-1" })).json()).toMatchObject({ totalCounter: 3 });
  expect((await till.call("GET", "/api/v3/status")).json()).toMatchObject({ mssc: ["9002"] });
});

it("after a lost answer a restarted service finds its invoices and completes the open one", async () => {
  const dataDir = temporaryFolder();
  const card = makeCard();
  const reader = new EmulatedReader();
  reader.insert(card);
  const before = await openTill({ settings: { dataDir }, card, reader });
  const first = await before.sell(sale(), { RequestId: "order-1" });
  loseNextAnswer(before);
  await before.sell(sale(), { RequestId: "order-2" });
  await before.stop();
  reader.insert(card);
  const after = await openTill({ settings: { dataDir }, card, reader });
  expect((await after.call("GET", "/api/v3/invoices/order-1")).text).toBe(first.text);
  expect((await after.call("GET", "/api/v3/invoices/order-2")).json()).toMatchObject({ totalCounter: 2 });
  expect((await after.call("GET", "/api/v3/status")).json()).toMatchObject({
    lastInvoiceNumber: "TESTCARD-TESTCARD-2",
  });
});
