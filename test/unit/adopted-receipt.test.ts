/** A receipt that the service adopted from the card is a receipt like any other. */
import { expect, it, onTestFinished } from "vitest";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { signatureOf } from "../../src/fiscalizer/card-answer.js";
import { changesOf } from "../../src/fiscalizer/writes.js";
import { openStore } from "../../src/ledger/database.js";
import { Receipts } from "../../src/ledger/receipts.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";
import { completion } from "../contract/ledger.contract.js";
import { signed } from "../contract/secure-element.contract.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { inForce } from "../support/invoices.js";

const ANSWER = '{"totalAmount":12.50,"invoiceCounterExtension":"NS"}';

it("an adopted receipt is listed by time, number and amount, like any other", async () => {
  const store = openStore(temporaryFolder());
  onTestFinished(() => store.close());
  const [ledger, receipts] = [new SqliteLedger(store), new Receipts(store.db)];
  const signature = Buffer.alloc(577);
  signature.writeBigUInt64BE(BigInt(Date.UTC(2026, 0, 1)));
  const receipt = { uid: "CARDAAAA", ...completion(7, "CARDAAAA"), signature, answer: ANSWER };
  await ledger.commit([{ kind: "adopt", receipt }]);
  const row = {
    state: "adopted",
    number: "CARDAAAA-CARDAAAA-7",
    totalAmount: "12.50",
    extension: "NS",
    requestId: null,
  };
  const day = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 0, 2) };
  expect(receipts.latest(1)).toMatchObject([row]);
  expect(receipts.during(day, 1)).toMatchObject([row]);
  const nothing = { words: "", counter: undefined, amount: undefined, otherAmount: undefined };
  expect(receipts.find({ ...nothing, text: row.number }, day, 1)).toMatchObject([row]);
  expect(receipts.find({ ...nothing, text: "12.50", amount: "12.50" }, day, 1)).toMatchObject([row]);
  expect([...receipts.between(day)]).toMatchObject([[{ ...row, intent: null }]]);
});

it("an invoice is adopted only while the card that signed it is in the reader", async () => {
  const reader = new EmulatedReader();
  reader.insert(makeCard());
  const element = new ApduSecureElement(reader);
  await element.start();
  await element.verifyPin("1234");
  const { state } = element;
  if (state.kind !== "ready") throw new Error("the card is not ready");
  const { identity } = state;
  const signature = signatureOf(await signed(element), identity.publicKey);
  const adopted = (uid: string) =>
    changesOf([{ kind: "adopt", uid, signature }], {
      ...{ identity, environment: inForce(undefined), clock: { now: () => 0 } },
      intent: () => expect.fail(),
    }).length;
  expect([adopted(identity.uid), adopted("CARDBBBB")]).toEqual([1, 0]);
});
