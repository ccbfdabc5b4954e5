/** No possible PIN appears in the traffic log or a recording, and the fields of an invoice appear unchanged. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { LIMITS } from "../../src/http/limits.js";
import { maskedBody, maskedHeaders, maskedPath } from "../../src/http/traffic/mask.js";
import { describeExchange } from "../../src/secure-element/apdu/describe-exchange.js";
import { sale } from "../support/sale.js";

const INVOICES = "/api/v3/invoices";

const digits = fc.stringMatching(/^[0-9 .,:eEpinPIN%&\\a-z-]{0,24}$/);

it.each(["/", INVOICES])("a text that is harmless at first sight is the same after the full check: %s", (path) => {
  fc.assert(
    fc.property(fc.record({ cashier: digits, other: digits, number: fc.double({ noNaN: true }) }), (fields) => {
      const json = JSON.stringify({ ...fields, exact: 0 });
      // A letter outside ASCII triggers the full check.
      const longer = JSON.stringify({ ...fields, exact: 0, far: "\u00e9" });
      expect(maskedBody(path, longer)).toBe(maskedBody(path, json).replace(/\}$/, ',"far":"\u00e9"}'));
    }),
    { numRuns: 2000 },
  );
});

it("a text that is harmless at first sight is unchanged when it is not JSON, too", () => {
  fc.assert(
    fc.property(digits, (text) => {
      expect(maskedPath(`/\u00e9 ${text}`)).toBe(`/\u00e9${maskedPath(` ${text}`)}`);
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ["any name", '{"pinCode":"7531"}', '{"pinCode":"****"}'],
  ["a number", '{"secret": 7531 }', '{"secret": "****" }'],
  ["a number with decimals", '{"a":[7531.0,75.31,-7531]}', '{"a":["****.0",75.31,"-****"]}'],
  ["a number in another notation", '{"a":7.531e3,"b":7531e0}', '{"a":"*.***e*","b":"****e0"}'],
  ["escaped digits", '{"a":"\\u0037\\u0035\\u0033\\u0031"}', '{"a":"****"}'],
  ["an escaped name", '{"\\u0070in":"75310"}', '{"\\u0070in":"*****"}'],
  [
    "everything under a name that contains pin",
    '{"userPin":{"a":[7,5,"x3",1.5]}}',
    '{"userPin":{"a":["*","*","x*","*.*"]}}',
  ],
  ["a name", '{"7531":true}', '{"****":true}'],
  ["two names", '{"7531":1,"7532":2}', '{"****":1,"****c":2}'],
  ["a nested text", '{"a":"{\\"b\\":\\"\\\\u00377531\\"}"}', '{"a":"{\\"b\\":\\"\\\\u00377531\\"}"}'],
  ["JSON in a text", '{"a":"{\\"pin\\":75311}"}', '{"a":"{\\"pin\\":*****}"}'],
  ["a text alone", '"7531"', '"****"'],
  ["a number alone", "7531", '"****"'],
  ["five digits stay", '{"a":"75310","b":753}', '{"a":"75310","b":753}'],
  ["XML", "<login><code>7531</code></login>", "<login><code>****</code></login>"],
  ["XML with entities", "<c>&#55;&#x35;&#51;&#x31;</c>", "<c>****</c>"],
  ["a form", "user=1&code=7531&x=%37%35%33%31", "user=1&code=****&x=****"],
  ["no JSON", '{"pinCode":7531', '{"pinCode":****'],
  ["no JSON, with a list", '{"pinCode":[7,5,3,1]', '{"pinCode":[*,*,*,*]'],
  ["no JSON, with an object", '{"pin":{"x":7,"y":5}', '{"pin":{"x":*,"y":*}'],
  ["XML with a name that contains pin", "<userPin>75310</userPin>", "<userPin>*****</userPin>"],
  ["a form with a name that contains pin", "userPin=75310", "userPin=*****"],
  ["a form with a name in codes", "user_%70in=7%35", "user_%70in=**"],
  ["JSON in a text, with a list", '{"a":"{\\"userPin\\":[7,5]}"}', '{"a":"{\\"userPin\\":[*,*]}"}'],
  ["escapes that are not JSON", '{"a":"\\u0037531"', '{"a":"****"'],
  ["Arabic digits", '{"a":"\u0667\u0665\u0663\u0661"}', '{"a":"****"}'],
  ["Arabic digits in an address", "a=%D9%A7%D9%A5%D9%A3%D9%A1", "a=****"],
  ["wide digits", "code: \uff17\uff15\uff13\uff11", "code: ****"],
  ["digits in circles", "\u2466\u2464\u2462\u2460", "****"],
  [
    "emoji digits",
    "7\ufe0f\u20e35\ufe0f\u20e33\ufe0f\u20e31\ufe0f\u20e3",
    "*\ufe0f\u20e3*\ufe0f\u20e3*\ufe0f\u20e3*\ufe0f\u20e3",
  ],
  ["digits with invisible characters between them", "7\u200b5\u200b3\u200b1", "*\u200b*\u200b*\u200b*"],
  ["UTF-16", "\u00007\u00005\u00003\u00001", "\u0000*\u0000*\u0000*\u0000*"],
  ["an APDU", '{"apdu":"881104000407050301"}', '{"apdu":"8811**************"}'],
  ["an APDU as a number", '{"apdu":37353331}', '{"apdu":"********"}'],
  ["an APDU as a number alone", "37353331", '"********"'],
  ["an APDU with spaces", '{"apdu":"00 20 00 80 04 37 35 33 31"}', '{"apdu":"00 20 00 80 04 ** ** ** **"}'],
])("a body outside an invoice's fields has no four digits left: %s", (_what, body, masked) => {
  expect(maskedBody("/api/v3/nowhere", body)).toBe(masked);
});

it("a body outside an invoice's fields is still JSON with the same invoice in it", () => {
  const body = JSON.stringify(sale({ pinCode: 7531, extras: { a: ["7531"] } }));
  const masked = maskedBody(INVOICES, body);
  expect(masked).not.toContain("7531");
  expect(JSON.parse(masked)).toEqual(sale({ pinCode: "****", extras: { a: ["****"] } }));
});

it("a body outside an invoice's fields loses all digits under a name that contains pin, also at a depth and a number of values that are not read", () => {
  const texts = [
    ["[".repeat(32), '{"userPin":"75310"}', "]".repeat(32)],
    ["[".repeat(33), "7.531e3", "]".repeat(33)],
    ["", `{"userPin":[7,5,3,1${",1".repeat(4998)}]}`, ""],
    ["", `{"userPin":[7${",".repeat(10_000)}`, ""],
  ].map(([before, middle, after]) => `{"a":${before}${middle}${after}}`);
  for (const text of texts) expect(maskedBody(INVOICES, text)).not.toMatch(/\d/);
});

it("a body outside an invoice's fields is masked at any size and depth", () => {
  const deep = `{"a":${"[".repeat(700)}7531${"]".repeat(700)}}`;
  expect(maskedBody(INVOICES, deep)).toBe(deep.replace("7531", "****"));
  const large = JSON.stringify({ cashier: "1234", a: `${"x\\".repeat(50_000)}7531` });
  expect(maskedBody(INVOICES, large)).toBe(large.replace("7531", "****"));
  const names = Array.from({ length: 60_000 }, (_, i) => `"${1000 + (i % 9000)}":${i % 10}`);
  expect(maskedBody(INVOICES, `{${names.join()}}`)).not.toMatch(/\d{4}/);
  for (const text of ["1".repeat(16_000), "\0".repeat(200_000), "%31".repeat(5_000), "1\u200b".repeat(8_000)]) {
    expect(maskedBody(INVOICES, text)).toBe(text);
  }
});

it("a body outside an invoice's fields loses all digits in every form if it is too long to be searched", () => {
  for (const digit of ["1", "%31", "\\u0031", "\\u{31}", "\\x31", "&#49;", "&#x31;", "1\u200b", "\u0661", "%D9%A1"]) {
    const text = maskedBody(INVOICES, `7531 ${digit.repeat(20_000)}`);
    expect(text).not.toMatch(/\p{N}/u);
    expect(text).not.toMatch(/%[0-9a-f]{2}|\\|&#/i);
  }
});

it("a body outside an invoice's fields loses each code in its short texts, too, if it is too long to be searched", () => {
  const texts = Array.from({ length: 400 }, (_, i) => `\u00e9 %31a%20${i}&#49;\\u0031`.repeat(2));
  const body = JSON.stringify({ cashier: "%31", texts });
  const hidden = texts.map((text) => text.replaceAll(/%31|%20|&#49;|\\u0031|\d/g, "*"));
  expect(maskedBody(INVOICES, body)).toBe(JSON.stringify({ cashier: "%31", texts: hidden }));
});

it("a body outside an invoice's fields is masked as a text if it has more places to mask than an invoice", () => {
  const fields = Array.from({ length: 5_001 }, (_, i) => [`x${1000 + i}`, 1000 + i]);
  const many = JSON.stringify({ cashier: "7531", ...Object.fromEntries(fields) });
  expect(maskedBody(INVOICES, many)).toBe(many.replaceAll(/\d/g, "*"));
});

it("a body outside an invoice's fields keeps an invoice's own fields beside thousands of unknown ones", () => {
  const item = { name: "Nr. 1234", labels: ["1234"], quantity: 1, unitPrice: 1234, totalAmount: 1234 };
  const items = Array.from({ length: 1000 }, () => ({ ...item, tax1: 1234, tax2: 1234, tax3: 1234 }));
  const kept = JSON.parse(maskedBody(INVOICES, JSON.stringify({ cashier: "1234", items }))) as { items: object[] };
  expect(kept).toMatchObject({ cashier: "1234" });
  expect(kept.items[999]).toEqual({ ...item, "tax*": "****", "tax*c": "****", "tax*d": "****" });
});

it("a body outside an invoice's fields is masked as a text if it has more values than an invoice", () => {
  const many = JSON.stringify({ cashier: "7531", x: Array.from({ length: 10_000 }, () => '\\,"[\u00e9') });
  expect(maskedBody(INVOICES, many)).toBe(many.replaceAll(/\d/g, "*").replaceAll("\u00e9", "**"));
  const fewer = JSON.stringify({ cashier: "7531", x: Array.from({ length: 9_999 }, () => '\\,"[\u00e9') });
  expect(maskedBody(INVOICES, fewer)).toBe(fewer);
});

it("a body outside an invoice's fields keeps an invoice's own fields also in a long one", () => {
  const items = Array.from({ length: 500 }, (_, i) => ({
    name: `Nr. ${1000 + i}`,
    sku: `${1000 + i}`,
    unitPrice: 1234,
  }));
  const kept = JSON.parse(maskedBody(INVOICES, JSON.stringify({ cashier: "1234", items }))) as { items: object[] };
  expect(kept).toMatchObject({ cashier: "1234" });
  expect(kept.items[7]).toEqual({ name: "Nr. 1007", sku: "****", unitPrice: 1234 });
});

it.each([INVOICES, "/shop/api/v3/Invoices/", "/api/v3/test-invoice?x=1"])(
  "the fields of an invoice are unchanged: %s",
  (path) => {
    const body = `{ "CASHIER": "1234", "buyerId":"10:2345", "invoiceNumber": "2026/\\u0031234", "dateAndTimeOfIssue": "2026-01-31T12:00:00Z",
      "referentDocumentNumber": "ABCD1234-ABCD1234-1234", "payment": [{"amount": 1234.00, "paymentType": 1}],
      "items": [{"Name": "Nr. 1234", "gtin": "12345678", "labels": ["1234"], "unitPrice": 1.2340e3, "quantity": 1, "totalAmount": 1234}] }`;
    expect(maskedBody(path, body)).toBe(body);
  },
);

it("the fields of an invoice do not protect what is nested below them", () => {
  const hidden =
    '{"cashier":{"pin":1},"items":[{"name":["7531"],"note":"7531"}],"payment":"7531","options":{"x":7531}}';
  const shown =
    '{"cashier":{"pin":"*"},"items":[{"name":["****"],"note":"****"}],"payment":"****","options":{"x":"****"}}';
  expect(maskedBody(INVOICES, hidden)).toBe(shown);
});

it("the fields of an invoice are protected in invoices only", () => {
  expect(maskedBody("/api/v3/invoices/abc", '{"cashier":"1234"}')).toBe('{"cashier":"****"}');
  expect(maskedBody("/api/v3/status", '{"cashier":"1234"}')).toBe('{"cashier":"****"}');
});

it.each([
  ["/api/v3/status/7531", "/api/v3/status/****"],
  ["/7531/api/v3/status?a=7531&b=75310", "/****/api/v3/status?a=****&b=75310"],
  ["/api/v3/%37%35%33%31", "/api/v3/****"],
  ["/api/v3/pin/75", "/api/v3/pin/**"],
  ["/api/v3/status?pin=75", "/api/v3/status?pin=**"],
  ["/api/v3/status?userPin=75&limit=5", "/api/v3/status?userPin=**&limit=*"],
  ["http://till:7531/api/v3/status", "http://till:****/api/v3/status"],
  ["/api/v3/invoices/7531", "/api/v3/invoices/7531"],
  ["/api/v3/invoices/7531?code=7531", "/api/v3/invoices/7531?code=****"],
  ["/api/v3/invoices/7531/7531", "/api/v3/invoices/****/****"],
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
  expect(maskedPath("/a-7531-bc/api/v3/status", "a-7531-b")).toBe("/a-****-bc/api/v3/status");
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
    "user-agent": "till/**** (2.0)",
    "x-code": "****",
    "x-pin": "**",
    "x-****": "1",
    authorization: "****",
    cookie: "****",
    referer: "http://till/?**",
  });
});

it("headers cannot hide digits behind a port", () => {
  const hidden = { host: "7531:8431", origin: "http://7531.test:80?7531" };
  expect(maskedHeaders(INVOICES, hidden)).toEqual({ host: "****:8431", origin: "http://****.test:80?****" });
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

const end = LIMITS.jsonCharacters.value;

it.each([-5, -2, -1, 0, 1])(
  "a body that is longer than the service reads is kept in part, without the digits of a PIN at its end (%i)",
  (shift) => {
    const body = `${"x".repeat(end + shift)}7531${"x".repeat(20)}`;
    const kept = maskedBody("/", body);
    expect(kept.length).toBe(end + 1);
    expect(kept).not.toMatch(/\d/);
  },
);

it("a body that is longer than the service reads has no digits, also where they are written in another form", () => {
  expect(maskedBody("/", `7531 75310 %37 ${"x".repeat(end)}`).slice(0, 13)).toBe("**** ***** * ");
  expect(maskedBody("/api/v3/pin", "7".repeat(2 * end))).toBe(`${"*".repeat(end)}…`);
});
