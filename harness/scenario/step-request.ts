/** Makes the HTTP request of a step, with the exact bytes of its body. */
import type { HttpRequest } from "./http-call.js";
import { repeated } from "./repeat.js";
import { SAMPLE_SALE } from "./sample-sale.js";
import type { RequestStep } from "./scenario.js";

const JSON_HEADERS = { Accept: "application/json", "Content-Type": "application/json" };

export function httpRequestOf({
  method = "POST",
  path = "/api/v3/invoices",
  headers = {},
  online: _,
  ...body
}: RequestStep["request"]): HttpRequest {
  const json = repeated("invoice" in body ? { ...SAMPLE_SALE, ...body.invoice } : body.json);
  if (json !== undefined) {
    return { method, path, headers: { ...JSON_HEADERS, ...headers }, body: Buffer.from(JSON.stringify(json)) };
  }
  if (body.text !== undefined) return { method, path, headers, body: Buffer.from(body.text) };
  if (body.bytes !== undefined) return { method, path, headers, body: Buffer.from(body.bytes, "hex") };
  return { method, path, headers };
}
