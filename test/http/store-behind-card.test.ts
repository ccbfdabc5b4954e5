/** Invoices that the card has counted and the store does not have are reported before the next sale. */
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import { decodeVerificationUrl } from "../../src/fiscal/verification-url.js";
import { openControlled } from "../support/control.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { reportsIn } from "../support/store-file.js";
import { LAST_SIGNED, openTamperedTill, type TamperedTill } from "../support/tampered-till.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

const DB = "store/tillseal.db";
const remove = (dataDir: string, ...suffixes: string[]) => {
  for (const suffix of suffixes) rmSync(join(dataDir, DB + suffix), { force: true });
};

interface Status {
  readonly gsc: string[];
  readonly mssc: string[];
  readonly lastInvoiceNumber: string;
}
const statusOf = async ({ call }: Pick<TamperedTill, "call">) => (await call("GET", "/api/v3/status")).json<Status>();

/**
 * A card at 5, and the folder of its store: two receipts are in the database file, three more in the WAL.
 * @param early the store after two receipts
 */
async function soldFive() {
  const dataDir = temporaryFolder();
  const early = join(temporaryFolder(), "early.db");
  const first = await openTamperedTill({ settings: { dataDir } });
  const { tampered, card } = first;
  for (const id of ["1", "2"]) await first.sell(sale(), { RequestId: id });
  await first.stop();
  copyFileSync(join(dataDir, DB), early);
  const second = await openTamperedTill({ settings: { dataDir }, tampered, card });
  for (const id of ["3", "4", "5"]) await second.sell(sale(), { RequestId: id });
  const [db, wal] = ["", "-wal"].map((suffix) => readFileSync(join(dataDir, DB + suffix)));
  await second.stop();
  // The files as a power failure leaves them.
  writeFileSync(join(dataDir, DB), db ?? "");
  writeFileSync(join(dataDir, `${DB}-wal`), wal ?? "");
  return { dataDir, early, card, tampered };
}

it.each<[how: string, lose: (dataDir: string, early: string) => void, from: number]>([
  [
    "was restored from a backup",
    (dir, early) => {
      remove(dir, "-wal", "-shm");
      copyFileSync(early, join(dir, DB));
    },
    3,
  ],
  [
    "is empty",
    (dir) => {
      remove(dir, "-wal", "-shm");
      truncateSync(join(dir, DB));
    },
    1,
  ],
  ["is missing", (dir) => remove(dir, "", "-wal", "-shm"), 1],
  ["lost its log", (dir) => remove(dir, "-wal", "-shm"), 3],
  [
    "has a torn log",
    (dir) => {
      remove(dir, "-shm");
      truncateSync(join(dir, `${DB}-wal`), 2000);
    },
    3,
  ],
])(
  "a store that is behind its card because it %s is reported after the first right PIN, and the last invoice is adopted",
  async (_, lose, from) => {
    const { dataDir, early, card, tampered } = await soldFive();
    lose(dataDir, early);
    const till = await openTamperedTill({ settings: { dataDir }, tampered, card, pinVerified: false });
    expect(await till.makerCodes()).toEqual([]);
    await till.pin();
    const status = await statusOf(till);
    expect(status).toMatchObject({ mssc: ["9002", "9004"], lastInvoiceNumber: "TESTCARD-TESTCARD-5" });
    expect(status.gsc).toContain("1999");
    // The shop sells on.
    expect((await till.sell(sale(), { RequestId: "6" })).json()).toMatchObject({ totalCounter: 6 });
    await till.stop();
    expect(reportsIn(dataDir)).toEqual([{ kind: "behind", from, to: 5, requestId: null }]);
  },
);

it("a store that is behind its card is reported once, and again only when more is missing", async () => {
  const { dataDir, early, card, tampered } = await soldFive();
  remove(dataDir, "-wal", "-shm");
  copyFileSync(early, join(dataDir, DB));
  const till = await openTamperedTill({ settings: { dataDir }, tampered, card });
  await till.reinsert();
  await till.sell();
  await till.reinsert();
  await till.stop();
  const elsewhere = await openTamperedTill({ tampered, card });
  await elsewhere.sell();
  await elsewhere.stop();
  const again = await openTamperedTill({ settings: { dataDir }, tampered, card });
  await again.stop();
  expect(reportsIn(dataDir)).toMatchObject([
    { kind: "behind", from: 3, to: 5 },
    { kind: "behind", from: 7, to: 7 },
  ]);
});

async function adopted() {
  const [card, folder] = [makeCard(), temporaryFolder()];
  const elsewhere = await openTamperedTill({ card });
  const { tampered } = elsewhere;
  await elsewhere.sell();
  const answer = (await elsewhere.sell(sale({ buyerId: "10:123", transactionType: "Sale" }))).json();
  await elsewhere.stop();
  const till = await openTamperedTill({ settings: { dataDir: folder }, tampered, card });
  return { till: { ...till, dataDir: folder }, answer };
}

it("GET /api/v3/invoices answers an adopted last invoice with what the store has, and signs nothing", async () => {
  const { till, answer } = await adopted();
  const { invoiceNumber, totalCounter, totalAmount, signature, verificationUrl, verificationQRCode } = answer;
  const last = await till.call("GET", "/api/v3/invoices");
  expect(last.status).toBe(200);
  expect(last.json()).toMatchObject({
    ...{ invoiceNumber, totalCounter, totalAmount, signature, verificationUrl, verificationQRCode },
    journal: null,
    messages: expect.stringContaining("This store does not have its invoice"),
  });
  const byRequestId = await till.call("GET", "/api/v3/invoices/order-2");
  expect(byRequestId.status).toBe(404);
  expect(byRequestId.text).toContain("This store has no invoice with this RequestId");
  expect(till.cardState().totalCounter).toBe(2);
});

