/** No possible PIN appears in the traffic log or a recording, and the fields of an invoice appear unchanged. */
import { expect, it } from "vitest";
import { refusalOf } from "../../src/http/body.js";
import { LIMITS } from "../../src/http/limits.js";
import { maskedBody, maskedHeaders, maskedPath } from "../../src/http/traffic/mask.js";
import { describeExchange } from "../../src/secure-element/apdu/describe-exchange.js";
import { sale } from "../support/sale.js";

const INVOICES = "/api/v3/invoices";
const fields = (count: number, value: string) => `{${Array.from({ length: count }, (_, i) => `"k${i}":${value}`)}}`;

it.each([
  ["the value of any name", '{"pinCode":"7531"}', '{"pinCode":"****"}'],
  ["a number", '{"secret": 7531 }', '{"secret":"****"}'],
  ["what is nested", '{"a":{"b":[7,5,3,1]},"c":[7,5,3,1]}', '{"a":"****","c":"****"}'],
  ["a name", '{"7531":true}', '{"****":"****"}'],
  ["an escaped name", '{"\\u0037\\u0035\\u0033\\u0031":1}', '{"****":"****"}'],
  ["a text alone", '"7531"', '"****"'],
  ["a number alone", "37353331", '"****"'],
  ["a list alone", "[7,5,3,1]", '"****"'],
  ["XML", "<login><code>7531</code></login>", "(32 characters)"],
  ["a form", "user=1&code=7531&x=%37%35%33%31", "(31 characters)"],
  ["no JSON", '{"pinCode":7531', "(15 characters)"],
  ["the first 100 of many names", fields(300, "1"), fields(100, '"****"')],
  ["two values of one name", '{"a":1,"a":7531}', '{"a":"****","a":"****"}'],
])("a body outside an invoice's fields has nothing but its names, or its length: %s", (_what, body, masked) => {
  for (const path of ["/api/v3/nowhere", INVOICES]) expect(maskedBody(path, body)).toBe(masked);
});

it("a body outside an invoice's fields is still JSON with the same invoice in it", () => {
  const body = JSON.stringify(sale({ pinCode: 7531, casheer: "Ana", extras: { a: ["7531"] } }));
  const masked = maskedBody(INVOICES, body);
  expect(JSON.parse(masked)).toEqual(sale({ pinCode: "****", casheer: "****", extras: "****" }));
});

it.each([
  ["too deep", `{"a":${"[".repeat(33)}7531${"]".repeat(33)}}`],
  ["too many values", `[${"7531,".repeat(LIMITS.values.value)}7531]`],
  ["too long", `{"a":"${"7531".repeat(LIMITS.jsonCharacters.value / 4)}"}`],
])("a body outside an invoice's fields is refused as before if it is %s, and has no digits", (_, body) => {
  const masked = maskedBody(INVOICES, body);
  expect(masked).not.toMatch(/\d/);
  expect(refusalOf(masked)?.code).toBe(refusalOf(body)?.code);
});

it.each([
  ['{"pin":"7531"}', '{"pin":"****"}'],
  ['{ "pin": 7531 }', '{ "pin": **** }'],
  ['"7531"', '"****"'],
  ["7531\n", "****\n"],
  ["0753", "****"],
  ["%37%35%33%31", "************"],
  ["<pin>7531</pin>", "(15 characters)"],
  ["\uff17\uff15\uff13\uff11", "************"],
  ["7".repeat(101), "(101 characters)"],
])("the body of a PIN request keeps its form: %s", (body, masked) => {
  expect(maskedBody("/api/v3/pin", body)).toBe(masked);
});

it.each([INVOICES, "/shop/api/v3/Invoices/", "/api/v3/test-invoice?x=1"])(
  "the fields of an invoice are unchanged: %s",
  (path) => {
    const body =
      '{"CASHIER":"1234","buyerId":"10:2345","invoiceNumber":"2026/1234","dateAndTimeOfIssue":"2026-01-31T12:00:00Z",' +
      '"referentDocumentNumber":"ABCD1234-ABCD1234-1234","payment":[{"amount":1234.00,"paymentType":1}],' +
      '"items":[{"Name":"Nr. 1234","gtin":"12345678","labels":["1234"],"unitPrice":1.2340e3,"quantity":1,"totalAmount":1234}]}';
    expect(maskedBody(path, body)).toBe(body);
  },
);

it("the fields of an invoice do not protect what is nested below them", () => {
  const hidden =
    '{"cashier":{"pin":1},"items":[{"name":["7531"],"note":"7531"}],"payment":"7531","options":{"x":7531}}';
  const shown = '{"cashier":"****","items":[{"name":"****","note":"****"}],"payment":"****","options":{"x":"****"}}';
  expect(maskedBody(INVOICES, hidden)).toBe(shown);
});

