/** Every bad request gets a clear error of the catalogue, moves no counter and leaves the service running. */
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { FISCAL_CODES } from "../../src/fiscal/codes.js";
import { dial } from "../support/raw.js";
import { type Answer, JSON_HEADERS, openTill, sale, type Till } from "../support/till.js";

interface Expected {
  readonly code: string;
  readonly property: string;
}

let till: Till | undefined;

afterEach(async () => {
  // Everything in this file is refused, so the next sale is the first one.
  expect(till?.cardState()).toMatchObject({ totalCounter: 0, pinTriesLeft: 5 });
  till = undefined;
});

async function open(): Promise<Till> {
  till = await openTill();
  return till;
}

function expectRecord(answer: Answer, status: number, ...expected: Expected[]): void {
  expect(answer.status).toBe(status);
  const record = answer.json<{ code: string; message: string; details: string; modelState: unknown[] }>();
  expect(FISCAL_CODES).toContain(record.code);
  expect(record.message).not.toBe("");
  expect(record.details).not.toBe("");
  expect(record.code).toBe(expected[0]?.code);
  expect(record.modelState).toEqual(
    expect.arrayContaining(expected.map(({ code, property }) => ({ property, errors: [code] }))),
  );
  expect(record.modelState).toHaveLength(expected.length);
}

const ITEM = { name: "Coffee", quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 };
const oneItem = (overrides: object) => sale({ items: [{ ...ITEM, ...overrides }] });
const onePayment = (overrides: object) => sale({ payment: [{ amount: 1, paymentType: "Cash", ...overrides }] });

/** An invoice as text with a number or value that JSON.stringify would not write. */
const rawItem = (field: string, text: string) => JSON.stringify(oneItem({ [field]: "@" })).replace('"@"', text);

