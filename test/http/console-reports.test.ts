/** Reports and sales in doubt in the console, and what a person can do about them. */

import { expect, it, vi } from "vitest";
import type { ReportsRecord, TrainingRecord } from "../../src/console/records/reports.js";
import type { TillRecord } from "../../src/console/records/till.js";
import type { Change, Ledger } from "../../src/ledger/ledger.js";
import { readOwner } from "../../src/ledger/owner.js";
import { INS } from "../../src/secure-element/apdu/instructions.js";
import { inEnglish as findingInEnglish } from "../../src/state/texts.js";
import { consoleRecord } from "../support/console-records.js";
import { tillInDoubt, WITHOUT_INS_15 } from "../support/doubt.js";
import { makeCard, readerWith } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { JSON_HEADERS, openTill, sale, soldStore, type Till } from "../support/till.js";

const reportsOf = (till: Till) => consoleRecord<ReportsRecord>(till, "/reports");
const verdictFor = async (till: Till) => (await consoleRecord<TillRecord>(till, "/till")).findings[0]?.key ?? "ready";
const makerCodes = async (till: Till) => (await till.call("GET", "/api/v3/status")).json<{ mssc: string[] }>().mssc;
const post = (till: Till, path: string, body: object | string) => {
  const sent = typeof body === "string" ? body : { ...body, pin: "1234" };
  return till.call("POST", `/console/reports/${path}`, { headers: JSON_HEADERS, body: sent });
};

/** A till whose card has signed two receipts that are not in its store. */
async function behind(): Promise<Till> {
  const { card } = await soldStore(2);
  return openTill({ card });
}

async function insertAgain(till: Till): Promise<void> {
  till.reader.insert(till.card);
  await till.pin();
}

it('a report is shown until a person confirms it, and keeps the verdict from a plain "ready"', async () => {
  const till = await behind();
  const { reports, inDoubt } = await reportsOf(till);
  expect([reports, inDoubt]).toMatchObject([[{ id: 1, kind: "behind", uid: "TESTCARD", from: 1, to: 2 }], []]);
  expect([await verdictFor(till), await makerCodes(till)]).toEqual(["behind", ["9002", "9004"]]);
  // The open report stops no sale.
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 3 });
  expect((await post(till, "confirm", { ids: [1] })).status).toBe(204);
  expect(await reportsOf(till)).toEqual({ inDoubt: [], reports: [] });
  expect([await verdictFor(till), await makerCodes(till)]).toEqual(["ready", ["9002"]]);
});

it("a report about one card names that card, and is in no status of another card", async () => {
  const till = await behind();
  till.reader.insert(makeCard({ uid: "OTHERONE" }));
  await till.pin();
  expect(await makerCodes(till)).toEqual(["9002"]);
  const { findings } = await consoleRecord<TillRecord>(till, "/till");
  expect(findings.map((finding) => findingInEnglish(finding).sentence)).toEqual([
    "Invoices of the card TESTCARD are missing or incomplete in this store.",
  ]);
  expect((await reportsOf(till)).reports).toMatchObject([{ uid: "TESTCARD" }]);
  await insertAgain(till);
  expect(await makerCodes(till)).toEqual(["9002", "9004"]);
});

it("a report is confirmed by its id exactly once, even when two people confirm at the same time", async () => {
  const till = await behind();
  const unknown = await post(till, "confirm", { ids: [1, 9] });
  expect([unknown.status, unknown.json().message]).toEqual([404, expect.stringMatching(/Those that do: 1$/)]);
  for (const body of [{}, { ids: [] }, { ids: ["1"] }, { ids: [1.5] }, [], "{", "null"]) {
    expect((await post(till, "confirm", body)).status).toBe(400);
  }
  expect((await reportsOf(till)).reports).toHaveLength(1);
  const both = await Promise.all([1, 2].map(() => post(till, "confirm", { ids: [1] })));
  expect(both.map(({ status }) => status).toSorted()).toEqual([204, 404]);
});

it("a sale in doubt waits for its card when the card is gone, and is shown while another card is in the reader", async () => {
  const till = await tillInDoubt("after");
  const { inDoubt } = await reportsOf(till);
  const doubt = { name: "order-1", requestId: "order-1", uid: "TESTCARD", totalAmount: "100", wayOut: "card" };
  expect(inDoubt).toMatchObject([doubt]);
  till.reader.insert(makeCard({ uid: "OTHERONE" }));
  await till.pin();
  expect([await verdictFor(till), await makerCodes(till)]).toEqual(["otherInDoubt", ["9002", "9003"]]);
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 1 });
  till.reader.insert(till.card);
  await till.call("GET", "/console/till");
  expect((await reportsOf(till)).inDoubt).toMatchObject([{ wayOut: "pin" }]);
  await till.pin();
  expect([await reportsOf(till), await verdictFor(till)]).toEqual([{ inDoubt: [], reports: [] }, "ready"]);
});

