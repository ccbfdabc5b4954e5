/** The hot paths of a POS bypass Express' routers and must answer exactly as Express does. */
import { expect, it } from "vitest";
import { type Answer, type CallOptions, JSON_HEADERS, openTill, sale, type Till } from "../support/till.js";

/** Express ignores case here, and the hot path does not match. */
const elsewhere = (path: string) => path.replace("/api/", "/API/");

const CHANGING = /^(date|content-length)$/;

function shown({ status, headers, text }: Answer) {
  const compared = Object.entries(headers).filter(([name]) => !CHANGING.test(name));
  return { status, headers: Object.fromEntries(compared), length: headers["content-length"] !== undefined, text };
}

async function both({ call }: Till, method: string, path: string, options: CallOptions) {
  return [shown(await call(method, path, options)), shown(await call(method, elsewhere(path), options))] as const;
}

it.each<[string, string, string, CallOptions]>([
  ["attention", "GET", "/api/v3/attention", {}],
  ["status", "GET", "/api/v3/status", {}],
  ["a PIN as JSON", "POST", "/api/v3/pin", { headers: JSON_HEADERS, body: '"1234"' }],
  ["a PIN as text", "POST", "/api/v3/pin", { headers: { "Content-Type": "text/plain" }, body: "1234" }],
  ["a wrong PIN", "POST", "/api/v3/pin", { headers: JSON_HEADERS, body: '"9999"' }],
  ["a malformed PIN", "POST", "/api/v3/pin", { headers: JSON_HEADERS, body: "{" }],
  ["a wrong invoice", "POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: {} }],
  ["a body that is not JSON", "POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: "{" }],
  ["a repeated sale", "POST", "/api/v3/invoices", { headers: { ...JSON_HEADERS, RequestId: "sold" }, body: sale() }],
  ["a body that is too large", "POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: "x".repeat(2 ** 20 + 1) }],
  [
    "no language that we have",
    "POST",
    "/api/v3/invoices",
    { headers: { ...JSON_HEADERS, "Accept-Language": "xx" }, body: sale() },
  ],
  ["a foreign page", "GET", "/api/v3/status", { headers: { Origin: "https://example.org" } }],
  ["a foreign host", "GET", "/api/v3/attention", { headers: { Host: "example.org" } }],
  ["a page of this machine", "GET", "/api/v3/status", { headers: { Origin: "http://localhost:3000" } }],
  ["a browser's prefetch", "GET", "/api/v3/attention", { headers: { Purpose: "prefetch" } }],
  ["a method that is not allowed", "PUT", "/api/v3/invoices", { headers: JSON_HEADERS, body: sale() }],
  ["a preflight request", "OPTIONS", "/api/v3/invoices", { headers: { Origin: "http://localhost:3000" } }],
])("the service answers the same on both paths: %s", async (_, method, path, options) => {
  const till = await openTill({ now: () => Date.UTC(2026, 0, 5, 12) });
  await till.sell(sale(), { RequestId: "sold" });
  const [hot, express] = await both(till, method, path, options);
  expect(hot).toEqual(express);
});
