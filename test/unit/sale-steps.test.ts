/** The steps of a sale: what `begin` answers, and when the intent of the next sale is written ahead. */
import { expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.js";
import type { Invoice } from "../../src/fiscal/invoice.js";
import { FiscalError } from "../../src/fiscalizer/fiscal-error.js";
import { noRatesNow, packagesFull, pinRefusal } from "../../src/fiscalizer/gates.js";
import { oldCardUnproven } from "../../src/fiscalizer/old-card.js";
import type { FiscalizerParts } from "../../src/fiscalizer/parts.js";
import { SaleSteps } from "../../src/fiscalizer/sale-steps.js";
import { StoreHealth } from "../../src/fiscalizer/store-health.js";
import { ledgerError } from "../../src/ledger/faults.js";
import { decodeIntent } from "../../src/ledger/intent.js";
import type { Ledger } from "../../src/ledger/ledger.js";
import type { SecureElement } from "../../src/secure-element/secure-element.js";
import { completion, newIntent, UID } from "../contract/ledger.contract.js";
import { inForce, invoice, item, SANDBOX } from "../support/invoices.js";
import { newLedger } from "../support/ledgers.js";
import { testLog } from "../support/log.js";

const LIMIT = 5;
const NOW = Date.UTC(2026, 0, 2);
const CARD = { uid: UID, session: 3 };
const OTHER = "OTHERONE";
const ANSWER = '{"sdcDateTime":"2026-01-01T00:00:00.000Z","totalAmount":1.50,"taxGroupRevision":1}';
const FULL = ledgerError("full", "/data");

interface Options {
  readonly requestId?: string | undefined;
  readonly invoice?: Partial<Invoice>;
  readonly unsent?: number;
  readonly parts?: Partial<FiscalizerParts>;
  /** What is in the reader. */
  readonly reader?: object;
  readonly ledger?: Partial<Ledger>;
  readonly amountStatus?: () => Promise<object>;
}

const amountsKnown = async () => ({ kind: "ok", sum: 1n, limit: 2n });

/** No limit, and audits that cannot be counted. */
const UNLIMITED = { parts: { unsentLimit: { most: undefined }, audits: {} as FiscalizerParts["audits"] } };
const at = (now: number) => ({ parts: { clock: { now: () => now } } });
const NO_RATES = { parts: { environment: inForce(undefined) } };
const NO_CARD = { reader: { kind: "no-card", reason: "", why: "removed", noReader: false } };

/** A till with a card that is ready to sell; order-1 is open and order-0 complete in its store. */
async function prepared(options: Options = {}) {
  const {
    requestId,
    invoice: fields,
    unsent = 0,
    parts,
    reader,
    ledger: faults,
    amountStatus = amountsKnown,
  } = options;
  const ledger = newLedger();
  const [id = 0] = await ledger.commit([newIntent("order-0")]);
  await ledger.commit([{ kind: "complete", id, completion: completion(8) }, newIntent("order-1")]);
  const taxpayer = { tin: "100000001" };
  const identity = { uid: UID, taxpayer, validFrom: NOW, validTo: NOW + 9 };
  const state = { kind: "ready", session: CARD.session, pin: "verified", identity, ...reader };
  let looks = 0;
  const refresh = async () => {
    looks++;
    return state;
  };
  const sent = { requestId, requestHash: "", by: undefined, invoice: invoice(fields), root: undefined };
  const posted = { ...sent, language: "en-US" } as const;
  const sale = { key: 1, resolve: () => undefined, posted, requestId, isTraining: false, left: false };
  const steps = new SaleSteps({
    secureElement: { state, refresh, amountStatus } as unknown as SecureElement,
    ledger: Object.assign(ledger, faults),
    clock: { now: () => NOW },
    environment: inForce(SANDBOX),
    settings: { ...loadConfig({}).settings, mrc: "" },
    health: new StoreHealth("/data", async () => undefined),
    audits: {
      unsent: async (uid: string) => (uid === UID ? unsent : 2),
      cards: async () => [UID, OTHER],
    } as unknown as FiscalizerParts["audits"],
    unsentLimit: { most: LIMIT },
    log: testLog(),
    ...parts,
  });
  const begin = (how: { on?: typeof CARD | undefined; inTurn?: boolean; amounts?: boolean } = {}) =>
    steps.begin({ sale, on: CARD, inTurn: false, amounts: false, ...how }, undefined);
  const ahead = async (card = CARD) => {
    const event = await steps.store({ writes: [], ahead: { sale, ...card } });
    return event.kind === "written" ? event.ahead : expect.fail();
  };
  const intents = async () => (await ledger.openIntents()).map(({ intent }) => decodeIntent(intent ?? ""));
  return { begin, ahead, ledger, intents, looks: () => looks };
}

const newest = async ({ intents }: Awaited<ReturnType<typeof prepared>>) => (await intents()).at(-1);

it("a sale begins with its intent in the store, and the protocol gets the 57 bytes to sign", async () => {
  const till = await prepared({ requestId: "order-2", unsent: LIMIT - 1 });
  const event = await till.begin();
  expect(event).toMatchObject({ kind: "intent-written", open: { requestId: "order-2", before: undefined } });
  expect(event.kind === "intent-written" && event.open.header).toMatch(/^[\da-f]{114}$/);
  expect(await till.ledger.byRequestId("order-2")).toMatchObject({ state: "intent", uid: UID });
  expect(await (await prepared(UNLIMITED)).begin()).toMatchObject({ kind: "intent-written" });
  // The last moment of the certificate.
  expect(await (await prepared(at(NOW + 9))).begin()).toMatchObject({ kind: "intent-written" });
});

it.each([
  ["the card was never compared", { on: undefined }],
  ["the card has another session", { on: { ...CARD, session: 2 } }],
  ["another card is in the reader", { on: { ...CARD, uid: OTHER } }],
])("a sale does not begin, but asks for a comparison, if %s", async (_, how) => {
  const till = await prepared({ requestId: "order-0" });
  expect(await till.begin(how)).toEqual({ kind: "to-compare", ...CARD });
});

it("a sale begins in any session of the card that was compared in its turn, and with no other card", async () => {
  const till = await prepared();
  const inTurn = true;
  expect(await till.begin({ on: { ...CARD, session: 2 }, inTurn })).toMatchObject({ kind: "intent-written" });
  const swapped = till.begin({ on: { ...CARD, uid: OTHER }, inTurn });
  await expect(swapped).rejects.toEqual(FiscalError.of("1300", "", `${OTHER} is no longer in the reader`));
});

const WAITS = { ...loadConfig({}).settings, newCard: "waits" as const, mrc: "" };

it.each<[string, Options, unknown]>([
  ["a card that is gone", NO_CARD, expect.objectContaining({ code: "1300" })],
  ["a card that needs its PIN", { reader: { pin: "required" } }, pinRefusal("required")],
  ["missing rates", NO_RATES, expect.objectContaining({ code: "2400" })],
  ["rates of another time", { parts: { environment: inForce({ ...SANDBOX, taxRates: [] }) } }, noRatesNow()],
  ["a date before the certificate's", at(NOW - 1), expect.objectContaining({ code: "2809" })],
  ["a date after the certificate's", at(NOW + 10), expect.objectContaining({ code: "2809" })],
  ["the limit of unsent sales", { unsent: LIMIT }, packagesFull(LIMIT)],
  ["an old card without a proof of audit", { parts: { settings: WAITS } }, oldCardUnproven({ uid: OTHER, sales: 2 })],
  ["an unknown label", { invoice: { items: [item("100", "?")] } }, expect.objectContaining({ code: "2310" })],
])("a sale does not begin because of %s, and the store gets no intent", async (_, options, refusal) => {
  const till = await prepared(options);
  await expect(till.begin()).rejects.toEqual(refusal);
  expect(await till.intents()).toHaveLength(1);
});

it.each([
  ["rates are missing", NO_RATES],
  ["the limit is reached", { unsent: LIMIT }],
  ["the certificate has ended", { parts: { clock: { now: () => 3e12 } } }],
])("a known RequestId is found although %s", async (_, options) => {
  expect(await (await prepared({ ...options, requestId: "order-0" })).begin()).toEqual({
    kind: "looked-up",
    entry: expect.objectContaining({ state: "complete" }),
  });
  expect(await (await prepared({ ...options, requestId: "order-1" })).begin()).toEqual({
    kind: "looked-up",
    entry: expect.objectContaining({ state: "intent" }),
  });
});

it("a ledger that fails leaves it unknown whether the RequestId was signed, and after the look-up shows that it was not", async () => {
  const fails = () => Promise.reject(FULL);
  const unread = await prepared({ requestId: "order-2", ledger: { byRequestId: fails } });
  await expect(unread.begin()).rejects.toBe(FULL);
  const unwritten = await prepared({ requestId: "order-2" });
  unwritten.ledger.commit = fails;
  expect(await unwritten.begin()).toMatchObject({ kind: "intent-failed", why: { fault: "full" } });
});

it("a sale does not begin on a damaged store, but a known RequestId is found", async () => {
  const requireSound = () => {
    throw ledgerError("damaged", "/data");
  };
  const parts = { health: new StoreHealth("/data", async () => undefined, { requireSound }) };
  expect(await (await prepared({ parts })).begin()).toMatchObject({ kind: "intent-failed", why: { fault: "damaged" } });
  expect(await (await prepared({ parts, requestId: "order-0" })).begin()).toMatchObject({ kind: "looked-up" });
  expect(await (await prepared({ parts })).ahead()).toBeUndefined();
});

it("a sale keeps the amounts from before it with a card that cannot repeat its last invoice, if the card gives them", async () => {
  const till = await prepared();
  const before = { sum: 1n, limit: 2n };
  expect(await till.begin({ amounts: true })).toMatchObject({ open: { before } });
  expect(await newest(till)).toMatchObject({ before });
});

it.each([
  ["answers that it is gone", async () => ({ kind: "unreachable", reason: "" })],
  ["fails unexpectedly", () => Promise.reject(new Error("the reader's driver failed"))],
])("a sale begins without the amounts from before it if the card %s", async (_, amountStatus) => {
  const event = await (await prepared({ amountStatus })).begin({ amounts: true });
  expect(event).toMatchObject({ kind: "intent-written", open: { before: undefined } });
});

it("a Refund is taxed by the receipt with its number, in any case, and by none if two receipts have the number", async () => {
  const refund = { transactionType: "Refund", referentDocumentNumber: `${UID}-${UID}-9`.toLowerCase() } as const;
  const till = await prepared({ invoice: refund });
  const adopt = () => till.ledger.commit([{ kind: "adopt", receipt: { uid: UID, ...completion(9), answer: ANSWER } }]);
  const todaysRates = async () => {
    await till.begin();
    return (await newest(till))?.todaysRates;
  };
  expect(await todaysRates()).toBe(true);
  await adopt();
  expect(await todaysRates()).toBeUndefined();
  await adopt();
  expect(await todaysRates()).toBe(true);
});

it("the service writes the intent of the next sale ahead for the card that has just signed", async () => {
  const till = await prepared({ requestId: "order-2", unsent: LIMIT - 2 });
  expect(await till.ahead()).toMatchObject({ requestId: "order-2" });
  expect(await newest(till)).toMatchObject({ uid: UID });
  const byRequestId = () => Promise.reject(new Error("there is no RequestId to look up"));
  expect(await (await prepared({ ledger: { byRequestId } })).ahead()).toBeDefined();
  expect(await (await prepared(UNLIMITED)).ahead()).toBeDefined();
});

it.each<[string, Options & Partial<typeof CARD>]>([
  ["another session of the card", { session: CARD.session + 1 }],
  ["another card", { uid: OTHER }],
  ["the last sale before the limit of unsent sales, because the sale before it is one", { unsent: LIMIT - 1 }],
  ["an invoice that refers to the sale before it", { invoice: { referentDocumentNumber: "A-A-1" } }],
  ["a known RequestId", { requestId: "order-1" }],
  ["a card that was removed, and does not look for another", NO_CARD],
  ["a card that needs its PIN", { reader: { pin: "required" } }],
  ["a sale without rates", NO_RATES],
])("the service leaves to its turn: %s", async (_, { uid = UID, session = CARD.session, ...options }) => {
  const till = await prepared(options);
  expect(await till.ahead({ uid, session })).toBeUndefined();
  expect([await till.intents(), till.looks()]).toEqual([[expect.anything()], 0]);
});
