/** The control interface changes the emulated card and its faults, and a POS sees the effects. */
import { expect, it } from "vitest";
import { openControlled } from "../support/control.js";

const OTHER_CARDS = { other: { uid: "OTHERONE", taxpayer: { tin: "RS2" } } };
const VERIFIED = { pinVerified: true };

it("the card is shown with counters, sum and PIN state, amounts as decimal text", async () => {
  const { control, sell } = await openControlled({ card: { ...VERIFIED, limit: "5000.5" }, otherCards: OTHER_CARDS });
  await sell();
  expect((await control("GET", "/card")).json()).toMatchObject({
    reader: "plugged",
    inserted: true,
    name: "main",
    uid: "TESTCARD",
    pin: "verified",
    pinTriesLeft: 5,
    taxpayer: { tin: "100000001" },
    counters: { total: 1, NS: 1, NR: 0 },
    sum: "100",
    limit: "5000.5",
    disabled: false,
    appletVersion: "3.1.1",
    cards: ["main", "other"],
  });
});

it("the card without attempts left is locked for PIN, sale and status, and works again with some", async () => {
  const { control, pin, saleCode, status } = await openControlled();
  expect((await control("POST", "/do", { card: { patch: { pinTriesLeft: 0 } } })).json()).toMatchObject({
    pin: "locked",
  });
  expect((await status()).gsc).toContain("2110");
  expect(await pin()).toBe("2110");
  expect(await saleCode()).toBe("2110");
  expect((await control("POST", "/do", { card: { patch: { pinTriesLeft: 2 } } })).json()).toMatchObject({
    pin: "required",
  });
  expect(await pin("0000")).toBe("2100");
  expect((await control("GET", "/card")).json()).toMatchObject({ pinTriesLeft: 1 });
  expect(await pin()).toBe("0100");
});

it("the card can be locked outside the reader, which shows once it is inserted", async () => {
  const { control, status } = await openControlled();
  await control("POST", "/do", { card: "remove" });
  await control("POST", "/do", { card: { patch: { locked: true } } });
  expect((await status()).gsc).toContain("1300");
  await control("POST", "/do", { card: "insert" });
  expect((await status()).gsc).toContain("2110");
});

it.each([
  [{ disabled: true }, { disabled: false }],
  [{ sum: "10000000" }, { sum: "0" }],
  [{ limit: "0" }, { limit: "5000" }],
])("the card with %j refuses the sale with 2210, and signs with %j", async (refusing, selling) => {
  const { control, saleCode } = await openControlled();
  await control("POST", "/do", { card: { patch: refusing } });
  expect(await saleCode()).toBe("2210");
  await control("POST", "/do", { card: { patch: selling } });
  expect(await saleCode()).toBe("");
});

it("the card never counts back to a number that the store has", async () => {
  const { control, sell } = await openControlled({ card: { ...VERIFIED, counters: { total: 3 } } });
  await sell();
  const back = await control("POST", "/do", { card: { patch: { counters: { total: 3 } } } });
  expect([back.status, back.json().message]).toEqual([400, expect.stringContaining("invoices up to 4")]);
  expect((await control("POST", "/do", { card: { patch: { counters: { total: 4 } } } })).status).toBe(200);
  await control("POST", "/reset");
  expect((await control("POST", "/do", { card: { patch: { counters: { total: 1 } } } })).status).toBe(200);
});

it("the card is swapped for another taxpayer's, and the last one is inserted again by default", async () => {
  const { control, pin, sell } = await openControlled({ otherCards: OTHER_CARDS });
  expect((await control("POST", "/do", { card: { swap: "other" } })).json()).toMatchObject({ uid: "OTHERONE" });
  await control("POST", "/do", { card: "remove" });
  expect((await control("POST", "/do", { card: "insert" })).json()).toMatchObject({ name: "other" });
  await pin();
  expect(await sell()).toMatchObject({ tin: "RS2" });
  expect((await control("POST", "/do", { card: { swap: "main" } })).json()).toMatchObject({ uid: "TESTCARD" });
});

it("the card sells between the halves of an audit, which covers only what came before", async () => {
  const { control, sell } = await openControlled();
  await sell();
  await control("POST", "/do", { authority: "start-audit" });
  await sell();
  expect((await control("POST", "/do", { authority: "end-audit" })).json()).toMatchObject({ sum: "100" });
  const again = await control("POST", "/do", { authority: "end-audit" });
  expect([again.status, again.json().message]).toEqual([400, "end-audit failed: no audit is open"]);
});

it("the card gets no audit and no directive outside the reader", async () => {
  const { control } = await openControlled({ card: { inserted: false } });
  const answer = await control("POST", "/do", { authority: "audit" });
  const message = "audit failed: there is no card in the reader";
  expect([answer.status, answer.json().message]).toEqual([400, message]);
  expect((await control("POST", "/do", { authority: "disable" })).status).toBe(400);
  const audited = await openControlled({ card: { inserted: false }, authority: {} });
  const refused = await audited.control("POST", "/do", { authority: "audit" });
  expect([refused.status, refused.json().message]).toEqual([400, expect.stringContaining("no card in the reader")]);
});

it("faults take effect once set, are listed with their counts, and are removed one by one or all at once", async () => {
  const { control, saleCode } = await openControlled();
  const fault = { on: "sign", kind: "statusWord", statusWord: "6305" };
  const first = (await control("POST", "/do", { faults: [fault] })).json();
  expect(first).toEqual([{ ...fault, id: 1, seen: 0, struck: 0 }]);
  expect(await saleCode()).toBe("2210");
  await control("POST", "/do", { faults: [{ on: "sign", kind: "statusWord", statusWord: "6307" }] });
  expect((await control("GET", "/faults")).json()).toMatchObject([{ struck: 1 }, { id: 2, struck: 0 }]);
  await control("DELETE", "/faults/1");
  expect(await saleCode()).toBe("2210");
  expect((await control("GET", "/faults")).json()).toMatchObject([{ id: 2, struck: 1 }]);
  await control("POST", "/do", { faults: "clear" });
  expect((await control("GET", "/faults")).json()).toEqual([]);
  expect(await saleCode()).toBe("");
  expect((await control("DELETE", "/faults/1")).status).toBe(404);
});