it("the fields of an invoice are protected in invoices only", () => {
  expect(maskedBody("/api/v3/invoices/abc", '{"cashier":"1234"}')).toBe('{"cashier":"****"}');
  expect(maskedBody("/api/v3/status", '{"cashier":"1234"}')).toBe('{"cashier":"****"}');
});

it.each([
  ["/api/v3/status/7531", "/api/v3/status/****"],
  ["/7531/api/v3/status?a=7531&b=75310", "/****/api/v*/status?a=****&b=*****"],
  ["/api/v3/%37%35%33%31", "/api/v3/************"],
  ["/api/v3/pin/75", "/api/v3/pin/**"],
  ["/api/v3/status?a=7&b=5&c=3&d=1", "/api/v3/status?a=*&b=*&c=*&d=*"],
  ["/api/v3/invoices/a?paper=80mm", "/api/v3/invoices/a?paper=80mm"],
  ["http://till:7531/api/v3/status", "http://till:****/api/v*/status"],
  ["/api/v3/invoices/7531", "/api/v3/invoices/7531"],
  ["/api/v3/invoices/7531?code=7531", "/api/v3/invoices/7531?code=****"],
  ["/api/v3/invoices/7531/7531", "/api/v3/invoices/7531/****"],
])("an address %s is kept as %s", (path, masked) => {
  expect(maskedPath(path)).toBe(masked);
});

it("an address masks a token that was put into an address", () => {
  expect(maskedPath("/console/till?token=k3-Secret_9&limit=3")).toBe("/console/till?token=****&limit=3");
  expect(maskedPath("/s/?a=1&ConsoleToken=x#y", "s")).toBe("/s/?a=1&ConsoleToken=****#y");
  expect(maskedPath("/x?a=b?myToken=k?3#c&Password=p&b=1")).toBe("/x?a=b?myToken=****#c&Password=****&b=1");
});

it("an address keeps the path segment of the settings, which is not a PIN", () => {
  expect(maskedPath("/a-7531-b/api/v3/status/7531", "a-7531-b")).toBe("/a-7531-b/api/v3/status/****");
  expect(maskedPath("/a-7531-bc/api/v3/status", "a-7531-b")).toBe("/a-****-bc/api/v*/status");
});

it("headers have no four digits left, except RequestId, lengths and ports", () => {
  expect(
    maskedHeaders(INVOICES, {
      host: "localhost:8431",
      origin: "http://localhost:5173",
      "content-length": "7531",
      requestid: "7531",
      "user-agent": "till/7531 (2.0)",
      "x-code": "%37531",
      "x-pin": "75",
      "x-7531": "1",
      authorization: "Basic dXNlcjo3NTMx",
      cookie: "a=dXNlcjo3NTMx",
      referer: "http://till/?75",
    }),
  ).toEqual({
    host: "localhost:8431",
    origin: "http://localhost:5173",
    "content-length": "7531",
    requestid: "7531",
    "user-agent": "till/**** (*.*)",
    "x-code": "****",
    "x-pin": "****",
    "x-****": "****",
    authorization: "****",
    cookie: "****",
    referer: "****",
  });
});

it("headers cannot hide digits behind a port", () => {
  const hidden = { host: "7531:8431", origin: "http://7531.test:80?7531" };
  expect(maskedHeaders(INVOICES, hidden)).toEqual({ host: "****:****", origin: "http://****.test:**?****" });
  expect(maskedHeaders("/api/v3/pin", { requestid: "7531" })).toEqual({ requestid: "****" });
});

it.each([
  ["verify PIN", "881104000407050301", "8811040004****"],
  ["verify PIN in ASCII", "881104000437353331", "8811040004****"],
  ["verify PIN with an extended length", "88110400000004 07050301", "8811040000****"],
  ["verify PIN with far too many digits", `8811040050${"07".repeat(80)}`, "8811040050****"],
  ["VERIFY of the PKI applet", "0020008004 37353331", "0020008004****"],
  ["CHANGE REFERENCE DATA", "0024008008 3735333137353332", "0024008008****"],
  ["RESET RETRY COUNTER", "002C008004 37353331", "002C008004****"],
  ["a VERIFY that asks for the attempts", "00200080", "00200080"],
  ["end audit", `8820040004 07050301`, "882004000407050301"],
])("an APDU of the traffic log shows no PIN: %s", (_what, command, shown) => {
  expect(describeExchange(Buffer.from(command.replaceAll(" ", ""), "hex"), undefined).command).toBe(shown);
});
