/** Lists all endpoints. The router and the documentation read this list (docs/interface.md, "Endpoints"). */

export const API_PREFIX = "/api/v3";

export const ENDPOINTS = [
  { name: "attention", method: "GET", path: "/attention", purpose: "200 when the service runs; never gated" },
  { name: "pin", method: "POST", path: "/pin", purpose: "verify the PIN of the card" },
  { name: "status", method: "GET", path: "/status", purpose: "card, PIN, audit, tax rates" },
  {
    name: "environmentParameters",
    method: "GET",
    path: "/environment-parameters",
    purpose: "environment of the authority",
  },
  { name: "invoices", method: "POST", path: "/invoices", purpose: "fiscalize an invoice" },
  {
    name: "lastInvoice",
    method: "GET",
    path: "/invoices",
    purpose: "the stored answer of the card's last invoice; `journal` is null if the store does not have its invoice",
  },
  {
    name: "invoice",
    method: "GET",
    path: "/invoices/:requestId",
    purpose: "the stored answer of a RequestId, after a lost answer",
  },
  {
    name: "escPos",
    method: "GET",
    path: "/invoices/:requestId/escpos",
    purpose: "the receipt of a RequestId as bytes for a receipt printer",
  },
  { name: "testInvoice", method: "POST", path: "/test-invoice", purpose: "a Training Sale of sample items" },
] as const;

/** All paths of the console except `/` begin with this prefix. */
export const CONSOLE_PREFIX = "/console";

/** Whether a request with this address is one of the console, and no POS traffic. Express ignores the case of paths. */
export function isConsolePath(url: string): boolean {
  return /^\/(console(\/|\?|$)|\?|$)/i.test(url);
}

/** Whether a request posts an invoice. The case of the path does not matter, and the path may end in a slash. */
export function isSale({ method, originalUrl }: { readonly method: string; readonly originalUrl: string }): boolean {
  return method === "POST" && /\/api\/v3\/(invoices|test-invoice)\/?(\?|$)/i.test(originalUrl);
}

export type EndpointName = (typeof ENDPOINTS)[number]["name"];
