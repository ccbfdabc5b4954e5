/** Status and console answer with the last known state while the card hangs. A test decides when the card answers. */
import { expect, it } from "vitest";
import type { TillRecord } from "../../src/console/records/till.js";
import { makeCard } from "../support/emulated-card.js";
import { AMOUNT_STATUS, openTamperedTill, SELECT, SIGN } from "../support/tampered-till.js";
import type { Till } from "../support/till.js";

const TRIES_LEFT = 0x16;

interface Status {
  readonly gsc: string[];
  readonly mssc: string[];
  readonly uid: string;
  readonly lastInvoiceNumber: string;
}

async function statusOf({ call }: Pick<Till, "call">) {
  const { status, headers, json } = await call("GET", "/api/v3/status");
  return { status, age: headers.age, ...json<Status>() };
}

async function codeBecomes(till: Pick<Till, "call">, code: string) {
  await expect.poll(async () => (await statusOf(till)).gsc[0], { timeout: 20_000 }).toBe(code);
}

it("GET /api/v3/status answers callers at once with the last known state, its age and 2220, after one question to the card", async () => {
  const till = await openTamperedTill();
  await till.sell();
  expect(await statusOf(till)).toMatchObject({ age: "0", gsc: ["0100"] });
  const endHang = till.tampered.hold(AMOUNT_STATUS);
  const before = till.tampered.times(AMOUNT_STATUS);
  const known = { status: 200, uid: "TESTCARD", lastInvoiceNumber: "TESTCARD-TESTCARD-1" };
  for (const answer of await Promise.all([1, 2, 3].map(() => statusOf(till)))) expect(answer).toMatchObject(known);
  await codeBecomes(till, "2220");
  expect(await statusOf(till)).toMatchObject({ ...known, age: expect.stringMatching(/^[1-9]\d*$/) });
  expect(till.tampered.times(AMOUNT_STATUS)).toBe(before + 1);
  endHang();
  await codeBecomes(till, "0100");
  expect(await statusOf(till)).toMatchObject({ age: "0" });
});

it("GET /api/v3/status does not wait behind a signature that hangs, and the sale ends well when the card answers", async () => {
  const till = await openTamperedTill({ profile: { limit: "100" } });
  await statusOf(till);
  const endHang = till.tampered.hold(SIGN);
  const sale = till.sell();
  await expect.poll(async () => (await statusOf(till)).mssc, { timeout: 20_000 }).toContain("9021");
  // The card may be at work: a person who takes it out makes a sale in doubt.
  expect((await statusOf(till)).gsc).not.toContain("2220");
  expect((await till.call("GET", "/ready")).status).toBe(200);
  const { findings } = (await till.call("GET", "/console/till")).json<TillRecord>();
  expect(findings[0]).toMatchObject({ key: "working", values: { time: expect.stringMatching(/^\d\d:\d\d:\d\d$/) } });
  endHang();
  expect((await sale).status).toBe(200);
  await codeBecomes(till, "2210");
  expect((await statusOf(till)).gsc).toEqual(["2210", "0100", "1400"]);
});

it("GET /api/v3/status says 2220, not 1300, while a hanging card is being read, and 1300 once it is pulled out", async () => {
  const till = await openTamperedTill();
  till.reader.remove();
  till.tampered.hold(SELECT);
  till.reader.insert(till.card);
  await codeBecomes(till, "2220");
  expect(await statusOf(till)).toMatchObject({ uid: "", age: undefined });
  till.reader.remove();
  expect((await statusOf(till)).gsc[0]).toBe("1300");
});

it("GET /api/v3/status shows nothing of a removed, hanging card once another card is inserted", async () => {
  const till = await openTamperedTill({ profile: { limit: "100" } });
  await till.sell();
  expect((await statusOf(till)).gsc).toContain("2210");
  const endHang = till.tampered.hold(AMOUNT_STATUS);
  await statusOf(till);
  const other = makeCard({ uid: "OTHER111" });
  till.reader.insert(other);
  await expect.poll(async () => (await statusOf(till)).uid).toBe("OTHER111");
  expect(await statusOf(till)).toMatchObject({ age: "0", gsc: expect.not.arrayContaining(["2210"]) });
  endHang();
  await expect.poll(async () => (await statusOf(till)).age).toBe("0");
});

it("the console is notified when the card hangs, and does not wait for its PIN attempts", async () => {
  const till = await openTamperedTill();
  till.reader.insert(till.card);
  await codeBecomes(till, "1500");
  const silent = new Promise<void>((resolve) => {
    till.service.secureElement.on("changed", (state) => {
      if (state.kind === "ready" && state.silent) resolve();
    });
  });
  till.tampered.hold(TRIES_LEFT);
  const record = async () => (await till.call("GET", "/console/till")).json();
  expect(await record()).toMatchObject({ codes: ["1500"], card: { pinTriesLeft: null } });
  await silent;
  expect(await record()).toMatchObject({ codes: ["2220"], card: { uid: "TESTCARD" } });
});
