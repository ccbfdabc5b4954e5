/** A receipt that the service adopted from the card is a receipt like any other. */
import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/ledger/database.js";
import { Receipts } from "../../src/ledger/receipts.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { completion } from "../contract/ledger.contract.js";
import { temporaryFolder } from "../support/folder.js";

const ANSWER = '{"sdcDateTime":"2026-01-01T00:00:00.000Z","totalAmount":12.50,"invoiceCounterExtension":"NS"}';

it("is listed by time, number and amount, like any other", async () => {
  const store = openStore(temporaryFolder());
  onTestFinished(() => store.close());
  const [ledger, receipts] = [new SqliteLedger(store), new Receipts(store.db)];
  const receipt = { uid: "CARDAAAA", ...completion(7, "CARDAAAA"), answer: ANSWER };
  await ledger.commit([{ kind: "adopt", receipt }]);
  const row = {
    state: "adopted",
    number: "CARDAAAA-CARDAAAA-7",
    totalAmount: "12.50",
    extension: "NS",
    requestId: null,
  };
  const day = { from: "2026-01-01T00:00:00.000Z", to: "2026-01-02T00:00:00.000Z" };
  expect(receipts.latest(1)).toMatchObject([row]);
  expect(receipts.during(day, 1)).toMatchObject([row]);
  const nothing = { counter: undefined, amount: undefined, otherAmount: undefined };
  expect(receipts.find({ ...nothing, text: row.number }, day, 1)).toMatchObject([row]);
  expect(receipts.find({ ...nothing, text: "12.50", amount: "12.50" }, day, 1)).toMatchObject([row]);
  expect([...receipts.between(day)]).toMatchObject([[{ ...row, intent: null }]]);
});
