/** What a sale needs before its intent, and when the intent of the next sale may be made ahead. */
import { expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.js";
import type { Invoice } from "../../src/fiscal/invoice.js";
import { FiscalError } from "../../src/fiscalizer/fiscal-error.js";
import { packagesFull } from "../../src/fiscalizer/gates.js";
import { oldCardUnproven } from "../../src/fiscalizer/old-card.js";
import { type PreparationSources, SalePreparation } from "../../src/fiscalizer/sale-preparation.js";
import type { SecureElement } from "../../src/secure-element/secure-element.js";
import { completion, newIntent, UID } from "../contract/ledger.contract.js";
import { inForce, invoice, SANDBOX } from "../support/invoices.js";
import { newLedger } from "../support/ledgers.js";

const LIMIT = 5;
const CARD = { uid: UID, session: 3 };
const OTHER = "OTHERONE";
const ANSWER = '{"sdcDateTime":"2026-01-01T00:00:00.000Z","totalAmount":1.50,"taxGroupRevision":1}';

interface Options {
  readonly unsent?: number;
  readonly sources?: Partial<PreparationSources>;
  /** What is in the reader. */
  readonly reader?: object;
}

/** No limit, and audits that cannot be counted. */
const UNLIMITED = { sources: { unsentLimit: { most: undefined }, audits: {} as PreparationSources["audits"] } };

/** A till with a card that is ready to sell, and order-1 in its store. */
async function prepared({ unsent = 0, sources, reader }: Options = {}) {
  const ledger = newLedger();
  await ledger.commit([newIntent("order-1")]);
  const identity = { uid: UID, taxpayer: {}, validFrom: 0, validTo: 2e12 };
  const state = { kind: "ready", session: CARD.session, pin: "verified", identity, ...reader };
  const reached: object[] = [];
  let looks = 0;
  const refresh = async () => {
    looks++;
    return { ...state, kind: "ready" };
  };
  const preparation = new SalePreparation(
    {
      secureElement: { state, refresh } as unknown as SecureElement,
      ledger,
      clock: { now: () => Date.UTC(2026, 0, 2) },
      environment: inForce(SANDBOX),
      settings: { ...loadConfig({}).settings, mrc: "" },
      audits: {
        unsent: async (uid: string) => (uid === UID ? unsent : 2),
        cards: async () => [UID, OTHER],
      } as unknown as PreparationSources["audits"],
      unsentLimit: { most: LIMIT },
      ...sources,
    },
    (card) => reached.push(card),
  );
  return { preparation, ledger, identity, reached, looks: () => looks };
}

const waiting = (requestId?: string, fields?: Partial<Invoice>) =>
  ({
    requestId,
    requestHash: "",
    by: undefined,
    invoice: invoice(fields),
    language: "en-US",
    root: undefined,
  }) as const;

it("the service makes the intent of the next sale ahead for the card that has just signed", async () => {
  const { preparation, ledger, reached, identity } = await prepared({ unsent: LIMIT - 2 });
  expect(await preparation.intentAhead(waiting("order-2"), CARD)).toMatchObject({ uid: UID });
  expect(reached).toEqual([identity]);
  ledger.byRequestId = () => Promise.reject(new Error("there is no RequestId to look up"));
  expect(await preparation.intentAhead(waiting(), CARD)).toMatchObject({ uid: UID });
  const unlimited = await prepared(UNLIMITED);
  expect(await unlimited.preparation.intentAhead(waiting(), CARD)).toMatchObject({ uid: UID });
});

const notReady = { kind: "no-card", reason: "", why: "removed", noReader: false };

it.each<[string, Options & Partial<typeof CARD & { requestId: string; invoice: Partial<Invoice> }>]>([
  ["another session of the card", { session: CARD.session + 1 }],
  ["another card", { uid: OTHER }],
  ["the last sale before the limit of unsent sales, because the sale before it is one", { unsent: LIMIT - 1 }],
  ["an invoice that refers to the sale before it", { invoice: { referentDocumentNumber: "A-A-1" } }],
  ["a known RequestId", { requestId: "order-1" }],
  ["a card that was removed, and does not look for another", { reader: notReady }],
  ["a sale that a gate refuses", { reader: { pin: "required" } }],
])("the service leaves to its turn: %s", async (_, { invoice: fields, requestId, unsent, reader, ...card }) => {
  const { preparation, looks } = await prepared({ unsent, reader });
  expect(await preparation.intentAhead(waiting(requestId, fields), { ...CARD, ...card })).toBeUndefined();
  expect(looks()).toBe(0);
});

it("the service passes a sale below the limit of unsent sales, or without a limit, and refuses it at the limit", async () => {
  const pass = async (options: Options) => (await prepared(options)).preparation.pass(undefined);
  expect(await pass({ unsent: LIMIT - 1 })).toEqual(CARD);
  expect(await pass(UNLIMITED)).toEqual(CARD);
  await expect(pass({ unsent: LIMIT })).rejects.toEqual(packagesFull(LIMIT));
});

it("the service refuses a sale while the sales of an old card wait for a proof of audit", async () => {
  const settings = { ...loadConfig({}).settings, newCard: "waits" as const, mrc: "" };
  const { preparation } = await prepared({ sources: { settings } });
  await expect(preparation.pass(undefined)).rejects.toEqual(oldCardUnproven({ uid: OTHER, sales: 2 }));
});

it("the service makes no intent for a card that came between the gates and the intent", async () => {
  const { preparation } = await prepared();
  const made = preparation.intentFor(waiting(), OTHER, undefined);
  await expect(made).rejects.toEqual(FiscalError.of("1300", "", `${OTHER} is no longer in the reader`));
});

it("the service keeps the amounts from before the sale in the intent of a card that cannot repeat its last invoice", async () => {
  const { preparation } = await prepared();
  const before = { sum: 1n, limit: 2n };
  expect(await preparation.intentFor(waiting(), UID, before)).toMatchObject({ uid: UID, before });
  expect(await preparation.intentFor(waiting(), UID, undefined)).not.toHaveProperty("before");
});

it("the service taxes a Refund by the receipt with its number, in any case, and by none if two receipts have the number", async () => {
  const { preparation, ledger } = await prepared();
  const adopt = () => ledger.commit([{ kind: "adopt", receipt: { uid: UID, ...completion(9), answer: ANSWER } }]);
  const refund = { transactionType: "Refund", referentDocumentNumber: `${UID}-${UID}-9`.toLowerCase() } as const;
  const todaysRates = async () => (await preparation.intentFor(waiting("order-2", refund), UID, undefined)).todaysRates;
  expect(await todaysRates()).toBe(true);
  await adopt();
  expect(await todaysRates()).toBeUndefined();
  await adopt();
  expect(await todaysRates()).toBe(true);
});
