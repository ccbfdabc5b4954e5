import { createPublicKey } from "node:crypto";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { counterExtension } from "../../src/fiscal/counters.js";
import { INVOICE_TYPE_NAMES, TRANSACTION_TYPE_NAMES } from "../../src/fiscal/invoice.js";
import { isSignatureValid } from "../../src/fiscal/signature.js";
import { decodeVerificationUrl } from "../../src/fiscal/verification-url.js";
import { KEYS } from "../support/emulated-card.js";
import { openTill, sale } from "../support/till.js";

/** Specification, "Invoice response", and what clients read besides (docs/protocol.md). */
const FIELDS = [
  ...["verificationUrl", "verificationQRCode", "journal", "messages", "signedBy", "encryptedInternalData", "signature"],
  ...["totalCounter", "transactionTypeCounter", "totalAmount", "taxGroupRevision", "businessName", "tin"],
  ...["locationName", "address", "district", "mrc"],
  ...["requestedBy", "sdcDateTime", "invoiceCounter", "invoiceCounterExtension", "invoiceNumber", "taxItems"],
];

const NUMBER = "TESTCARD-TESTCARD-1";

describe("POST /api/v3/invoices", () => {
  it("answers with every field of the specification, with taxItems as its only list", async () => {
    const till = await openTill();
    const answer = await till.sell();
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toContain("application/json");
    const body = answer.json();
    expect(Object.keys(body).sort()).toEqual([...FIELDS].sort());
    const structured = Object.entries(body).filter(([, value]) => typeof value === "object");
    expect(structured.map(([name]) => name)).toEqual(["taxItems"]);
    expect(body.messages).toBe("Success");
    expect(body.verificationQRCode).toMatch(/^data:image\/png;base64,iVBOR/);
  });

  it("answers with a URL whose hash and signature are right", async () => {
    const till = await openTill();
    const { verificationUrl } = (await till.sell(sale({ buyerId: "10:123456789" }))).json<{
      verificationUrl: string;
    }>();
    const decoded = decodeVerificationUrl(verificationUrl);
    expect(decoded).toMatchObject({
      hashValid: true,
      buyerId: "10:123456789",
      totalAmount: 1_000_000n,
      totalCounter: 1,
    });
    expect(isSignatureValid(decoded, till.card.profile.taxpayer.tin, createPublicKey(KEYS.cardKey))).toBe(true);
  });

  it.each(
    INVOICE_TYPE_NAMES.flatMap((invoiceType) =>
      TRANSACTION_TYPE_NAMES.map((transactionType) => ({ invoiceType, transactionType })),
    ),
  )("signs $invoiceType $transactionType with its own counters", async (types) => {
    const till = await openTill();
    await till.sell();
    const refers = types.invoiceType === "Copy" || types.transactionType === "Refund";
    const invoice = sale({ ...types, ...(refers ? { referentDocumentNumber: NUMBER } : {}) });
    const body = (await till.sell(invoice)).json();
    const extension = counterExtension(types.invoiceType, types.transactionType, "en-US");
    const pairCounter = types.invoiceType === "Normal" && types.transactionType === "Sale" ? 2 : 1;
    expect(body).toMatchObject({
      totalCounter: 2,
      transactionTypeCounter: pairCounter,
      invoiceCounter: `${pairCounter}/2${extension}`,
      invoiceNumber: "TESTCARD-TESTCARD-2",
      totalAmount: 100,
      taxItems: [{ label: "A", rate: 20, amount: 16.6667 }],
    });
  });

  it("leaves out QR code and journal as null, for every spelling of the flags", async () => {
    const till = await openTill();
    for (const on of ["1", 1, true, "true"]) {
      const options = { omitQRCodeGen: on, omitTextualRepresentation: on };
      const body = (await till.sell(sale({ options }))).json();
      expect(body).toMatchObject({ verificationQRCode: null, journal: null });
      expect(Object.keys(body)).toHaveLength(FIELDS.length);
    }
    for (const off of ["0", 0, false, "", null]) {
      const options = { omitQRCodeGen: off, omitTextualRepresentation: off };
      const body = (await till.sell(sale({ options }))).json();
      expect(body.verificationQRCode).not.toBeNull();
      expect(body.journal).not.toBeNull();
    }
  });

  it("accepts names in any case, types as numbers, unknown fields and nulls", async () => {
    const till = await openTill();
    const answer = await till.sell({
      InvoiceType: 0,
      TRANSACTIONTYPE: "0",
      Payment: [{ Amount: 100, PaymentType: "wire transfer", bank: "unknown" }],
      buyerId: null,
      referentDocumentNumber: "",
      dateAndTimeOfIssue: "",
      Items: [{ NAME: "Coffee", Quantity: 1.5, unitprice: 66.67, labels: ["a", " A "], totalamount: 100, discount: 3 }],
      loyalty: { points: [1, 2, 3] },
    });
    expect(answer.json()).toMatchObject({ invoiceCounterExtension: "NS", taxItems: [{ label: "A" }] });
    expect(answer.json().journal).toContain("Wire Transfer:");
  });

  it.each([
    ...["Other", "Cash", "Card", "Check", "WireTransfer", "Wire Transfer", "Voucher", "MobileMoney"],
    ...[0, 1, 2, 3, 4, 5, 6, "0", "6", "cash", "MOBILEMONEY"],
  ])("takes payment type %j", async (paymentType) => {
    const till = await openTill();
    expect((await till.sell(sale({ payment: [{ amount: 100, paymentType }] }))).status).toBe(200);
  });

  it("treats ProForma as Proforma, and prints Wire Transfer as such", async () => {
    const till = await openTill();
    for (const invoiceType of ["ProForma", "Proforma", "PROFORMA", 1, "1"]) {
      expect((await till.sell(sale({ invoiceType }))).json().invoiceCounterExtension).toBe("PS");
    }
  });

  it("accepts payments that do not add up, and no payments", async () => {
    const till = await openTill();
    expect((await till.sell(sale({ payment: [] }))).status).toBe(200);
    expect(
      (
        await till.sell(
          sale({
            payment: [
              { amount: 0, paymentType: 1 },
              { amount: 7, paymentType: 2 },
            ],
          }),
        )
      ).status,
    ).toBe(200);
  });

  it("signs the largest amounts exactly", async () => {
    const till = await openTill({ profile: { limit: "999999999999" } });
    const items = [
      { name: "Ship", quantity: 1, unitPrice: 999_999_999_999.99, labels: ["C"], totalAmount: 999_999_999_999.99 },
    ];
    const answer = await till.sell(sale({ items }));
    expect(answer.text).toContain('"totalAmount":999999999999.99');
    const { verificationUrl } = answer.json<{ verificationUrl: string }>();
    expect(decodeVerificationUrl(verificationUrl).totalAmount).toBe(9_999_999_999_999_900n);
  });

  it("answers in the requested language, or 406 when it has none of the requested ones", async () => {
    const till = await openTill();
    const journal = async (language: string) =>
      (await till.sell(sale(), { "Accept-Language": language })).json().journal;
    expect(await journal("sr-Cyrl-RS;en-US")).toContain("ФИСКАЛНИ РАЧУН");
    expect(await journal("de,sr-Latn-RS;q=0.5")).toContain("FISKALNI RAČUN");
    expect(await journal("en-US")).toContain("FISCAL INVOICE");
    const refused = await till.sell(sale(), { "Accept-Language": "de-DE" });
    expect(refused.status).toBe(406);
    expect(refused.json()).toMatchObject({ code: "2805", modelState: [{ property: "Accept-Language" }] });
    expect(till.cardState().totalCounter).toBe(3);
  });

  it("prints Cyrillic counters only on receipts in Cyrillic", async () => {
    const till = await openTill({ environment: "cyrillic" });
    const items = [{ name: "Кафа", quantity: 1, unitPrice: 120, labels: ["ђ"], totalAmount: 120 }];
    expect((await till.sell(sale({ items }))).json()).toMatchObject({
      invoiceCounter: "1/1ПП",
      taxItems: [{ label: "Ђ", amount: 20 }],
    });
    const latin = await till.sell(sale({ items, invoiceType: "Advance" }), { "Accept-Language": "sr-Latn-RS" });
    expect(latin.json().invoiceCounter).toBe("1/2AS");
  });

  it("lists taxes in the order of the authority's categories", async () => {
    const till = await openTill({ environment: "cyrillic" });
    const tea = { name: "Чај", quantity: 1, unitPrice: 110, totalAmount: 110 };
    const items = ["А", "Ђ", "Г", "Е"].map((label) => ({ ...tea, labels: [label] }));
    const { taxItems, journal } = (await till.sell(sale({ items }))).json<{
      taxItems: { label: string }[];
      journal: string;
    }>();
    expect(taxItems.map(({ label }) => label)).toEqual(["Е", "Ђ", "Г", "А"]);
    expect(journal).toContain(
      [
        "Ознака       Име      Стопа        Порез",
        "Е           П-ПДВ   10,00%         10,00",
        "Ђ           О-ПДВ   20,00%         18,33",
        "Г         Без ПДВ    0,00%          0,00",
        "А      Није у ПДВ    0,00%          0,00",
      ].join("\r\n"),
    );
  });

  it("taxes a Refund with the rates of the original invoice", async () => {
    let now = Date.UTC(2021, 0, 1);
    const till = await openTill({ environment: "cyrillic", now: () => now });
    const items = [{ name: "Кафа", quantity: 1, unitPrice: 118, labels: ["Ђ"], totalAmount: 118 }];
    const { invoiceNumber } = (await till.sell(sale({ items }))).json();
    now = Date.UTC(2026, 0, 1);
    const refund = { items, transactionType: "Refund", referentDocumentNumber: invoiceNumber };
    // Looked up in the store: the rate was 18 % then.
    const looked = (await till.sell(sale(refund))).json();
    expect(looked).toMatchObject({ taxGroupRevision: 1, taxItems: [{ rate: 18, amount: 18 }] });
    // Sent by the caller.
    const said = await till.sell(sale({ ...refund, referentDocumentDT: "2023-01-01T00:00:00Z" }));
    expect(said.json()).toMatchObject({ taxGroupRevision: 2, taxItems: [{ rate: 20, amount: 19.6667 }] });
    // A time before any rates.
    const early = await till.sell(sale({ ...refund, referentDocumentDT: "1999-01-01T00:00:00Z" }));
    expect(early.json()).toMatchObject({
      code: "2804",
      modelState: [{ property: "referentDocumentDT", errors: ["2804"] }],
    });
  });

  it("taxes a Copy of a Refund as the Refund was taxed", async () => {
    let now = Date.UTC(2021, 0, 1);
    const till = await openTill({ environment: "cyrillic", now: () => now });
    const items = [{ name: "Кафа", quantity: 1, unitPrice: 118, labels: ["Ђ"], totalAmount: 118 }];
    const { invoiceNumber } = (await till.sell(sale({ items }))).json();
    now = Date.UTC(2026, 0, 1);
    const refund = { items, transactionType: "Refund" };
    const refunded = (await till.sell(sale({ ...refund, referentDocumentNumber: invoiceNumber }))).json();
    const copy = { ...refund, invoiceType: "Copy", referentDocumentNumber: refunded.invoiceNumber };
    const copied = (await till.sell(sale(copy))).json();
    expect(copied).toMatchObject({ taxGroupRevision: 1, taxItems: refunded.taxItems });
  });

  it("prints the POS time and the referenced invoice's time only when the POS sent them", async () => {
    const till = await openTill({ environment: "cyrillic", now: () => Date.UTC(2026, 0, 1) });
    const items = [{ name: "Кафа", quantity: 1, unitPrice: 120, labels: ["Ђ"], totalAmount: 120 }];
    const sold = (await till.sell(sale({ items }))).json();
    expect(sold.journal).not.toContain("ЕСИР време:");
    const refund = sale({ items, transactionType: "Refund", referentDocumentNumber: sold.invoiceNumber });
    // The store knows the time of the sale, but the POS did not send it.
    expect((await till.sell(refund)).json().journal).not.toContain("Реф. време:");
    const times = { dateAndTimeOfIssue: "2025-12-31T23:00:00Z", referentDocumentDT: "2025-12-31T22:00:00Z" };
    const { journal } = (await till.sell({ ...refund, ...times })).json();
    expect(journal).toContain("\r\nЕСИР време:          01.01.2026. 0:00:00\r\n");
    expect(journal).toContain("\r\nРеф. време:         31.12.2025. 23:00:00\r\n");
  });

  it("taxes a Copy or a Refund with today's rates and warns when the original's time is unknown", async () => {
    const logged: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => void logged.push(line) });
    const till = await openTill({ environment: "cyrillic", log });
    const items = [{ name: "Кафа", quantity: 1, unitPrice: 120, labels: ["Ђ"], totalAmount: 120 }];
    const sold = await till.sell(sale({ items }));
    const foreign = "OTHERUID-OTHERUID-77";
    const refund = sale({ items, transactionType: "Refund", referentDocumentNumber: foreign });
    const refunded = await till.sell(refund, { RequestId: "refund-1" });
    expect(refunded.headers.warning).toMatch(/^299 - "[\x20\x21\x23-\x5b\x5d-\x7e]*today's rates[^"\\]*"$/);
    expect(refunded.json()).toMatchObject({ messages: "Success", taxGroupRevision: 2 });
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? "")).toMatchObject({ requestId: "refund-1", referentDocumentNumber: foreign });
    // The stored answer repeats the warning, the log does not.
    const repeated = await till.sell(refund, { RequestId: "refund-1" });
    const found = await till.call("GET", "/api/v3/invoices/refund-1");
    expect([repeated, found].map(({ headers }) => headers.warning)).toEqual(Array(2).fill(refunded.headers.warning));
    expect(logged).toHaveLength(1);
    // No warning when the store or the POS knows the time, or for a sale.
    const copy = sale({ items, invoiceType: "Copy", referentDocumentNumber: sold.json().invoiceNumber });
    const said = { ...refund, referentDocumentDT: "2023-01-01T00:00:00Z" };
    const quiet = [sold, await till.sell(copy), await till.sell(said)];
    expect(quiet.map(({ status, headers }) => [status, headers.warning])).toEqual(Array(3).fill([200, undefined]));
  });

  it("refuses a referentDocumentDT in the future, with some tolerance for the POS's clock", async () => {
    const now = Date.UTC(2022, 3, 30, 21, 58);
    const items = [{ name: "Кафа", quantity: 1, unitPrice: 118, labels: ["Ђ"], totalAmount: 118 }];
    const refund = { items, transactionType: "Refund", referentDocumentNumber: NUMBER };
    const at = (seconds: number) =>
      sale({ ...refund, referentDocumentDT: new Date(now + seconds * 1000).toISOString() });
    const till = await openTill({ environment: "cyrillic", now: () => now });
    expect((await till.sell(at(301))).json()).toMatchObject({
      code: "2804",
      modelState: [{ property: "referentDocumentDT", errors: ["2804"] }],
    });
    expect(till.cardState().totalCounter).toBe(0);
    // Other rates apply in two minutes, but tax nothing before that.
    expect((await till.sell(at(300))).json()).toMatchObject({ taxGroupRevision: 1, taxItems: [{ rate: 18 }] });
    const strict = await openTill({ settings: { clockDrift: 0 }, environment: "cyrillic", now: () => now });
    expect((await strict.sell(at(1))).json()).toMatchObject({ code: "2804" });
    expect((await strict.sell(at(0))).status).toBe(200);
  });

  it("signs the service's time, not the caller's", async () => {
    const now = Date.UTC(2026, 4, 1, 12);
    const till = await openTill({ now: () => now });
    const body = (await till.sell(sale({ dateAndTimeOfIssue: "2020-01-01T00:00:00Z" }))).json<Record<string, string>>();
    expect(body.sdcDateTime).toBe("2026-05-01T12:00:00.000Z");
    expect(decodeVerificationUrl(body.verificationUrl ?? "").time).toBe(now);
    expect(body.journal).toContain("01.01.2020. 1:00:00");
  });
});