it("the card's last invoice when it is missing in the store is adopted with everything except its journal, and its URL verifies", async () => {
  const { till, answer } = await adopted();
  const { receipts } = (await till.call("GET", "/console/receipts")).json<{ receipts: { id: number }[] }>();
  expect(receipts).toMatchObject([
    { state: "adopted", number: "TESTCARD-TESTCARD-2", totalAmount: "100", extension: "NS", requestId: null },
  ]);
  const detail = await till.call("GET", `/console/receipts/${receipts[0]?.id}`);
  const stored = JSON.parse(detail.json<{ answer: string }>().answer) as Record<string, unknown>;
  const {
    journal: _,
    verificationQRCode: __,
    taxItems: ___,
    mrc: ____,
    taxGroupRevision: _____,
    messages: ______,
    ...same
  } = answer;
  expect(stored).toMatchObject({ ...same, journal: null, taxItems: [] });
  expect(detail.json()).toMatchObject({
    request: null,
    signed: { journal: [], hashValid: true, signatureValid: true },
  });
  expect(decodeVerificationUrl(String(stored.verificationUrl))).toMatchObject({ buyerId: "10:123", totalCounter: 2 });
});

it("the card's last invoice when it is missing in the store appears in lists, searches and exports, and can be refunded", async () => {
  const { till } = await adopted();
  for (const path of ["receipts?search=TESTCARD-TESTCARD-2", "receipts.csv", "receipts.ndjson"]) {
    const { status, text } = await till.call("GET", `/console/${path}`);
    expect([status, text.includes("TESTCARD-TESTCARD-2")]).toEqual([200, true]);
  }
  const refund = sale({ transactionType: "Refund", referentDocumentNumber: "TESTCARD-TESTCARD-2" });
  const refunded = await till.sell(refund);
  // Its time is known, so the Refund uses the rates of that time.
  expect([refunded.status, refunded.headers.warning]).toEqual([200, undefined]);
});

it("the card's last invoice when it is missing in the store does not know its device or its rates", async () => {
  const { till } = await adopted();
  const dataDir = till.dataDir;
  const { mrc } = (await till.sell()).json();
  await till.stop();
  const elsewhere = await openTamperedTill(till);
  await elsewhere.sell();
  await elsewhere.stop();
  await (await openTamperedTill({ ...till, settings: { dataDir } })).stop();
  rmSync(join(dataDir, "tillseal.serial"));
  const again = await openTamperedTill({ ...till, settings: { dataDir } });
  expect((await again.sell()).json().mrc).toBe(mrc);
});

it("the card's last invoice when it is missing in the store used rates that the store never knew: a Refund uses those of its time, also with group number 0", async () => {
  const group = (groupId: number, validFrom: string, rate: number) => ({
    groupId,
    validFrom,
    taxCategories: [{ name: "VAT", categoryType: 0, orderId: 1, taxRates: [{ label: "A", rate }] }],
  });
  const { world, pin, sell } = await openControlled({
    environment: {
      parameters: loadNamedEnvironment("specification")?.parameters,
      taxRates: [group(1, "2010-01-01T00:00:00Z", 20), group(0, "2020-01-01T00:00:00Z", 10)],
    },
    otherCards: { other: { counters: { total: 10 } } },
  });
  await world.insert("other");
  await pin();
  const refund = sale({ transactionType: "Refund", referentDocumentNumber: "TESTCARD-TESTCARD-10" });
  const answer = await callService(world.url, "POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: refund });
  expect(answer.json()).toMatchObject({ totalCounter: 11, taxGroupRevision: 1 });
  expect(await sell()).toMatchObject({ taxGroupRevision: 0 });
});

it("the comparison of card and store asks the card once a session, and never for a sale", async () => {
  const till = await openTamperedTill();
  const { tampered } = till;
  for (let i = 0; i < 3; i++) await till.sell();
  await till.pin();
  await till.sell();
  expect(tampered.times(LAST_SIGNED)).toBe(1);
  await till.reinsert();
  await till.sell();
  expect(tampered.times(LAST_SIGNED)).toBe(2);
});

it("the comparison of card and store runs before the first sale when the PIN was verified outside the service", async () => {
  const till = await openTamperedTill({ pinVerified: false });
  await till.service.secureElement.verifyPin("1234");
  await till.sell();
  expect(till.tampered.asked.indexOf(LAST_SIGNED)).toBeGreaterThan(0);
  expect(till.tampered.times(LAST_SIGNED)).toBe(1);
});

it("the comparison of card and store asks for the PIN when the card's PIN session has ended, and signs nothing", async () => {
  const till = await openTamperedTill({ pinVerified: false });
  await till.service.secureElement.verifyPin("1234");
  till.tampered.reader.reset();
  const refused = await till.sell();
  expect([refused.status, refused.json().code]).toEqual([401, "1500"]);
  await till.pin();
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 1 });
});

it("the comparison of card and store notices a sale of another program in the same session by the next counter", async () => {
  const dataDir = temporaryFolder();
  const till = await openTamperedTill({ settings: { dataDir } });
  await till.sell();
  await till.card.alter((state) => ({ ...state, totalCounter: state.totalCounter + 3 }));
  expect(await till.makerCodes()).toEqual([]);
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 5 });
  expect(await till.makerCodes()).toEqual(["9004"]);
  await till.stop();
  expect(reportsIn(dataDir)).toMatchObject([{ kind: "behind", from: 2, to: 4 }]);
});