it("a sale in doubt does not include a sale that is being written or signed", async () => {
  const seen: unknown[] = [];
  let look = async () => {};
  const reader = readerWith(async (command, run) => {
    if (command[1] === INS.sign) await look();
    return run();
  });
  const card = makeCard();
  reader.insert(card);
  const watched = (ledger: Ledger): Ledger =>
    Object.create(ledger, {
      commit: {
        value: async (changes: readonly Change[]) => {
          const ids = await ledger.commit(changes);
          await look();
          return ids;
        },
      },
    }) as Ledger;
  const till = await openTill({ card, reader, hooks: { ledger: watched } });
  look = async () => void seen.push((await reportsOf(till)).inDoubt);
  await till.sell(sale(), { RequestId: "order-1" });
  expect(seen).toEqual([[], [], []]);
});

it("a sale in doubt that the card cannot settle ends with one Training receipt: not signed, and free to be sent again", async () => {
  const till = await tillInDoubt("before", WITHOUT_INS_15);
  await insertAgain(till);
  const { inDoubt } = await reportsOf(till);
  expect(inDoubt).toMatchObject([{ name: "order-1", wayOut: "training" }]);
  expect([await verdictFor(till), (await till.sell()).json().code]).toEqual(["inDoubt", "2220"]);
  const settled = await post(till, "training", { id: inDoubt[0]?.id });
  expect([settled.status, settled.json<TrainingRecord>()]).toEqual([200, { sale: "gone" }]);
  expect(await verdictFor(till)).toBe("ready");
  expect((await till.sell(sale(), { RequestId: "order-1" })).json()).toMatchObject({ totalCounter: 2 });
});

it("a sale in doubt that the card cannot settle ends with one Training receipt: signed, lost and reported", async () => {
  const till = await tillInDoubt(
    "after",
    { ...WITHOUT_INS_15, settings: { testInvoice: false } },
    sale({ invoiceType: "Proforma" }),
  );
  await insertAgain(till);
  const [doubt] = (await reportsOf(till)).inDoubt;
  expect((await post(till, "training", { id: doubt?.id })).json()).toEqual({ sale: "lost" });
  const { reports, inDoubt } = await reportsOf(till);
  expect([reports, inDoubt]).toMatchObject([[{ kind: "lost", from: 1, requestId: "order-1" }], []]);
  expect([await verdictFor(till), await makerCodes(till)]).toEqual(["lost", ["9001", "9002"]]);
});

it("a sale in doubt is settled by no Training receipt when the card can settle it itself or is gone, and nothing is signed", async () => {
  const till = await tillInDoubt("after");
  const [doubt] = (await reportsOf(till)).inDoubt;
  expect((await post(till, "training", { id: doubt?.id })).status).toBe(404);
  expect((await post(till, "training", {})).status).toBe(400);
  expect(till.cardState().totalCounter).toBe(1);
});

it.each([true, false])("a sale in doubt is not decided while its card can say more: signed %s", async (signed) => {
  const dataDir = temporaryFolder();
  const till = await tillInDoubt("after", { settings: { dataDir } });
  till.reader.insert(till.card);
  await vi.waitFor(async () => expect((await reportsOf(till)).inDoubt).toMatchObject([{ wayOut: "pin" }]));
  const id = (await reportsOf(till)).inDoubt[0]?.id;
  const headers = { ...JSON_HEADERS, Authorization: `Bearer ${readOwner(dataDir)?.secret}` };
  const refused = await till.call("POST", "/console/reports/decide", { headers, body: { id, signed } });
  expect([refused.status, refused.json()]).toMatchObject([
    401,
    { code: "1500", message: expect.stringContaining("PIN") },
  ]);
  expect((await reportsOf(till)).inDoubt).toHaveLength(1);
  await till.pin();
  expect((await till.sell(sale(), { RequestId: "order-1" })).json()).toMatchObject({ totalCounter: 1 });
});

it("a Training receipt is refused with how the sale is settled instead, not with a card that can say it", async () => {
  const till = await tillInDoubt("after", WITHOUT_INS_15);
  const [doubt] = (await reportsOf(till)).inDoubt;
  expect((await post(till, "training", { id: doubt?.id })).json().message).toContain("Put in the card TESTCARD");
});

it.each([true, false])("a sale in doubt is final once decided, without confirmation: signed %s", async (signed) => {
  const till = await tillInDoubt("before", WITHOUT_INS_15);
  await insertAgain(till);
  const [doubt] = (await reportsOf(till)).inDoubt;
  const id = doubt?.id;
  expect((await post(till, "decide", { id })).status).toBe(400);
  const unknown = await post(till, "decide", { id: 99, signed });
  expect([unknown.status, unknown.json().message]).toEqual([404, expect.stringContaining(`Sales in doubt: ${id}`)]);
  expect((await post(till, "decide", { id, signed })).status).toBe(204);
  expect((await post(till, "decide", { id, signed })).status).toBe(404);
  expect([await reportsOf(till), await verdictFor(till)]).toEqual([{ inDoubt: [], reports: [] }, "ready"]);
  const again = await till.sell(sale(), { RequestId: "order-1" });
  expect(again.json().code).toBe(signed ? "2220" : undefined);
});
