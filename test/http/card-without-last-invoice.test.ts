/** A card without the last invoice command: sum and limit show what became of a sale, or one Training receipt does. */
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.js";
import { reportsIn } from "../support/store-file.js";
import { AMOUNT_STATUS, openTamperedTill, SIGN, type TamperedTill } from "../support/tampered-till.js";
import { sale } from "../support/till.js";

const PROFILE = { lastSignedInvoice: false };
const training = sale({ invoiceType: "Training" });
const codeOf = (answer: { json<T>(): T }) => answer.json<{ code: string }>().code;
const detailsOf = (answer: { json<T>(): T }) => answer.json<{ details: string }>().details;
const post = ({ sell }: TamperedTill, RequestId: string, invoice = sale()) => sell(invoice, { RequestId });

/** The second sale shows that this kind of sale adds to the card's sum. */
async function openTill(dataDir = temporaryFolder()) {
  const till = await openTamperedTill({ profile: PROFILE, settings: { dataDir } });
  for (let i = 0; i < 2; i++) await till.sell();
  return { ...till, dataDir };
}

async function inDoubt(how: "signed" | "not signed", invoice = sale()) {
  const till = await openTill();
  if (how === "signed") till.tampered.loseNextAnswer();
  else till.tampered.loseNextSale();
  expect(codeOf(await post(till, "order-1", invoice))).toBe("1300");
  expect(await till.makerCodes()).toContain("9003");
  await till.reinsert();
  return till;
}

it("a card that cannot repeat its last invoice is asked for its amounts, and nothing else, before each signature", async () => {
  const { tampered, sell } = await openTill();
  const from = tampered.asked.length;
  await sell();
  expect(tampered.asked.slice(from)).toEqual([AMOUNT_STATUS, SIGN]);
});

it("a card that cannot repeat its last invoice has signed when its sum grew by exactly this amount: final, with the counter and what to do", async () => {
  const till = await inDoubt("signed");
  for (let i = 0; i < 2; i++) {
    const refused = await post(till, "order-1");
    expect([refused.status, codeOf(refused)]).toEqual([500, "2220"]);
    expect(detailsOf(refused)).toContain("as invoice 3");
    expect(detailsOf(refused)).toContain("sell it again under a new RequestId");
  }
  expect(await till.makerCodes()).toEqual(["9001"]);
  expect((await post(till, "order-2")).json()).toMatchObject({ totalCounter: 4 });
  await till.stop();
  expect(reportsIn(till.dataDir)).toEqual([{ kind: "lost", from: 3, to: 3, requestId: "order-1" }]);
});

it("a card that cannot repeat its last invoice settles the sale at once when it is still in the reader", async () => {
  const till = await openTill();
  till.tampered.once(SIGN, async (answer) => {
    await answer();
    return Buffer.from("6F00", "hex");
  });
  expect(detailsOf(await post(till, "order-1"))).toContain("as invoice 3");
  expect((await post(till, "order-2")).json()).toMatchObject({ totalCounter: 4 });
});

it("a card that cannot repeat its last invoice has not signed when its sum is unchanged by a kind that counts: the RequestId is free again", async () => {
  const till = await inDoubt("not signed");
  expect((await post(till, "order-1")).json()).toMatchObject({ totalCounter: 3 });
  expect(await till.makerCodes()).toEqual([]);
});

it("a card that cannot repeat its last invoice is asked again after the service was killed: the amounts from before are stored", async () => {
  const { tampered, card, service, dataDir, ...till } = await openTill();
  tampered.once(SIGN, async () => {
    tampered.reader.remove();
    await service.kill();
    return new Uint8Array();
  });
  await till.sell(sale(), { RequestId: "order-1" }).catch(() => undefined);
  const again = await openTamperedTill({ card, tampered, settings: { dataDir }, pinVerified: false });
  expect(await again.makerCodes()).toEqual(["9003"]);
  await again.pin();
  expect((await post(again, "order-1")).json()).toMatchObject({ totalCounter: 3 });
});

const UNEXPLAINED = [
  { what: "a Training receipt", before: 2, invoice: training },
  { what: "a Copy", before: 2, invoice: sale({ invoiceType: "Copy", referentDocumentNumber: "TESTCARD-TESTCARD-1" }) },
  { what: "the first sale of its kind", before: 0, invoice: sale() },
];

/** @param before number of sales before the one in doubt */
async function blocked(how: "loseNextAnswer" | "loseNextSale", before: number, invoice: object) {
  const till = await openTamperedTill({ profile: PROFILE });
  for (let i = 0; i < before; i++) await till.sell();
  till.tampered[how]();
  await post(till, "order-1", invoice);
  await till.reinsert();
  return till;
}

it.each(UNEXPLAINED)(
  "a sale in doubt that the card's sum does not explain stops other sales with 2220 and an explanation until one Training receipt settles it: $what",
  async ({ before, invoice }) => {
    const till = await blocked("loseNextSale", before, invoice);
    const other = await post(till, "order-2");
    expect([other.status, codeOf(other)]).toEqual([500, "2220"]);
    expect(detailsOf(other)).toMatch(/RequestId order-1 is in doubt.*post one Training receipt/);
    // A POS that only repeats its RequestId gets the explanation, too.
    const repeated = await post(till, "order-1", invoice);
    expect(codeOf(repeated)).toBe("2220");
    expect(detailsOf(repeated)).toMatch(/We do not know yet.*post one Training receipt.*the same RequestId/);
    const answer = await till.call("GET", "/api/v3/invoices/order-1");
    expect([answer.status, detailsOf(answer)]).toEqual([503, expect.stringContaining("post one Training receipt")]);
    expect(till.cardState().totalCounter).toBe(before);
    expect((await post(till, "training", training)).json()).toMatchObject({ totalCounter: before + 1 });
    expect((await post(till, "order-1", invoice)).json()).toMatchObject({ totalCounter: before + 2 });
    expect(await till.makerCodes()).toEqual([]);
  },
);

it.each(UNEXPLAINED.slice(0, 2))(
  "a sale in doubt that the card's sum does not explain is final when the Training receipt's counter shows that it was signed: $what",
  async ({ before, invoice }) => {
    const till = await blocked("loseNextAnswer", before, invoice);
    expect((await post(till, "training", training)).json()).toMatchObject({ totalCounter: before + 2 });
    expect(detailsOf(await post(till, "order-1", invoice))).toContain(`as invoice ${before + 1}`);
    expect(await till.makerCodes()).toEqual(["9001"]);
    expect((await post(till, "order-2")).json()).toMatchObject({ totalCounter: before + 3 });
  },
);

it("a card that cannot repeat its last invoice leaves both sales open when the Training receipt itself is lost, and the next one settles them", async () => {
  const till = await openTill();
  const { tampered } = till;
  tampered.loseNextAnswer();
  await post(till, "order-1", training);
  await till.reinsert();
  tampered.loseNextAnswer();
  await post(till, "order-2", training);
  await till.reinsert();
  expect(codeOf(await post(till, "order-3"))).toBe("2220");
  expect((await post(till, "order-4", training)).json()).toMatchObject({ totalCounter: 5 });
  expect(detailsOf(await post(till, "order-1", training))).toContain("as invoice 3");
  expect(detailsOf(await post(till, "order-2", training))).toContain("as invoice 4");
  expect((await post(till, "order-3")).json()).toMatchObject({ totalCounter: 6 });
});
