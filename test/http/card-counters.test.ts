/** Counters that do not follow the store: second cards with the same UID, cards that forgot, and given counters. */
import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { expect, it } from "vitest";
import { initialState } from "../../emulator/card/card-state.js";
import type { EmulatedCard } from "../../emulator/card/emulated-card.js";
import { STORE_FILE } from "../../src/ledger/database.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { openControlled } from "../support/control.js";
import { makeCard, makeCardWithOwnKey } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { reportsIn, verdictOn } from "../support/store-file.js";
import { openTamperedTill } from "../support/tampered-till.js";
import { openTill, sale } from "../support/till.js";

const VERIFIED = { pinVerified: true };

it("an emulated card with given counters has a store that begins there, with or without the last invoice command", async () => {
  for (const lastSignedInvoice of [true, false]) {
    const { sell, pin, status, control } = await openControlled({
      card: { counters: { total: 57, NS: 40 }, lastSignedInvoice },
    });
    await pin();
    expect(await sell()).toMatchObject({ totalCounter: 58 });
    await control("POST", "/service/restart", {});
    await pin();
    expect(await sell()).toMatchObject({ totalCounter: 59 });
    expect(await status()).toMatchObject({ mssc: ["9002"] });
  }
});

it.each([true, false])(
  "an emulated card with given counters continues from counters that are set while it runs (INS 15: %s)",
  async (tells) => {
    const { control, sell, pin, status } = await openControlled({ card: { ...VERIFIED, lastSignedInvoice: tells } });
    await sell();
    await control("PATCH", "/card", { counters: { total: 41, NS: 6 } });
    expect(await sell()).toMatchObject({ totalCounter: 42, transactionTypeCounter: 7 });
    await control("PATCH", "/card", { counters: { total: 50 } });
    // The same holds when nothing is sold before the restart.
    await control("POST", "/service/restart", {});
    await pin();
    expect(await status()).toMatchObject({ mssc: ["9002"] });
    expect(await sell()).toMatchObject({ totalCounter: 51 });
    expect(await status()).toMatchObject({ mssc: ["9002"] });
  },
);

it("an emulated card with given counters looks to a new program like a card that has signed elsewhere", async () => {
  const dataDir = temporaryFolder();
  const till = await openTamperedTill({ settings: { dataDir }, profile: { counters: { total: 57, NS: 40 } } });
  expect(await till.makerCodes()).toEqual(["9004"]);
  await till.stop();
  expect(await reportsIn(dataDir)).toMatchObject([{ kind: "behind", from: 1, to: 57 }]);
});

it("a card is no second card if one bit of its stored certificate has flipped", async () => {
  const dataDir = temporaryFolder();
  const card = makeCard();
  const before = await openTill({ settings: { dataDir }, card });
  await before.sell();
  await before.stop();
  const db = openDatabase(join(dataDir, STORE_FILE));
  const certificate = db.prepare<[], Buffer>("SELECT certificate FROM cards").pluck().get() ?? Buffer.alloc(0);
  const { n = "" } = new X509Certificate(certificate).publicKey.export({ format: "jwk" });
  const at = certificate.indexOf(Buffer.from(n, "base64url")) + 100;
  certificate.writeUInt8(certificate.readUInt8(at) ^ 1, at);
  db.prepare("UPDATE cards SET certificate = ?").run(certificate);
  db.close();
  const after = await openTill({ settings: { dataDir }, card });
  expect((await after.sell()).json()).toMatchObject({ totalCounter: 2 });
  await after.stop();
  expect(await reportsIn(dataDir)).toEqual([]);
});

const counters = { total: 1, NS: 1 };

