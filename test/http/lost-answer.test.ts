/** A sale whose answer was lost is completed, freed or reported, and never signed twice. */
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.js";
import { LAST_SIGNED, openTamperedTill, SIGN, staleStatusWord } from "../support/tampered-till.js";
import { sale } from "../support/till.js";

it("after a lost answer an invoice that the card has signed is completed when the card is back", async () => {
  const till = await openTamperedTill();
  till.tampered.loseNextAnswer();
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

it.each(["6D00", "6E00", "6999", "6100"])(
  "after a lost answer a card that signs and then answers %s has signed once",
  async (word) => {
    const till = await openTamperedTill();
    till.tampered.once(SIGN, staleStatusWord(word));
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
    const till = await openTamperedTill({ profile: { appletVersion: "3.2.9" } });
    till.tampered.once(SIGN, staleStatusWord("6F00"));
    till.tampered.on(LAST_SIGNED, async (asked) => {
      const answer = await asked();
      const bare = form === "without one" && answer.length > 4 + 2;
      return bare ? Buffer.concat([answer.subarray(0, -6), answer.subarray(-2)]) : answer;
    });
    expect((await till.sell(sale(), { RequestId: "order-1" })).json()).toMatchObject({ totalCounter: 1 });
    expect(till.service.stored).toEqual({ complete: 1, open: 0, lost: 0 });
  },
);

it("after a lost answer two identical invoices in the same millisecond are never confused", async () => {
  const till = await openTamperedTill({ now: () => Date.UTC(2026, 0, 1) });
  await till.sell(sale(), { RequestId: "order-1" });
  till.tampered.loseNextSale();
  expect((await till.sell(sale(), { RequestId: "order-2" })).json().code).toBe("1300");
  await till.reinsert();
  expect((await till.call("GET", "/api/v3/invoices/order-2")).status).toBe(404);
  expect((await till.sell(sale(), { RequestId: "order-2" })).json()).toMatchObject({ totalCounter: 2 });
});

it("after a lost answer a restarted service finds its invoices and completes the open one", async () => {
  const settings = { dataDir: temporaryFolder() };
  const before = await openTamperedTill({ settings });
  const { card, tampered } = before;
  const first = await before.sell(sale(), { RequestId: "order-1" });
  tampered.loseNextAnswer();
  await before.sell(sale(), { RequestId: "order-2" });
  await before.stop();
  const after = await openTamperedTill({ settings, card, tampered });
  expect((await after.call("GET", "/api/v3/invoices/order-1")).text).toBe(first.text);
  expect((await after.call("GET", "/api/v3/invoices/order-2")).json()).toMatchObject({ totalCounter: 2 });
  expect((await after.call("GET", "/api/v3/status")).json()).toMatchObject({
    lastInvoiceNumber: "TESTCARD-TESTCARD-2",
  });
});