describe("a body that is not an invoice", () => {
  it.each([
    ["not JSON", "invoice"],
    ["half of JSON", '{"items":['],
    ["nothing", ""],
    ["NaN", rawItem("unitPrice", "NaN")],
    ["Infinity", rawItem("unitPrice", "-Infinity")],
    ["a number with a leading zero", rawItem("unitPrice", "0100")],
    ["a hexadecimal number", rawItem("unitPrice", "0x64")],
    ["nesting without end", `{"items":${"[".repeat(200_000)}`],
    ["nesting deeper than any invoice", `{"a":${"[".repeat(40)}${"]".repeat(40)}}`],
    ["duplicate keys that differ", '{"invoiceType":"Normal","invoiceType":"Training"}'],
    ["bytes that are not UTF-8", Buffer.from('{"cashier":"\xff"}', "latin1")],
    ["a lone surrogate, raw", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ])("is refused with 2806: %s", async (_what, body) => {
    const { call } = await open();
    expectRecord(await call("POST", "/api/v3/invoices", { headers: JSON_HEADERS, body }), 400, {
      code: "2806",
      property: "body",
    });
  });

  it.each([["null"], ["[]"], ['"text"'], ["1"], ["true"]])("is refused with 2806: %s", async (body) => {
    const { call } = await open();
    expectRecord(await call("POST", "/api/v3/invoices", { headers: JSON_HEADERS, body }), 400, {
      code: "2806",
      property: "body",
    });
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])(
    "is refused with 2806 under the content type %j",
    async (type) => {
      const { call } = await open();
      const headers: Record<string, string> = type === "" ? {} : { "Content-Type": type };
      const answer = await call("POST", "/api/v3/invoices", { headers, body: JSON.stringify(sale()) });
      expectRecord(answer, 400, { code: "2806", property: "Content-Type" });
    },
  );

  it("is refused with 2801 over 1 MiB, and with 400", async () => {
    const { call } = await open();
    const body = JSON.stringify(sale({ cashier: "x".repeat(1024 * 1024) }));
    expectRecord(await call("POST", "/api/v3/invoices", { headers: JSON_HEADERS, body }), 400, {
      code: "2801",
      property: "body",
    });
  });

  it("is refused when keys differ only in case, because it is unclear which one is meant", async () => {
    const { sell } = await open();
    expectRecord(await sell({ ...sale(), CASHIER: "Other" }), 400, { code: "2805", property: "cashier" });
  });

  it("cannot reach prototypes", async () => {
    const { call } = await open();
    const body = `{"__proto__":{"items":[1]},"constructor":{"prototype":{"polluted":true}},${JSON.stringify(oneItem({ labels: [] })).slice(1)}`;
    expectRecord(await call("POST", "/api/v3/invoices", { headers: JSON_HEADERS, body }), 400, {
      code: "2807",
      property: "items[0].labels",
    });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("a wrong field", () => {
  it.each<[what: string, body: object, ...Expected[]]>([
    [
      "everything required is missing",
      {},
      { code: "2800", property: "invoiceType" },
      { code: "2800", property: "transactionType" },
      { code: "2800", property: "payment" },
      { code: "2800", property: "items" },
    ],
    [
      "everything of an item and a payment is missing",
      sale({ items: [{}], payment: [{}] }),
      { code: "2800", property: "payment[0].amount" },
      { code: "2800", property: "payment[0].paymentType" },
      { code: "2800", property: "items[0].name" },
      { code: "2800", property: "items[0].quantity" },
      { code: "2800", property: "items[0].unitPrice" },
      { code: "2800", property: "items[0].labels" },
      { code: "2800", property: "items[0].totalAmount" },
    ],
    ["required and null", sale({ invoiceType: null }), { code: "2800", property: "invoiceType" }],
    ["cashier too long", sale({ cashier: "x".repeat(51) }), { code: "2801", property: "cashier" }],
    ["buyer id too long", sale({ buyerId: "x".repeat(21) }), { code: "2801", property: "buyerId" }],
    ["buyer id that is not ASCII", sale({ buyerId: "Купац" }), { code: "2806", property: "buyerId" }],
    ["cost centre without buyer", sale({ buyerCostCenterId: "1" }), { code: "2800", property: "buyerId" }],
    [
      "cost centre too long",
      sale({ buyerId: "1", buyerCostCenterId: "x".repeat(51) }),
      { code: "2801", property: "buyerCostCenterId" },
    ],
    ["invoice number too long", sale({ invoiceNumber: "x".repeat(61) }), { code: "2801", property: "invoiceNumber" }],
    ["a number as a cashier", sale({ cashier: 5 }), { code: "2806", property: "cashier" }],
    ["unknown invoice type", sale({ invoiceType: "Gift" }), { code: "2805", property: "invoiceType" }],
    ["invoice type out of its numbers", sale({ invoiceType: 5 }), { code: "2805", property: "invoiceType" }],
    ["empty transaction type", sale({ transactionType: "" }), { code: "2805", property: "transactionType" }],
    ["unknown payment type", onePayment({ paymentType: "Gold" }), { code: "2805", property: "payment[0].paymentType" }],
    ["payment type 7", onePayment({ paymentType: 7 }), { code: "2805", property: "payment[0].paymentType" }],
    ["negative payment", onePayment({ amount: -1 }), { code: "2804", property: "payment[0].amount" }],
    [
      "payment that is not a list",
      sale({ payment: { amount: 1, paymentType: "Cash" } }),
      { code: "2806", property: "payment" },
    ],
    ["no items", sale({ items: [] }), { code: "2807", property: "items" }],
    [
      "items that are not objects",
      sale({ items: [null, 1] }),
      { code: "2806", property: "items[0]" },
      { code: "2806", property: "items[1]" },
    ],
    ["no labels", oneItem({ labels: [] }), { code: "2807", property: "items[0].labels" }],
    ["an empty label", oneItem({ labels: [""] }), { code: "2310", property: "items[0].labels[0]" }],
    [
      "a label that is too long",
      oneItem({ labels: ["UNKNOWNLABEL"] }),
      { code: "2310", property: "items[0].labels[0]" },
    ],
    ["labels that are not texts", oneItem({ labels: [1] }), { code: "2806", property: "items[0].labels[0]" }],
    [
      "unknown labels",
      oneItem({ labels: ["A", "X", "Я"] }),
      { code: "2310", property: "items[0].labels[1]" },
      { code: "2310", property: "items[0].labels[2]" },
    ],
    [
      "a Cyrillic letter for a Latin label",
      oneItem({ labels: ["А"] }),
      { code: "2310", property: "items[0].labels[0]" },
    ],
    ["empty name", oneItem({ name: "" }), { code: "2802", property: "items[0].name" }],
    ["name of 2,049 characters", oneItem({ name: "x".repeat(2049) }), { code: "2801", property: "items[0].name" }],
    ["line feed in a name", oneItem({ name: "Tea\r\n====" }), { code: "2806", property: "items[0].name" }],
    ["control character in a name", oneItem({ name: "Tea\u0007" }), { code: "2806", property: "items[0].name" }],
    ["escape in a name", oneItem({ name: "\u001b[31mTea" }), { code: "2806", property: "items[0].name" }],
    ["line separator in a name", oneItem({ name: "Tea\u2028" }), { code: "2806", property: "items[0].name" }],
    ["lone surrogate in a name", oneItem({ name: "Tea\ud800" }), { code: "2806", property: "items[0].name" }],
    ["short GTIN", oneItem({ gtin: "1234567" }), { code: "2802", property: "items[0].gtin" }],
    ["long GTIN", oneItem({ gtin: "123456789012345" }), { code: "2801", property: "items[0].gtin" }],
    ["amount as text", oneItem({ unitPrice: "100" }), { code: "2806", property: "items[0].unitPrice" }],
    ["amount as NaN-like text", oneItem({ totalAmount: "NaN" }), { code: "2806", property: "items[0].totalAmount" }],
    ["negative amount", oneItem({ totalAmount: -1 }), { code: "2804", property: "items[0].totalAmount" }],
    ["three decimals", oneItem({ unitPrice: 1.005 }), { code: "2806", property: "items[0].unitPrice" }],
    ["13 digits", oneItem({ totalAmount: 1_000_000_000_000 }), { code: "2804", property: "items[0].totalAmount" }],
    ["quantity 0", oneItem({ quantity: 0 }), { code: "2804", property: "items[0].quantity" }],
    ["quantity below 0.001", oneItem({ quantity: 0.0004 }), { code: "2804", property: "items[0].quantity" }],
    ["quantity with four decimals", oneItem({ quantity: 1.0004 }), { code: "2806", property: "items[0].quantity" }],
    ["negative quantity", oneItem({ quantity: -1 }), { code: "2804", property: "items[0].quantity" }],
    [
      "a date that does not exist",
      sale({ dateAndTimeOfIssue: "2026-02-30T10:00:00Z" }),
      { code: "2806", property: "dateAndTimeOfIssue" },
    ],
    [
      "a date as a number",
      sale({ dateAndTimeOfIssue: 1_700_000_000 }),
      { code: "2806", property: "dateAndTimeOfIssue" },
    ],
    [
      "a flag that is not one",
      sale({ options: { omitQRCodeGen: "maybe" } }),
      { code: "2806", property: "options.omitQRCodeGen" },
    ],
    ["Copy without reference", sale({ invoiceType: "Copy" }), { code: "2800", property: "referentDocumentNumber" }],
    [
      "Refund with an empty reference",
      sale({ transactionType: "Refund", referentDocumentNumber: "" }),
      { code: "2800", property: "referentDocumentNumber" },
    ],
    [
      "a reference of another form",
      sale({ transactionType: "Refund", referentDocumentNumber: "12" }),
      { code: "2806", property: "referentDocumentNumber" },
    ],
    [
      "a total too large for the card",
      sale({ items: Array.from({ length: 8 }, () => ({ ...ITEM, totalAmount: 999_999_999_999.99 })) }),
      { code: "2804", property: "items" },
    ],
  ])("is named with its code: %s", async (_what, body, ...expected) => {
    const { sell } = await open();
    expectRecord(await sell(body), 400, ...expected);
  });

  it.each([
    ["1e308", "2804"],
    ["1e-308", "2806"],
    ["1e999999999999", "2804"],
    ["9".repeat(100_000), "2804"],
    [`0.${"1".repeat(100_000)}`, "2806"],
    ["-0.01", "2804"],
  ])("is named with its code: an amount of %.20s", async (number, code) => {
    const { call } = await open();
    const answer = await call("POST", "/api/v3/invoices", {
      headers: JSON_HEADERS,
      body: rawItem("unitPrice", number),
    });
    expectRecord(answer, 400, { code, property: "items[0].unitPrice" });
  });

  it("does not hide another one: every wrong field is named in one answer", async () => {
    const { sell } = await open();
    const body = sale({ invoiceType: "Gift", cashier: "x".repeat(51), items: [{ ...ITEM, quantity: 0, name: "" }] });
    const { modelState } = (await sell(body)).json<{ modelState: { property: string }[] }>();
    expect(modelState.map(({ property }) => property).sort()).toEqual(
      ["cashier", "invoiceType", "items[0].name", "items[0].quantity"].sort(),
    );
  });
});

describe("any JSON at all", () => {
  it("is refused with a code of the catalogue, or signed", async () => {
    const { sell, cardState, card } = await open();
    const before = cardState();
    const field = fc.constantFrom(
      "invoiceType",
      "transactionType",
      "payment",
      "items",
      "cashier",
      "buyerId",
      "options",
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(field, fc.jsonValue({ maxDepth: 4 })), async (changes) => {
        const answer = await sell({ ...sale(), items: [], ...changes });
        expect([200, 400]).toContain(answer.status);
        if (answer.status === 400) expect(FISCAL_CODES).toContain(answer.json().code);
      }),
      { numRuns: 200 },
    );
    card.memory.save(before);
  });
});

describe("a test invoice", () => {
  it.each(["[]", "5", '"text"', "null", "true"])("is refused with the body %s", async (body) => {
    const { call } = await open();
    const answer = await call("POST", "/api/v3/test-invoice", { headers: JSON_HEADERS, body });
    expectRecord(answer, 400, { code: "2806", property: "body" });
  });
});

describe("a PIN of 100,000 digits", () => {
  it("is wrong and costs no attempt", async () => {
    const { pin } = await open();
    expect((await pin("1".repeat(100_000))).text).toBe("2100");
  });
});

describe("a body that cannot be unpacked", () => {
  it.each([
    ["a bomb", "gzip", gzipSync(Buffer.alloc(50_000_000)), "2801"],
    ["no gzip", "gzip", Buffer.from("nope"), "2806"],
    ["an unknown encoding", "zip", Buffer.from("{}"), "2806"],
  ])("is refused: %s", async (_what, encoding, body, code) => {
    const { call } = await open();
    const headers = { ...JSON_HEADERS, "Content-Encoding": encoding };
    expectRecord(await call("POST", "/api/v3/invoices", { headers, body }), 400, { code, property: "body" });
  });
});

describe("an unknown expectation", () => {
  it("is ignored", async () => {
    const { call } = await open();
    const answer = await call("POST", "/api/v3/invoices", {
      headers: { ...JSON_HEADERS, Expect: "banana" },
      body: "{",
    });
    expectRecord(answer, 400, { code: "2806", property: "body" });
  });
});

describe("a request to nowhere", () => {
  it.each([
    ["GET", "/api/v3/nothing", 404],
    ["GET", "/api/v2/status", 404],
    ["POST", "/api/v3/%E0%A4%A", 404],
    ["GET", "/api/v3/invoices", 405],
    ["DELETE", "/api/v3/invoices", 405],
    ["PUT", "/api/v3/pin", 405],
    ["POST", "/api/v3/status", 405],
    ["PATCH", "/api/v3/environment-parameters", 405],
    ["POST", "/api/v3/attention", 405],
    ["GET", "/api/v3/test-invoice", 405],
    ["POST", "/api/v3/invoices/order-1", 405],
  ])("is answered with a record: %s %s", async (method, path, status) => {
    const { call } = await open();
    const answer = await call(method, path);
    expectRecord(answer, status, { code: "2805", property: status === 405 ? "method" : "path" });
    if (status === 405) expect(answer.headers.allow).toMatch(/^(GET|POST)$/);
  });

  it.each(["NOT HTTP AT ALL", "CONNECT other.example:80 HTTP/1.1", "GET http://[ HTTP/1.1"])(
    "is answered with a record even when it is not valid HTTP: %s",
    async (line) => {
      const { url } = await open();
      const { hostname, port } = new URL(url);
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => socket.write(`${line}\r\n\r\n`));
        let text = "";
        socket.on("data", (chunk) => {
          text += chunk.toString();
        });
        socket.on("close", () => resolve(text));
        socket.on("error", reject);
      });
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toMatchObject({ code: "2806" });
    },
  );

  it("that asks for a tunnel and is then reset does not disturb others", async () => {
    const { url, call } = await open();
    for (let i = 0; i < 20; i++) {
      const socket = await dial(url);
      socket.write("CONNECT other.example:80 HTTP/1.1\r\n\r\n");
      await once(socket, "data");
      socket.resetAndDestroy();
    }
    expect((await call("GET", "/api/v3/attention")).status).toBe(200);
  });

  it("does not hold back an earlier answer on its connection", async () => {
    const { url } = await open();
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () =>
      socket.write("GET /api/v3/status HTTP/1.1\r\nHost: localhost\r\n\r\nGET http://[ HTTP/1.1\r\n\r\n"),
    );
    const answers = await text(socket);
    expect(answers).toMatch(/^HTTP\/1\.1 200 [\s\S]*"isPinRequired":[\s\S]*HTTP\/1\.1 400 [\s\S]*"code":"2806"/);
  });

  it("is answered without a Host header", async () => {
    const { url } = await open();
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () =>
      socket.write("GET /api/v3/attention HTTP/1.1\r\nConnection: close\r\n\r\n"),
    );
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });
});
