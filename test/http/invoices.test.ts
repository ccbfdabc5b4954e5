import { createPublicKey } from "node:crypto";
import { expect, it } from "vitest";
import { isSignatureValid } from "../../src/fiscal/signature.js";
import { decodeVerificationUrl } from "../../src/fiscal/verification-url.js";
import { KEYS } from "../support/emulated-card.js";
import { openTill, sale } from "../support/till.js";

/** Specification, "Invoice response", and what clients read besides (docs/protocol.md). */
const FIELDS = (
  "verificationUrl verificationQRCode journal messages signedBy encryptedInternalData signature totalCounter " +
  "transactionTypeCounter totalAmount taxGroupRevision businessName tin locationName address district mrc requestedBy " +
  "sdcDateTime invoiceCounter invoiceCounterExtension invoiceNumber taxItems"
).split(" ");

it("POST /api/v3/invoices answers with every field of the specification, with taxItems as its only list", async () => {
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

it("POST /api/v3/invoices answers with a URL whose hash and signature are right", async () => {
  const time = Date.UTC(2026, 4, 1, 12);
  const till = await openTill({ now: () => time });
  const invoice = sale({ buyerId: "10:123456789", dateAndTimeOfIssue: "2020-01-01T00:00:00Z" });
  const decoded = decodeVerificationUrl((await till.sell(invoice)).json<{ verificationUrl: string }>().verificationUrl);
  expect(decoded).toMatchObject({
    hashValid: true,
    time,
    buyerId: "10:123456789",
    totalAmount: 1_000_000n,
    totalCounter: 1,
  });
  expect(isSignatureValid(decoded, till.card.profile.taxpayer.tin, createPublicKey(KEYS.cardKey))).toBe(true);
});

it("POST /api/v3/invoices leaves out QR code and journal as null, for every spelling of the flags", async () => {
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

it("POST /api/v3/invoices accepts names in any case, types as numbers, unknown fields and nulls", async () => {
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

it("POST /api/v3/invoices treats ProForma as Proforma", async () => {
  const till = await openTill();
  for (const invoiceType of ["ProForma", "Proforma", "PROFORMA", 1, "1"]) {
    expect((await till.sell(sale({ invoiceType }))).json().invoiceCounterExtension).toBe("PS");
  }
});

it("POST /api/v3/invoices accepts payments that do not add up, and no payments", async () => {
  const till = await openTill();
  const odd = [
    { amount: 0, paymentType: 1 },
    { amount: 7, paymentType: 2 },
  ];
  for (const payment of [[], odd]) expect((await till.sell(sale({ payment }))).status).toBe(200);
});

it("POST /api/v3/invoices signs the largest amounts exactly", async () => {
  const till = await openTill({ profile: { limit: "999999999999" } });
  const items = [
    { name: "Ship", quantity: 1, unitPrice: 999_999_999_999.99, labels: ["C"], totalAmount: 999_999_999_999.99 },
  ];
  const answer = await till.sell(sale({ items }));
  expect(answer.text).toContain('"totalAmount":999999999999.99');
  const { verificationUrl } = answer.json<{ verificationUrl: string }>();
  expect(decodeVerificationUrl(verificationUrl).totalAmount).toBe(9_999_999_999_999_900n);
});

it("POST /api/v3/invoices prints Cyrillic counters only on receipts in Cyrillic", async () => {
  const till = await openTill({ environment: "cyrillic" });
  const items = [{ name: "Кафа", quantity: 1, unitPrice: 120, labels: ["ђ"], totalAmount: 120 }];
  expect((await till.sell(sale({ items }))).json()).toMatchObject({
    invoiceCounter: "1/1ПП",
    taxItems: [{ label: "Ђ", amount: 20 }],
  });
  const latin = await till.sell(sale({ items, invoiceType: "Advance" }), { "Accept-Language": "sr-Latn-RS" });
  expect(latin.json().invoiceCounter).toBe("1/2AS");
});

it("POST /api/v3/invoices lists taxes in the order of the authority's categories", async () => {
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
