/** Cards that answer in pieces (ISO 7816-4, 61xx), and cards that are removed in the middle of an answer. */
import { expect, it } from "vitest";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { World } from "../../emulator/world/world.js";
import { type CardChannel, CardError } from "../../src/secure-element/card-reader.js";
import { makeCard } from "../support/emulated-card.js";
import { openTamperedTill } from "../support/tampered-till.js";
import { callService, JSON_HEADERS, openTill, sale } from "../support/till.js";

const [SIGN, GET_RESPONSE] = [0x13, 0xc0];

/** A reader whose card gives its signatures in two pieces; `piece` can suppress the second piece once. */
class PiecesReader extends EmulatedReader {
  private broken = false;

  constructor(private readonly piece: (reader: EmulatedReader) => Uint8Array) {
    super();
  }

  override async connect(): Promise<CardChannel> {
    const channel = await super.connect();
    let rest: Uint8Array = new Uint8Array();
    const transmit = async (command: Uint8Array): Promise<Uint8Array> => {
      if (command[1] === SIGN) {
        rest = await channel.transmit(command);
        return Uint8Array.of(0x61, 0x00);
      }
      if (command[1] !== GET_RESPONSE) return channel.transmit(command);
      if (this.broken) return rest;
      this.broken = true;
      return this.piece(this);
    };
    return { transmit, close: () => channel.close() };
  }
}

it.each([
  [
    "because another program resets the card",
    (reader: EmulatedReader) => {
      reader.reset();
      throw new CardError("reset", "reset by another program", { sent: false });
    },
  ],
  [
    "because the connection broke before it was asked for",
    (reader: EmulatedReader) => {
      reader.reset();
      throw new CardError("no-answer", "the connection is closed", { sent: false });
    },
  ],
  ["because another program has selected another applet", () => Uint8Array.of(0x6e, 0x00)],
])("a signature whose second piece does not arrive %s is neither lost nor signed twice", async (_, piece) => {
  const card = makeCard();
  const reader = new PiecesReader(piece);
  reader.insert(card);
  const till = await openTill({ card, driver: reader });
  await till.sell(sale(), { RequestId: "one" });
  expect(card.memory.load().totalCounter).toBe(1);
  await till.pin();
  const again = await till.sell(sale(), { RequestId: "one" });
  expect(again.json()).toMatchObject({ totalCounter: 1 });
  expect(card.memory.load().totalCounter).toBe(1);
  expect(till.service.stored).toMatchObject({ complete: 1, open: 0, lost: 0 });
});

it("a signature that is lost after a wrong length (6Cxx) is neither lost for the sale nor signed twice", async () => {
  const till = await openTamperedTill();
  const { tampered } = till;
  tampered.once(SIGN, async (answer) => {
    await answer();
    tampered.once(SIGN, async () => {
      tampered.reader.reset();
      throw new CardError("reset", "reset by another program", { sent: false });
    });
    // The card asks for the command again with another length.
    return Uint8Array.of(0x6c, 0x41);
  });
  await till.sell(sale(), { RequestId: "one" });
  await till.pin();
  expect((await till.sell(sale(), { RequestId: "one" })).json()).toMatchObject({ totalCounter: 1 });
  expect(till.cardState().totalCounter).toBe(1);
});

it.each(["remove", "reset"] as const)(
  "an emulated card that is pulled out during a slow answer %s: does not execute what was under way",
  async (how) => {
    const world = await World.open(
      { faults: [{ on: "sign", nth: 1, kind: "latency", duration: "300ms" }] },
      { realTime: true },
    );
    const call = (path: string, body: unknown, headers = {}) =>
      callService(world.url, "POST", path, { headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) });
    await call("/api/v3/pin", "1234");
    const first = call("/api/v3/invoices", sale(), { RequestId: "one" });
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (how === "remove") {
      world.reader.remove();
      await world.insert();
    } else {
      world.reader.reset();
    }
    expect((await first).status).not.toBe(200);
    await call("/api/v3/pin", "1234");
    await new Promise((resolve) => setTimeout(resolve, 400));
    // Nothing was counted without an invoice.
    expect(world.card?.memory.load().totalCounter).toBe(0);
    const again = await call("/api/v3/invoices", sale(), { RequestId: "one" });
    expect(again.json()).toMatchObject({ totalCounter: 1 });
    expect(world.service.stored).toMatchObject({ complete: 1, open: 0, lost: 0 });
    await world.close();
  },
);
