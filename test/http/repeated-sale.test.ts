/** A late repeat gets the first answer, or the reason why there is none, and never another receipt. */
import { expect, it } from "vitest";
import { openStore } from "../../src/ledger/database.js";
import { temporaryFolder } from "../support/folder.js";
import { LAST_SIGNED, openTamperedTill, statusWord } from "../support/tampered-till.js";
import { sale } from "../support/till.js";

const order = { RequestId: "order-1" };

/** Damages the stored row of order-1. */
function rot(dataDir: string, set: string) {
  const store = openStore(dataDir);
  expect(store.db.prepare(`UPDATE invoices SET ${set} WHERE request_id = 'order-1'`).run().changes).toBe(1);
  store.close();
}

it("a repeat gets the first answer with its QR code in the old format after answerForm was changed", async () => {
  const dataDir = temporaryFolder();
  const png = await openTamperedTill({ settings: { dataDir, answerForm: "specification" } });
  const first = await png.sell(sale(), order);
  await png.stop();
  const gif = await openTamperedTill({ ...png, settings: { dataDir, answerForm: "device" } });
  expect((await gif.sell(sale(), order)).text).toBe(first.text);
  expect((await gif.call("GET", "/api/v3/invoices/order-1")).text).toBe(first.text);
  const other = (await gif.sell(sale(), { RequestId: "order-2" })).json();
  expect(String(other.verificationQRCode).slice(0, 20)).not.toBe(String(first.json().verificationQRCode).slice(0, 20));
});

it.each([
  ["answer", "answer = replace(answer, 'Coffee', 'Cocoa.')"],
  ["answer, no longer JSON", "answer = substr(answer, 2)"],
  ["request", "intent = replace(intent, 'Coffee', 'Cocoa.')"],
  ["request, no longer JSON", "intent = substr(intent, 2)"],
  ["hash of the request", "request_hash = upper(request_hash)"],
  ["card", "uid = 'TESTCARE'"],
  ["counter", "total_counter = total_counter + 1"],
  ["number", "number = number || '0'"],
  ["state", "state = 'lost'"],
  ["signature", "signature = zeroblob(577)"],
])("a repeat of a sale whose stored %s is damaged gets 1999, explained, and signs nothing", async (_, set) => {
  const dataDir = temporaryFolder();
  const before = await openTamperedTill({ settings: { dataDir } });
  await before.sell(sale(), order);
  await before.stop();
  rot(dataDir, set);
  const till = await openTamperedTill({ ...before, settings: { dataDir } });
  for (const answer of [await till.sell(sale(), order), await till.call("GET", "/api/v3/invoices/order-1")]) {
    expect([answer.status, answer.json().code]).toEqual([500, "1999"]);
    expect(answer.json().details).toMatch(/damaged.*tillseal verify.*backup/);
  }
  expect(till.cardState().totalCounter).toBe(1);
  expect(await till.makerCodes()).toEqual(["9014"]);
  expect((await till.sell(sale(), { RequestId: "order-2" })).json()).toMatchObject({ totalCounter: 2 });
});

it("a repeat of a sale in doubt that is damaged in the store is never signed again, because the card may have signed it", async () => {
  const dataDir = temporaryFolder();
  const before = await openTamperedTill({ settings: { dataDir } });
  before.tampered.loseNextAnswer();
  await before.sell(sale(), order);
  await before.stop();
  rot(dataDir, "intent = replace(intent, 'Coffee', 'Cocoa.')");
  const till = await openTamperedTill({ ...before, settings: { dataDir } });
  expect(await till.makerCodes()).toEqual(["9001", "9004", "9014"]);
  expect((await till.sell(sale(), order)).json().code).toBe("1999");
  expect(till.cardState().totalCounter).toBe(1);
  expect((await till.sell(sale(), { RequestId: "order-2" })).json()).toMatchObject({ totalCounter: 2 });
});

it("a repeat gets its answer without a question to a card that was not compared, because the card may hang", async () => {
  const till = await openTamperedTill();
  const { tampered, sell } = till;
  const first = await sell(sale(), order);
  tampered.on(LAST_SIGNED, statusWord("6F00"));
  tampered.reader.remove();
  await till.reinsert();
  const before = tampered.asked.length;
  expect((await sell(sale(), order)).text).toBe(first.text);
  expect(tampered.asked.slice(before)).toEqual([]);
});
