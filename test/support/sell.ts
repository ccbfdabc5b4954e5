/** Calls a service that a command runs, as a POS does. */
import { callService, JSON_HEADERS, sale } from "./till.js";

interface At {
  readonly url: string;
}

export const pin = ({ url }: At, digits = "1234") =>
  callService(url, "POST", "/api/v3/pin", { headers: { "Content-Type": "text/plain" }, body: digits });

export async function sell({ url }: At, RequestId = "", invoice: object = sale()): Promise<Record<string, unknown>> {
  const headers = { ...JSON_HEADERS, RequestId };
  return (await callService(url, "POST", "/api/v3/invoices", { headers, body: invoice })).json();
}

/** Whether it answers, as a HEALTHCHECK asks. */
export const answers = ({ url }: At): Promise<boolean> =>
  fetch(`${url}/api/v3/attention`).then(
    ({ ok }) => ok,
    () => false,
  );
