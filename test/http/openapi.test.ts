/** The OpenAPI description is served, and matches the service. test/tools/run.mjs lets a linter read it. */
import { expect, it } from "vitest";
import { FISCAL_CODES } from "../../src/fiscal/codes.js";
import { API_PREFIX, ENDPOINTS } from "../../src/http/endpoints.js";
import { LIMITS } from "../../src/http/limits.js";
import { openApiDocument } from "../../src/http/openapi.js";
import { compileSchema, type JsonSchema } from "../../src/schema/validator.js";
import { JSON_HEADERS, openTill, sale } from "../support/till.js";

const SETTINGS = { negativeItems: false, answerForm: "specification", requestIdLength: 32 } as const;

interface Described {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, { readonly description: string }>> }>>
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}
const described = (settings: Parameters<typeof openApiDocument>[0] = SETTINGS) =>
  openApiDocument(settings) as unknown as Described;

it("an OpenAPI document describes every endpoint, and mentions every error code", () => {
  const { paths } = described();
  expect(Object.keys(paths)).toEqual([
    ...new Set(ENDPOINTS.map(({ path }) => API_PREFIX + path.replace(":requestId", "{requestId}"))),
  ]);
  const text = JSON.stringify(paths);
  for (const code of FISCAL_CODES) {
    const isError = !["0000", "0100", "0210", "0220", "1400", "2100"].includes(code);
    if (isError) expect(text, code).toContain(code);
  }
});

it("an OpenAPI document follows the settings that change the interface", () => {
  const strict = described();
  const other = described({ negativeItems: true, answerForm: "device", requestIdLength: 36 });
  const pin = (document: Described) => Object.keys(document.paths["/api/v3/pin"]?.post?.responses ?? {});
  expect([pin(strict).includes("423"), pin(other).includes("423")]).toEqual([false, true]);
  const texts = [strict, other].map((document) => JSON.stringify(document.paths["/api/v3/invoices"]));
  expect(texts.map((text) => /"name":"RequestId".*?"maxLength":(\d+)/.exec(text)?.[1])).toEqual(["32", "36"]);
  const discount = { name: "Discount", quantity: 1, unitPrice: -1, labels: ["A"], totalAmount: -1 };
  const invoice = { invoiceType: "Normal", transactionType: "Sale", payment: [], items: [discount] };
  const takes = (document: Described) => compileSchema(document.components.schemas.Invoice ?? {})(invoice);
  expect([takes(strict), takes(other)]).toEqual([false, true]);
});

/** An invoice with every field of the specification's tables. */
const FULL = {
  dateAndTimeOfIssue: "2026-01-31T12:00:00.000Z",
  cashier: "Ana",
  buyerId: "10:123456789",
  buyerCostCenterId: "5",
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 240.5, paymentType: "Cash" }],
  invoiceNumber: "POS2017/998",
  referentDocumentNumber: "",
  options: { omitQRCodeGen: "1", omitTextualRepresentation: "0" },
  items: [{ name: "Coffee", quantity: 2, unitPrice: 120.25, labels: ["A", "N"], totalAmount: 240.5 }],
};
const REFERENT = "TESTCARD-TESTCARD-1";
const paidWith = (paymentType: unknown) => sale({ payment: [{ amount: 100, paymentType }] });
const flagged = (flag: unknown) => sale({ options: { omitQRCodeGen: flag, omitTextualRepresentation: flag } });

const SPECIFIED: Record<string, object> = {
  "every field": FULL,
  "Copy with its referent": { ...FULL, invoiceType: "Copy", referentDocumentNumber: REFERENT },
  Refund: { ...FULL, transactionType: "Refund", referentDocumentNumber: REFERENT },
  ...Object.fromEntries(
    ["Normal", "Training", "Proforma", "Advance"].map((invoiceType) => [invoiceType, { ...FULL, invoiceType }]),
  ),
  ...Object.fromEntries(
    ["Cash", "Card", "Check", "WireTransfer", "Wire Transfer", "Voucher", "MobileMoney", "Other"].map((name) => [
      `payment ${name}`,
      paidWith(name),
    ]),
  ),
};

