/** Lists all endpoints. The router and the documentation read this list (docs/interface.md, "Endpoints"). */
import { endpoint } from "./endpoint.js";

export const API_PREFIX = "/api/v3";

export const ENDPOINTS = [
  endpoint("attention", "GET /attention", "200 when the service runs; never gated"),
  endpoint("pin", "POST /pin", "verify the PIN of the card"),
  endpoint("status", "GET /status", "card, PIN, audit, tax rates"),
  endpoint("environmentParameters", "GET /environment-parameters", "environment of the authority"),
  endpoint("invoices", "POST /invoices", "fiscalize an invoice"),
  endpoint(
    "lastInvoice",
    "GET /invoices",
    "the stored answer of the card's last invoice; `journal` is null if the store does not have its invoice",
  ),
  endpoint("invoice", "GET /invoices/:requestId", "the stored answer of a RequestId, after a lost answer"),
  endpoint("escPos", "GET /invoices/:requestId/escpos", "the receipt of a RequestId as bytes for a receipt printer"),
  endpoint("testInvoice", "POST /test-invoice", "a Training Sale of sample items"),
];

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