describe("POST /api/v3/test-invoice", () => {
  it("makes a Training Sale with one item for each label when there is no body", async () => {
    const till = await openTill();
    const body = (await till.call("POST", "/api/v3/test-invoice")).json<{ taxItems: { label: string }[] }>();
    expect(body).toMatchObject({ invoiceCounterExtension: "TS", messages: "Success", totalAmount: 600 });
    expect(body.taxItems.map(({ label }) => label)).toEqual(["A", "B", "C", "D", "E", "N"]);
    expect(till.cardState().sum).toBe(0n);
  });

  it("takes everything from the body except the types", async () => {
    const till = await openTill({ environment: "cyrillic" });
    const body = sale({
      cashier: "Ana",
      items: [{ name: "Чај", quantity: 1, unitPrice: 5, labels: ["Е"], totalAmount: 5 }],
    });
    const answer = await till.call("POST", "/api/v3/test-invoice", {
      headers: { "Content-Type": "application/json" },
      body,
    });
    expect(answer.json()).toMatchObject({ invoiceCounterExtension: "ОП", totalAmount: 5 });
    expect(answer.json().journal).toContain("Ana");
  });

  it("is answered with 400 and 2400 when it is off", async () => {
    const till = await openTill({ settings: { testInvoice: false } });
    const answer = await till.call("POST", "/api/v3/test-invoice");
    expect([answer.status, answer.json().code]).toEqual([400, "2400"]);
    expect(till.cardState().totalCounter).toBe(0);
  });
});