/** What deployed clients also send (docs/protocol.md, "Invoice request"). */
const SENT_IN_THE_FIELD: Record<string, object> = {
  ...Object.fromEntries(
    [0, 1, 2, 3, 4, 5, 6, "0", "6"].map((type) => [`payment ${JSON.stringify(type)}`, paidWith(type)]),
  ),
  ...Object.fromEntries(
    [0, 1, true, false, "0", "1", null, ""].map((flag) => [`flag ${JSON.stringify(flag)}`, flagged(flag)]),
  ),
  "enumerations as numbers": sale({ invoiceType: 3, transactionType: "0" }),
  "a Copy by its number": sale({ invoiceType: 2, referentDocumentNumber: REFERENT }),
  "null in optional fields": sale({ cashier: null, buyerId: null, options: null, referentDocumentDT: null }),
  "false in optional texts": sale({ cashier: false, buyerId: false, referentDocumentDT: false }),
  "numbers in texts": sale({ invoiceNumber: 72726, buyerId: 17 }),
  "a cost centre without a buyer": sale({ buyerCostCenterId: "5" }),
  "a payment with 14 decimals": sale({ payment: [{ amount: 361.72999999999996, paymentType: "Cash" }] }),
  "empty optional fields": sale({ cashier: "", buyerCostCenterId: "", dateAndTimeOfIssue: "", options: "" }),
  "an unknown field": sale({ extra: { anything: 1 } }),
  "a time without a zone": sale({ dateAndTimeOfIssue: "2026-01-31 12:00:00" }),
  "a GTIN": sale({
    items: [{ gtin: "12345678", name: "x", quantity: 1, unitPrice: 1, labels: ["A"], totalAmount: 1 }],
  }),
};

const WRONG: Record<string, object> = {
  "an invalid flag": flagged("2"),
  "an unknown payment": paidWith(7),
  "a Refund by its number, with an empty referent": sale({ transactionType: "1", referentDocumentNumber: "" }),
  "a Copy without a referent": sale({ invoiceType: "Copy" }),
  "false in a required text": sale({
    items: [{ name: false, quantity: 1, unitPrice: 1, labels: ["A"], totalAmount: 1 }],
  }),
  "null in a required field": sale({ items: null }),
  "an amount as text": sale({ payment: [{ amount: "100", paymentType: "Cash" }] }),
};

const validate = compileSchema(described().components.schemas.Invoice ?? {});

it.each(Object.entries({ ...SPECIFIED, ...SENT_IN_THE_FIELD }))(
  "an invoice is valid by the document and signed: %s",
  async (_, body) => {
    validate(body);
    expect(validate.errors ?? []).toEqual([]);
    const { call } = await openTill();
    const answer = await call("POST", "/api/v3/invoices", { headers: JSON_HEADERS, body });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"totalCounter":1')]);
  },
);

it.each(Object.entries(WRONG))("an invoice is invalid by the document and refused: %s", async (_, body) => {
  expect(validate(body)).toBe(false);
  const { call } = await openTill();
  expect((await call("POST", "/api/v3/invoices", { headers: JSON_HEADERS, body })).status).toBe(400);
});

it("the service documents for every endpoint what is refused before its handler", () => {
  for (const { responses } of Object.values(described().paths).flatMap((methods) => Object.values(methods))) {
    expect(responses["400"]?.description).toMatch(/2801.*2805.*2806/);
    expect(responses["503"]?.description).toContain(LIMITS.connections.sentence);
  }
});

it("the service documents 503 with 2220 for everything that waits or may wait for the card", () => {
  const { paths } = described();
  const later = (path: string) =>
    Object.values(paths[`/api/v3${path}`] ?? {}).map(({ responses }) => responses["503"]?.description);
  expect(later("/invoices")).toEqual([
    expect.stringMatching(/2220 .*queueLength.*not finished yet/),
    expect.stringMatching(/2220 .*in doubt/),
  ]);
  expect(later("/test-invoice")).toEqual([expect.stringMatching(/2220 .*queueLength/)]);
  expect(later("/invoices/{requestId}")).toEqual([expect.stringMatching(/2220 .*waits.*in doubt/)]);
  expect(later("/status")).toEqual([expect.not.stringContaining("2220")]);
});

it("the service documents the failure of every endpoint that can fail", () => {
  for (const [path, methods] of Object.entries(described().paths)) {
    const [operation] = Object.values(methods);
    const failure = operation?.responses["500"]?.description ?? "";
    expect([path, failure]).toEqual([path, path.endsWith("/attention") ? "" : expect.stringContaining("1999")]);
  }
});

it("the service serves the document, and only to be read", async () => {
  const { call } = await openTill();
  const json = await call("GET", "/openapi.json");
  expect(json.json()).toEqual(openApiDocument(SETTINGS));
  expect((await call("DELETE", "/openapi.json")).status).toBe(405);
});
