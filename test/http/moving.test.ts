/** docs/restore.md: a card that another maker's service used before, with an empty store. */
import { expect, it } from "vitest";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { verdictOn } from "../support/store-file.js";
import { openTill, sale } from "../support/till.js";

it("a restored service reports the invoices counted elsewhere, adopts the last one, and sells on", async () => {
  const card = makeCard();
  // The other service keeps its own store.
  const other = await openTill({ card, settings: { dataDir: temporaryFolder() } });
  for (let i = 0; i < 3; i++) expect((await other.sell()).status).toBe(200);
  await other.stop();

  const dataDir = temporaryFolder();
  const till = await openTill({ card, settings: { dataDir, card: "pcsc" } });
  const status = async () => (await till.call("GET", "/api/v3/status")).json<{ gsc: string[]; mssc: string[] }>();
  expect(await status()).toMatchObject({ gsc: expect.arrayContaining(["1999"]), mssc: ["9002", "9004", "9020"] });
  const { reports } = (await till.call("GET", "/console/reports")).json<{ reports: { id: number; kind: string }[] }>();
  expect(reports).toMatchObject([{ kind: "behind", from: 1, to: 3 }]);
  const list = (await till.call("GET", "/console/receipts")).json<{ receipts: object[] }>();
  expect(list.receipts).toMatchObject([{ state: "adopted", number: "TESTCARD-TESTCARD-3" }]);

  expect((await till.sell()).json()).toMatchObject({ totalCounter: 4 });
  const body = { ids: reports.map(({ id }) => id), pin: "1234" };
  const headers = { "Content-Type": "application/json" };
  expect((await till.call("POST", "/console/reports/confirm", { headers, body })).status).toBe(204);
  expect((await status()).mssc).toEqual(["9002"]);

  const old = { referentDocumentNumber: "TESTCARD-TESTCARD-2", transactionType: "Refund" };
  const byHand = await till.sell(sale({ ...old, referentDocumentDT: "2026-01-02T10:00:00Z" }));
  expect([byHand.status, byHand.headers.warning]).toEqual([200, undefined]);
  const withoutTime = await till.sell(sale({ ...old, transactionType: "Sale", invoiceType: "Copy" }));
  expect([withoutTime.status, withoutTime.headers.warning]).toEqual([200, expect.stringContaining("today's rates")]);
  await till.stop();
  const { findings, notes } = verdictOn(dataDir);
  expect(findings).toEqual([]);
  const named = /^counters 1 to 3 of TESTCARD are not in the store: reported on .* as "behind", confirmed on /;
  expect(notes).toContainEqual(expect.objectContaining({ problem: expect.stringMatching(named) }));
});
