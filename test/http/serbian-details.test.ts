/** What is wrong in a request, in Serbian: a POS that asks for Serbian gets no English word. */
import { expect, it } from "vitest";
import { INVOICE_ENUMERATIONS, invoiceSchema } from "../../src/http/invoice-schema.js";
import { ITEM, oneItem, openRefusingTill } from "../support/refusals.js";
import { type CallOptions, JSON_HEADERS, openTill, sale } from "../support/till.js";

const SELL = "POST /api/v3/invoices";

function namesIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {} } = schema as { properties?: object };
  return [...Object.keys(properties), ...Object.values(schema).flatMap(namesIn)];
}

/** Names and values stay as they are in every language; so do the names of techniques. */
const UNTRANSLATED = new Set([
  ...namesIn(invoiceSchema({ negativeItems: true })),
  ...Object.values(INVOICE_ENUMERATIONS).flatMap((values) => Object.keys(values)),
  ...["pin", "paper", "qr", "mm", "command", "raster", "IT", "TT", "PaymentType", "invoice", "wrapped"],
  ...["PUT", "JSON", "UTF", "ASCII", "PHP", "UUID", "GET", "POST", "api", "invoices", "status", "application", "json"],
  ...["Content", "Type", "Encoding", "Accept", "Language", "RequestId", "requestIdLength", "array", "values"],
  ...["true", "false", "allowedHosts", "allowedOrigins", "en", "US", "sr", "Cyrl", "Latn", "RS", "order"],
]);

const wrong = (body: object): readonly [string, CallOptions] => [SELL, { headers: JSON_HEADERS, body }];
const raw = (body: string | Uint8Array): readonly [string, CallOptions] => [SELL, { headers: JSON_HEADERS, body }];
const refund = (fields: object) => wrong(sale({ transactionType: "Refund", ...fields }));

