/** A card that answers with an old refusal, although it has signed. */
import { expect, it } from "vitest";
import { LAST_SIGNED, openTamperedTill, staleStatusWord, statusWord } from "../support/tampered-till.js";
import { sale } from "../support/till.js";

const [SIGN, VERIFY_PIN, PIN_TRIES_LEFT] = [0x13, 0x11, 0x16];
const REFUSALS = ["6301", "6304", "6305", "6307", "6308", "6310", "63FF", "6700", "6A80"];
const order = { RequestId: "order-1" };

it.each(REFUSALS)("a refusal %s after the card has signed is not believed: the POS gets the receipt", async (word) => {
  const till = await openTamperedTill();
  await till.sell();
  till.tampered.once(SIGN, staleStatusWord(word));
  const answer = await till.sell(sale(), order);
  expect([answer.status, answer.json().totalCounter]).toEqual([200, 2]);
  expect((await till.sell(sale(), order)).text).toBe(answer.text);
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 3 });
  expect(await till.makerCodes()).toEqual([]);
});

it.each(REFUSALS)("a refusal %s of a card that has not signed is the reply; the sale can come again", async (word) => {
  const till = await openTamperedTill();
  await till.sell();
  till.tampered.once(SIGN, statusWord(word));
  expect((await till.sell(sale(), order)).json().code).toMatch(/^(1500|2210|2310|2809)$/);
  expect(till.service.stored).toMatchObject({ complete: 1, open: 0 });
  await till.pin();
  expect((await till.sell(sale(), order)).json()).toMatchObject({ totalCounter: 2 });
  expect(await till.makerCodes()).toEqual([]);
});

it.each(REFUSALS)("a refusal %s is believed of a card that does not know its last invoice", async (word) => {
  const till = await openTamperedTill({ profile: { lastSignedInvoice: false, pinTriesLeftCommand: false } });
  till.tampered.once(SIGN, statusWord(word));
  expect((await till.sell(sale(), order)).json().code).toMatch(/^(1500|2110|2210|2310|2809)$/);
  expect(till.service.stored).toMatchObject({ open: 0 });
});

const NAMELESS = ["6982", "6985"];

it.each(NAMELESS)("a refusal %s to sign, which no document names, gets 2210 and is in the status", async (word) => {
  const till = await openTamperedTill();
  await till.sell();
  till.tampered.on(SIGN, statusWord(word));
  for (let post = 0; post < 2; post++) {
    const refused = await till.sell(sale(), order);
    expect([refused.status, refused.json().code]).toEqual([400, "2210"]);
    expect(refused.text).toContain(word);
    expect((await till.call("GET", "/ready")).json()).toMatchObject({ ready: false, missing: ["2210"] });
  }
  till.tampered.asItIs();
  expect((await till.sell(sale(), order)).json()).toMatchObject({ totalCounter: 2 });
  expect((await till.call("GET", "/ready")).json()).toMatchObject({ ready: true });
  till.tampered.once(SIGN, staleStatusWord(word));
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 3 });
  expect(await till.makerCodes()).toEqual([]);
});

it.each(NAMELESS)("a refusal %s to sign is believed without a last invoice only if the sum shows it", async (word) => {
  const till = await openTamperedTill({ profile: { lastSignedInvoice: false } });
  till.tampered.once(SIGN, statusWord(word));
  const first = await till.sell(sale(), order);
  expect([first.json().code, till.service.stored.open]).toEqual(["2220", 1]);
  expect((await till.sell(sale({ invoiceType: "Training" }))).json()).toMatchObject({ totalCounter: 1 });
  for (const totalCounter of [2, 3]) expect((await till.sell()).json()).toMatchObject({ totalCounter });
  till.tampered.once(SIGN, statusWord(word));
  const known = await till.sell();
  expect([known.status, known.json().code, till.service.stored.open]).toEqual([400, "2210", 0]);
  till.tampered.once(SIGN, statusWord(word));
  expect((await till.sell(sale({ invoiceType: "Training" }))).json()).toMatchObject({ code: "2220" });
  expect(till.service.stored.open).toBe(1);
});

it("a refusal stays in doubt while the card does not say what it signed last", async () => {
  const till = await openTamperedTill();
  await till.sell();
  till.tampered.once(SIGN, staleStatusWord("6305"));
  till.tampered.on(LAST_SIGNED, statusWord("6F00"));
  const inDoubt = (await till.sell(sale(), order)).json();
  expect(inDoubt).toMatchObject({ code: "2220", details: expect.stringContaining("We do not know yet") });
  expect(till.service.stored).toMatchObject({ complete: 1, open: 1 });
  till.tampered.asItIs();
  await till.pin();
  expect((await till.sell(sale(), order)).json()).toMatchObject({ totalCounter: 2 });
  expect(till.cardState().totalCounter).toBe(2);
});

it("a PIN session that the card has ended asks for the PIN, and the sale is then signed once", async () => {
  const till = await openTamperedTill();
  await till.sell();
  till.card.reset();
  await till.card.transmit(Buffer.from("00A4040010A000000748464A492D546178436F7265", "hex"));
  const refused = await till.sell(sale(), order);
  expect([refused.status, refused.json().code]).toEqual([401, "1500"]);
  await till.pin();
  expect((await till.sell(sale(), order)).json()).toMatchObject({ totalCounter: 2 });
  expect(till.service.stored).toMatchObject({ complete: 2, open: 0 });
});

it("an old 6310 as the answer to the PIN does not lock the till while attempts are left", async () => {
  const till = await openTamperedTill({ pinVerified: false });
  till.tampered.once(VERIFY_PIN, staleStatusWord("6310"));
  expect((await till.pin()).text).toContain("2220");
  expect((await till.pin()).text).toContain("0100");
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 1 });
});

it("an old 6310 of a card that does not report its attempts locks the till until it is reinserted", async () => {
  const till = await openTamperedTill({ profile: { pinTriesLeftCommand: false } });
  await till.sell();
  till.tampered.once(SIGN, statusWord("6310"));
  expect((await till.sell()).json().code).toBe("2110");
  expect((await till.pin()).text).toContain("2110");
  await till.reinsert();
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 2 });
});

it("an old 6310 is settled even if the question for the attempts breaks off", async () => {
  const till = await openTamperedTill();
  await till.sell();
  till.tampered.once(SIGN, staleStatusWord("6310"));
  till.tampered.once(PIN_TRIES_LEFT, () => Promise.reject(new Error("the reader has had no answer")));
  await till.sell(sale(), order);
  await till.pin();
  expect((await till.sell(sale(), order)).json()).toMatchObject({ totalCounter: 2 });
  expect(till.cardState().totalCounter).toBe(2);
});
