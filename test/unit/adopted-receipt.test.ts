/** When the service adopts a receipt from the card. */
import { expect, it } from "vitest";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { signatureOf } from "../../src/fiscalizer/card-answer.js";
import { changesOf, withoutKnownChanges } from "../../src/fiscalizer/writes.js";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";
import { signed } from "../contract/secure-element.contract.js";
import { makeCard } from "../support/emulated-card.js";
import { inForce } from "../support/invoices.js";

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
    changesOf({ kind: "adopt", uid, signature }, identity, inForce(undefined), { now: () => 0 }).length;
  expect([adopted(identity.uid), adopted("CARDBBBB")]).toEqual([1, 0]);
});

it("an invoice that is adopted, and the report of bytes without proof, are written once, however often the card repeats them", async () => {
  const ledgerWith = (signatures: Uint8Array[], reports: object[]) =>
    ({ byNumber: async () => signatures.map((signature) => ({ signature })), reports: async () => reports }) as never;
  const receipt = {
    uid: "TESTCARD",
    totalCounter: 1,
    number: "TESTCARD-TESTCARD-1",
    signature: Buffer.of(1, 2),
    answer: "{}",
  };
  const report = { uid: "TESTCARD", kind: "unproven", from: null, to: null, requestId: null, at: 0 } as const;
  const changes = [
    { kind: "adopt", receipt },
    { kind: "report", report, known: false },
  ] as const;
  expect(await withoutKnownChanges(ledgerWith([], []), changes)).toEqual(changes);
  expect(await withoutKnownChanges(ledgerWith([receipt.signature], [report]), changes)).toEqual([]);
  // Another invoice with the same number is not known, nor is a report of another card.
  const others = ledgerWith([Buffer.of(3)], [{ ...report, uid: "CARDBBBB" }]);
  expect(await withoutKnownChanges(others, changes)).toEqual(changes);
});