it.each<[what: string, request: readonly [string, CallOptions?]]>([
  ["missing fields", wrong({})],
  ["missing fields of a line", wrong(sale({ items: [{}], payment: [{}] }))],
  ["a missing reference", refund({})],
  ["a long text", wrong(sale({ cashier: "x".repeat(51) }))],
  ["a short text", wrong(oneItem({ gtin: "1234567" }))],
  ["an empty list", wrong(sale({ items: [] }))],
  ["a list for a text", wrong(sale({ cashier: [] }))],
  ["a text for an object", wrong(sale({ options: "none" }))],
  ["a text for true", wrong(sale({ options: { omitQRCodeGen: "none" } }))],
  ["a number for a list", wrong(sale({ items: 1 }))],
  ["PHP's empty list", wrong(sale({ options: [] }))],
  ["PHP's list with keys", wrong(sale({ items: { 1: ITEM } }))],
  ["a value that does not exist", wrong(sale({ invoiceType: 5 }))],
  ["a letter that the card cannot take", wrong(sale({ buyerId: "ЈМБГ" }))],
  ["an invisible name", wrong(oneItem({ name: "\u200b" }))],
  ["a control character", wrong(oneItem({ name: "\u0007" }))],
  ["a time that does not exist", wrong(sale({ dateAndTimeOfIssue: "30.2.2026" }))],
  ["a time out of range", wrong(sale({ dateAndTimeOfIssue: "1800-01-01T00:00:00" }))],
  ["a time out of range by its zone", wrong(sale({ dateAndTimeOfIssue: "1900-01-01T00:00:01+14:00" }))],
  ["no number", wrong(oneItem({ quantity: "x" }))],
  ["a number with many digits", wrong(oneItem({ unitPrice: 1e15 }))],
  ["a negative number", wrong(oneItem({ unitPrice: -1 }))],
  ["a small number", wrong(oneItem({ quantity: 0 }))],
  ["a third decimal", wrong(oneItem({ unitPrice: 1.111 }))],
  ["unknown labels", wrong(oneItem({ labels: ["Ж", "TOOLONGLABEL"] }))],
  ["a label of the other script", wrong(oneItem({ labels: ["А"] }))],
  ["a field twice", raw('{"items":[],"Items":[]}')],
  ["too many payments", wrong(sale({ payment: Array.from({ length: 1001 }, () => 1) }))],
  ["version 2", wrong({ IT: 0, TT: 0 })],
  ["an invoice in another object", wrong({ invoice: sale() })],
  ["a large total", wrong(sale({ items: Array(9).fill({ ...ITEM, totalAmount: 999_999_999_999 }) }))],
  [
    "a future original",
    refund({ referentDocumentNumber: "ABCDEFGH-ABCDEFGH-1", referentDocumentDT: "2999-01-01T00:00:00" }),
  ],
  [
    "an original before all rates",
    refund({ referentDocumentNumber: "ABCDEFGH-ABCDEFGH-1", referentDocumentDT: "1901-01-01T00:00:00" }),
  ],
  ["bytes that are no text", raw(new Uint8Array([0xff, 0xfe]))],
  ["another type of content", [SELL, { headers: { "Content-Type": "text/plain" }, body: "{}" }]],
  ["a compressed body", [SELL, { headers: { ...JSON_HEADERS, "Content-Encoding": "gzip" }, body: "{}" }]],
  ["half a JSON", raw('{"items":')],
  ["a JSON with a key twice", raw('{"items":[],"items":[]}')],
  ["no JSON", raw("invoice")],
  ["a deep body", raw("[".repeat(40))],
  ["a body with many values", raw(`[${"1,".repeat(17_000)}1]`)],
  ["a long JSON", raw(`"${"1".repeat(300_000)}"`)],
  ["a long body", raw("1".repeat(1_100_000))],
  ["two RequestIds", [SELL, { headers: { ...JSON_HEADERS, RequestId: ["order", "order"] }, body: sale() }]],
  ["a RequestId with other letters", [SELL, { headers: { ...JSON_HEADERS, RequestId: "\u00e9" }, body: sale() }]],
  ["a long RequestId", [SELL, { headers: { ...JSON_HEADERS, RequestId: crypto.randomUUID() }, body: sale() }]],
  ["an unknown RequestId", ["GET /api/v3/invoices/order"]],
  ["no last invoice", ["GET /api/v3/invoices"]],
  ["a path that does not exist", ["GET /api/v2/invoice"]],
  ["a path that cannot be read", ["GET /api/v3/invoices/%ff"]],
  ["another method", ["PUT /api/v3/invoices"]],
  ["another host", ["GET /api/v3/status", { headers: { Host: "shop.example" } }]],
  ["another origin", ["GET /api/v3/status", { headers: { Origin: "http://shop.example" } }]],
  ["a page of another site", ["GET /api/v3/status", { headers: { "Sec-Fetch-Site": "cross-site" } }]],
  ["a prefetch", ["GET /api/v3/status", { headers: { Purpose: "prefetch" } }]],
  ["no PIN", ["POST /api/v3/pin", { body: "" }]],
  ["a PIN that is no text", ["POST /api/v3/pin", { body: "[]" }]],
  ["two PINs", ["POST /api/v3/pin", { body: '{"pin":"1","PIN":"2"}' }]],
  ["a PIN in half a JSON", ["POST /api/v3/pin", { body: '{"pin' }]],
])("a POS that asks for Serbian reads only Serbian about %s", async (_, [endpoint, options = {}]) => {
  const till = await openRefusingTill();
  const [method = "", path = ""] = endpoint.split(" ");
  const detailsIn = async (language: string) => {
    const headers = { ...options.headers, "Accept-Language": language };
    return (await till.call(method, path, { ...options, headers })).json<{ details: string }>().details;
  };
  const cyrillic = await detailsIn("sr-Cyrl-RS");
  expect(cyrillic).toMatch(/\p{Script=Cyrillic}{3}/u);
  expect((cyrillic.match(/[A-Za-z]{2,}/g) ?? []).filter((word) => !UNTRANSLATED.has(word))).toEqual([]);
  const latin = await detailsIn("sr-Latn-RS");
  expect(latin.length).toBeGreaterThanOrEqual(cyrillic.length);
  // Of the Cyrillic letters, only those that the POS has sent are left.
  expect(latin.replaceAll(/[АЖ]/g, "")).not.toMatch(/\p{Script=Cyrillic}/u);
});

it("a POS that repeats a RequestId with another invoice reads in Serbian what differs", async () => {
  const till = await openTill();
  const sell = (cashier: string, language: string) =>
    till.call("POST", "/api/v3/invoices", {
      headers: { ...JSON_HEADERS, RequestId: "order", "Accept-Language": language },
      body: sale({ cashier }),
    });
  expect((await sell("Ana", "sr-Cyrl-RS")).status).toBe(200);
  const { details } = (await sell("Eva", "sr-Cyrl-RS")).json<{ details: string }>();
  expect((details.match(/[A-Za-z]{2,}/g) ?? []).filter((word) => !UNTRANSLATED.has(word))).toEqual([]);
  expect(details).toContain("cashier");
});
