/** Every bad request gets a clear error of the catalogue, moves no counter and leaves the service running. */
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { FISCAL_CODES } from "../../src/fiscal/codes.js";
import { expectRecord, oneItem, openRefusingTill, rawItem } from "../support/refusals.js";
import { JSON_HEADERS, sale } from "../support/till.js";

it.each<[string, string | Buffer]>([
  // scenarios/refused/bodies.yaml and not-utf-8.yaml have the others.
  ["Infinity", rawItem("unitPrice", "-Infinity")],
  ["a number with a leading zero", rawItem("unitPrice", "0100")],
  ["a hexadecimal number", rawItem("unitPrice", "0x64")],
  ["nesting without end", `{"items":${"[".repeat(200_000)}`],
  ["nesting deeper than any invoice", `{"a":${"[".repeat(40)}${"]".repeat(40)}}`],
  ["duplicate keys that differ", '{"invoiceType":"Normal","invoiceType":"Training"}'],
  ["a lone surrogate, raw", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ...["null", "[]", '"text"', "1", "true"].map((value): [string, string] => [value, value]),
])("a body that is not an invoice is refused with 2806: %s", async (_what, body) => {
  const { call } = await openRefusingTill();
  expectRecord(await call("POST", "/api/v3/invoices", { headers: JSON_HEADERS, body }), 400, {
    code: "2806",
    property: "body",
  });
});

it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])(
  "a body that is not an invoice is refused with 2806 under the content type %j",
  async (type) => {
    const { call } = await openRefusingTill();
    const headers: Record<string, string> = type === "" ? {} : { "Content-Type": type };
    const answer = await call("POST", "/api/v3/invoices", { headers, body: JSON.stringify(sale()) });
    expectRecord(answer, 400, { code: "2806", property: "Content-Type" });
  },
);

it("a body that is not an invoice is refused with 2801 over 1 MiB, and with 400", async () => {
  const { call } = await openRefusingTill();
  const body = JSON.stringify(sale({ cashier: "x".repeat(1024 * 1024) }));
  expectRecord(await call("POST", "/api/v3/invoices", { headers: JSON_HEADERS, body }), 400, {
    code: "2801",
    property: "body",
  });
});

it("a body that is not an invoice cannot reach prototypes", async () => {
  const { call } = await openRefusingTill();
  const body = `{"__proto__":{"items":[1]},"constructor":{"prototype":{"polluted":true}},${JSON.stringify(oneItem({ labels: [] })).slice(1)}`;
  expectRecord(await call("POST", "/api/v3/invoices", { headers: JSON_HEADERS, body }), 400, {
    code: "2807",
    property: "items[0].labels",
  });
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

it("any JSON in an invoice is refused with a code and the place of what was changed, or signed", async () => {
  const { sell, cardState, card } = await openRefusingTill();
  const before = cardState();
  const field = fc.constantFrom("invoiceType", "transactionType", "payment", "items", "cashier", "buyerId", "options");
  await fc.assert(
    fc.asyncProperty(fc.dictionary(field, fc.jsonValue({ maxDepth: 4 })), async (changes) => {
      const answer = await sell({ ...sale(), ...changes });
      const names = Object.keys(changes);
      expect(answer.status).toBeOneOf(names.length === 0 ? [200] : [200, 400]);
      if (answer.status === 200) return;
      const { code, modelState } = answer.json<{ code: string; modelState: { property: string }[] }>();
      expect(FISCAL_CODES).toContain(code);
      for (const { property } of modelState) expect(names).toContain(/^\w+/.exec(property)?.[0]);
    }),
    { numRuns: 200 },
  );
  card.memory.save(before);
});

it.each(["[]", "5", '"text"', "null", "true"])("a test invoice is refused with the body %s", async (body) => {
  const { call } = await openRefusingTill();
  const answer = await call("POST", "/api/v3/test-invoice", { headers: JSON_HEADERS, body });
  expectRecord(answer, 400, { code: "2806", property: "body" });
});

it.each(["gzip", "zip"])("a body with a Content-Encoding is refused: %s", async (encoding) => {
  const { call } = await openRefusingTill();
  const headers = { ...JSON_HEADERS, "Content-Encoding": encoding };
  const answer = await call("POST", "/api/v3/invoices", { headers, body: gzipSync(JSON.stringify(sale())) });
  expectRecord(answer, 400, { code: "2806", property: "body" });
});