it.each([
  ["that has signed as often", 3, { counters: { total: 3, NS: 3 } }],
  ["that has signed more often", 7, { counters: { total: 7, NS: 7 } }],
  ["that has signed less often", 1, { counters }],
  ["that has signed nothing", 0, {}],
  ["that cannot repeat its last invoice", null, { counters, lastSignedInvoice: false }],
])(
  "a second card with the same UID %s is reported once, and once more when the first one returns",
  async (_, to, profile) => {
    const dataDir = temporaryFolder();
    const till = await openTamperedTill({ settings: { dataDir } });
    for (let i = 0; i < 3; i++) await till.sell();
    const second = makeCardWithOwnKey(profile);
    const insert = async (card: EmulatedCard) => {
      till.tampered.reader.insert(card);
      await till.pin();
    };
    await insert(second);
    expect(await till.makerCodes()).toEqual(["9010"]);
    expect((await till.sell()).status).toBe(200);
    await insert(second);
    await insert(till.card);
    expect((await till.sell()).json()).toMatchObject({ totalCounter: 4 });
    await till.stop();
    const swaps = (await reportsIn(dataDir)).filter(({ kind }) => kind === "swapped");
    expect(swaps).toMatchObject([{ from: 3, to }, { to: 3 }]);
    // Each signature is still proven by the certificate of its own card.
    expect(verdictOn(dataDir).findings).toEqual([]);
  },
);

it("a second card with the same UID with the same key counts as the same card: its certificate was renewed", async () => {
  const till = await openTamperedTill();
  await till.sell();
  const { profile } = till.card;
  const renewed = makeCard({ taxpayer: { ...profile.taxpayer, businessName: "RENEWED" } });
  await renewed.alter(() => till.cardState());
  till.tampered.reader.insert(renewed);
  await till.pin();
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 2, businessName: "RENEWED" });
  expect(await till.makerCodes()).toEqual([]);
});

it.each(["a second card with the same UID", "a card that forgot"])(
  "a counter that went back of %s is reported, and a number shared by two receipts resolves to neither",
  async (what) => {
    const dataDir = temporaryFolder();
    const till = await openTamperedTill({ settings: { dataDir } });
    for (let i = 0; i < 3; i++) await till.sell(sale({ cashier: `first ${i}` }), { RequestId: `first-${i}` });
    const { card, tampered } = till;
    if (what === "a card that forgot") await card.alter(() => initialState(card.profile));
    tampered.reader.insert(what === "a card that forgot" ? card : makeCard({}, "second"));
    await till.pin();
    expect(await till.makerCodes()).toEqual(["9005"]);
    const second = await till.sell(sale({ cashier: "second" }), { RequestId: "second" });
    expect(second.json()).toMatchObject({ invoiceNumber: "TESTCARD-TESTCARD-1" });
    // Each RequestId keeps its own receipt.
    for (const [id, cashier] of [
      ["first-0", "first 0"],
      ["second", "second"],
    ]) {
      const stored = (await till.call("GET", `/api/v3/invoices/${id}`)).json();
      expect(stored).toMatchObject({
        invoiceNumber: "TESTCARD-TESTCARD-1",
        journal: expect.stringContaining(cashier ?? ""),
      });
    }
    const refundOf = (n: number) =>
      till.sell(sale({ transactionType: "Refund", referentDocumentNumber: `TESTCARD-TESTCARD-${n}` }));
    // The first refund is the second card's invoice 2.
    const [unique, ambiguous, again] = [await refundOf(3), await refundOf(1), await refundOf(2)];
    expect([unique, ambiguous, again].map(({ headers }) => headers.warning ?? "")).toEqual([
      "",
      expect.stringContaining("today's rates"),
      expect.stringContaining("today's rates"),
    ]);
    await till.stop();
    expect(await reportsIn(dataDir)).toMatchObject([{ kind: "back", from: 3, to: 0 }]);
  },
);

it("a counter that went back in the middle of a session is reported with the sale that reveals it", async () => {
  const till = await openTamperedTill();
  for (let i = 0; i < 3; i++) await till.sell();
  await till.card.alter((state) => ({ ...state, totalCounter: 1 }));
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 2 });
  expect(await till.makerCodes()).toEqual(["9005"]);
});