describe("switches", () => {
  it("negativeItems accepts discounts as long as the total is not negative", async () => {
    const discount = (amount: number) => ({
      name: "Discount",
      quantity: 1,
      unitPrice: amount,
      labels: ["A"],
      totalAmount: amount,
    });
    const items = [{ name: "Coffee", quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 }, discount(-10)];
    const strict = await openTill();
    expect((await strict.sell(sale({ items }))).json()).toMatchObject({ code: "2804" });
    const lenient = await openTill({ settings: { negativeItems: true } });
    expect((await lenient.sell(sale({ items }))).json()).toMatchObject({ totalAmount: 90, taxItems: [{ amount: 15 }] });
    expect((await lenient.sell(sale({ items: [discount(-10)] }))).json()).toMatchObject({ code: "2804" });
    // The total is positive, but one category would be negative: the card cannot sign that.
    const mixed = [items[0], { ...discount(-10), labels: ["D"] }];
    expect((await lenient.sell(sale({ items: mixed }))).json()).toMatchObject({ code: "2804" });
    expect(lenient.cardState().totalCounter).toBe(1);
  });

  it("requireReferentTime demands the original's time from a Copy and a Refund", async () => {
    const till = await openTill({ settings: { requireReferentTime: true } });
    const copy = sale({ invoiceType: "Copy", referentDocumentNumber: NUMBER });
    expect((await till.sell(copy)).json()).toMatchObject({
      code: "2800",
      modelState: [{ property: "referentDocumentDT", errors: ["2800"] }],
    });
    expect((await till.sell({ ...copy, referentDocumentDT: "2026-01-01T00:00:00Z" })).status).toBe(200);
  });

  it("journalHeader and qrFormat change only the form", async () => {
    const till = await openTill({ settings: { journalHeader: "labelled", qrFormat: "gif" } });
    const body = (await till.sell()).json<Record<string, string>>();
    expect(body.journal).toContain(`TIN:${"RS100000001".padStart(36)}`);
    expect(Buffer.from(body.verificationQRCode ?? "", "base64").toString("latin1", 0, 6)).toMatch(/^GIF8[79]a$/);
  });

  it("pathSegment accepts a segment before /api/v3", async () => {
    const till = await openTill({ settings: { pathSegment: "my-token" } });
    expect((await till.call("GET", "/my-token/api/v3/attention")).status).toBe(200);
    expect((await till.call("GET", "/api/v3/attention")).status).toBe(200);
    expect((await till.call("GET", "/other/api/v3/attention")).status).toBe(404);
  });
});
