/** A shop gets a new card: another UID, the same taxpayer, the same store. */
import { expect, it, vi } from "vitest";
import { makeCard } from "../support/emulated-card.js";
import { FakeAuthority } from "../support/fake-authority.js";
import { openTill, sale } from "../support/till.js";

interface Sold {
  readonly invoiceNumber: string;
  readonly invoiceCounter: string;
  readonly totalCounter: number;
  readonly sdcDateTime: string;
  readonly tin: string;
  readonly taxGroupRevision: number;
  readonly journal: string;
}

it("a shop with a new card refunds and copies receipts of the old card, starts new counters, and is configured by the authority", async () => {
  const authorities = new Map(["TESTCARD", "NEWCARD1"].map((uid) => [uid, new FakeAuthority()]));
  for (const [uid, authority] of authorities) authority.configure(uid);
  const till = await openTill({
    environment: null,
    openAuthority: ({ uid }) => authorities.get(uid) ?? new FakeAuthority(),
  });
  const gsc = async () => (await till.call("GET", "/api/v3/status")).json<{ gsc: string[] }>().gsc;
  await vi.waitFor(async () => expect(await gsc()).toEqual(["0100", "0210"]), 20_000);
  const old = [await till.sell(), await till.sell()].map((answer) => answer.json<Sold>());
  till.reader.remove();
  const newCard = makeCard({ uid: "NEWCARD1" });
  till.reader.insert(newCard);
  await vi.waitFor(async () => expect(await gsc()).toEqual(["1500", "0210"]), 20_000);
  await till.pin(newCard.profile.pin);
  const referent = { referentDocumentNumber: old[1]?.invoiceNumber };
  const sold = (await till.sell()).json<Sold>();
  const refund = (await till.sell(sale({ ...referent, transactionType: "Refund" }))).json<Sold>();
  const copy = (await till.sell(sale({ ...referent, invoiceType: "Copy" }))).json<Sold>();
  expect([sold, refund, copy].map(({ invoiceNumber, invoiceCounter }) => [invoiceNumber, invoiceCounter])).toEqual([
    ["NEWCARD1-NEWCARD1-1", "1/1NS"],
    ["NEWCARD1-NEWCARD1-2", "1/2NR"],
    ["NEWCARD1-NEWCARD1-3", "1/3CS"],
  ]);
  expect(new Set([...old, sold, refund, copy].map(({ tin }) => tin)).size).toBe(1);
  // The rates are those of the original, signed by the old card.
  expect([refund, copy].map(({ taxGroupRevision }) => taxGroupRevision)).toEqual([1, 1]);
  expect(refund.journal).toContain(old[1]?.invoiceNumber);
  for (const answer of [refund, copy]) expect(answer).not.toHaveProperty("warning");
  // The old card's receipts are still there.
  const status = (await till.call("GET", "/api/v3/status")).json<{ lastInvoiceNumber: string; mssc: string[] }>();
  expect(status).toMatchObject({ lastInvoiceNumber: "NEWCARD1-NEWCARD1-3", mssc: ["9002"] });
});
