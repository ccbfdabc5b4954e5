/** Counters that do not follow the store, second cards with the same UID, and cards that are swapped. */
import { X509Certificate } from "node:crypto";
import { expect, it, vi } from "vitest";
import { initialState } from "../../emulator/card/card-state.js";
import type { EmulatedCard } from "../../emulator/card/emulated-card.js";
import type { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { openControlled } from "../support/control.js";
import { makeCard, makeCardWithOwnKey, readerWith } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { reportsIn, verdictOn } from "../support/store-file.js";
import { LAST_SIGNED, openTamperedTill, statusWord } from "../support/tampered-till.js";
import { openTill, sale, soldStore } from "../support/till.js";

const VERIFIED = { pinVerified: true };

it("an emulated card with given counters has a store that begins there, with or without the last invoice command", async () => {
  for (const lastSignedInvoice of [true, false]) {
    const { sell, pin, status, control } = await openControlled({
      card: { counters: { total: 57, NS: 40 }, lastSignedInvoice },
    });
    await pin();
    expect(await sell()).toMatchObject({ totalCounter: 58 });
    await control("POST", "/do", { service: "restart" });
    await pin();
    expect(await sell()).toMatchObject({ totalCounter: 59 });
    expect(await status()).toMatchObject({ mssc: ["9002"] });
  }
});

it.each([true, false])(
  "an emulated card with given counters continues from set ones, and keeps the others (INS 15: %s)",
  async (lastSignedInvoice) => {
    const card = { ...VERIFIED, lastSignedInvoice, counters: { total: 3, CS: 3 } };
    const { control, sell, pin, status } = await openControlled({ card });
    await sell();
    await control("POST", "/do", { card: { patch: { counters: { total: 41, NS: 6 } } } });
    expect(await sell()).toMatchObject({ totalCounter: 42, transactionTypeCounter: 7 });
    expect((await control("GET", "/card")).json()).toMatchObject({ counters: { total: 42, NS: 7, CS: 3 } });
    await control("POST", "/do", { card: { patch: { counters: { total: 50 } } } });
    // The same holds when nothing is sold before the restart.
    await control("POST", "/do", { service: "restart" });
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
  expect(reportsIn(dataDir)).toMatchObject([{ kind: "behind", from: 1, to: 57 }]);
});

it("a card is no second card if one bit of its stored certificate has flipped", async () => {
  const { dataDir, file, card } = await soldStore(1);
  const db = openDatabase(file);
  const certificate = db.prepare<[], Buffer>("SELECT certificate FROM cards").pluck().get() ?? Buffer.alloc(0);
  const { n = "" } = new X509Certificate(certificate).publicKey.export({ format: "jwk" });
  const at = certificate.indexOf(Buffer.from(n, "base64url")) + 100;
  certificate.writeUInt8(certificate.readUInt8(at) ^ 1, at);
  db.prepare("UPDATE cards SET certificate = ?").run(certificate);
  db.close();
  const after = await openTill({ settings: { dataDir }, card });
  expect((await after.sell()).json()).toMatchObject({ totalCounter: 2 });
  await after.stop();
  expect(reportsIn(dataDir)).toEqual([]);
});

const counters = { total: 1, NS: 1 };

it.each([
  ["that has signed as often", 3, { counters: { total: 3, NS: 3 } }],
  ["that has signed more often", 7, { counters: { total: 7, NS: 7 } }],
  ["that has signed less often", 1, { counters }],
  ["that has signed nothing", 0, {}],
  ["that cannot repeat its last invoice", null, { counters, lastSignedInvoice: false }],
  ["that answers nonsense at first", null, { counters: { total: 7, NS: 7 } }],
])(
  "a second card with the same UID %s is reported once, and again when the first returns",
  async (what, to, profile) => {
    const dataDir = temporaryFolder();
    const till = await openTamperedTill({ settings: { dataDir } });
    for (let i = 0; i < 3; i++) await till.sell();
    const second = makeCardWithOwnKey(profile);
    const insert = async (card: EmulatedCard) => {
      till.tampered.reader.insert(card);
      await till.pin();
    };
    if (what === "that answers nonsense at first") till.tampered.on(LAST_SIGNED, statusWord("6F00"));
    await insert(second);
    expect(await till.makerCodes()).toEqual(["9010"]);
    till.tampered.asItIs();
    expect((await till.sell()).status).toBe(200);
    await insert(second);
    await insert(till.card);
    expect((await till.sell()).json()).toMatchObject({ totalCounter: 4 });
    await till.stop();
    const swaps = reportsIn(dataDir).filter(({ kind }) => kind === "swapped");
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
    expect(reportsIn(dataDir)).toMatchObject([{ kind: "back", from: 3, to: 0 }]);
  },
);

it("a counter that went back in the middle of a session is reported with the sale that reveals it", async () => {
  const till = await openTamperedTill();
  for (let i = 0; i < 3; i++) await till.sell();
  await till.card.alter((state) => ({ ...state, totalCounter: 1 }));
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 2 });
  expect(await till.makerCodes()).toEqual(["9005"]);
});

const A = { uid: "AAAAAAAA" };

/** A till whose card can hold up every caller. @param other profile of the second card, besides its UID */
async function swappableTill(other: Record<string, unknown> = {}) {
  let wait: Promise<void> | undefined;
  /** Instruction that waits; undefined: every instruction. */
  let waitingFor: number | undefined;
  const second = makeCard({ uid: "BBBBBBBB", ...other });
  const reader: EmulatedReader = readerWith(async (command, run) => {
    if (command[1] === waitingFor || waitingFor === undefined) await wait;
    // The second card has signed nothing, and answers that without a PIN.
    return command[1] === 0x15 && reader.card === second ? Buffer.from("6A88", "hex") : run();
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

it("a shop with a new card refunds and copies receipts of the old card, and starts new counters", async () => {
  const till = await openTill();
  const { tin, invoiceNumber: referentDocumentNumber } = (await till.sell()).json();
  till.reader.insert(makeCard({ uid: "NEWCARD1" }));
  await till.pin();
  const answers = [
    await till.sell(),
    await till.sell(sale({ referentDocumentNumber, transactionType: "Refund" })),
    await till.sell(sale({ referentDocumentNumber, invoiceType: "Copy" })),
  ];
  // The rates are those of the original, signed by the old card.
  expect(answers.map(({ headers }) => headers.warning)).toEqual([undefined, undefined, undefined]);
  expect(answers.map((answer) => answer.json())).toMatchObject([
    { tin, invoiceNumber: "NEWCARD1-NEWCARD1-1", invoiceCounter: "1/1NS" },
    { tin, invoiceNumber: "NEWCARD1-NEWCARD1-2", invoiceCounter: "1/2NR", taxGroupRevision: 1 },
    { tin, invoiceNumber: "NEWCARD1-NEWCARD1-3", invoiceCounter: "1/3CS", taxGroupRevision: 1 },
  ]);
  expect((await till.call("GET", "/api/v3/status")).json()).toMatchObject({
    lastInvoiceNumber: "NEWCARD1-NEWCARD1-3",
    mssc: ["9002"],
  });
});
