/**
 * Fills a new store with what an upgrade has to keep: receipts of several kinds, one without a RequestId, and a
 * sale in doubt, whose card was pulled out after it had signed. `node sell.mjs URL CONTROL_URL`
 */
import { readFileSync } from "node:fs";

const [url, controlUrl] = process.argv.slice(2);

async function post(address, body, headers = {}) {
  const answer = await fetch(address, { method: "POST", body, headers });
  const text = await answer.text();
  console.log(answer.status, text.slice(0, 100));
  return text;
}

const SALE = JSON.parse(readFileSync(new URL("sale.json", import.meta.url), "utf8"));

const sell = (requestId, invoice = {}) =>
  post(`${url}/api/v3/invoices`, JSON.stringify({ ...SALE, ...invoice }), {
    "Content-Type": "application/json",
    ...(requestId === undefined ? {} : { RequestId: requestId }),
  });

await post(`${url}/api/v3/pin`, "1234", { "Content-Type": "text/plain" });
const first = JSON.parse(await sell("sale-1", { buyerId: "10:123456789" }));
const referent = { referentDocumentNumber: first.invoiceNumber, referentDocumentDT: first.sdcDateTime };
await sell(undefined);
await sell("refund-1", { transactionType: "Refund", ...referent });
await sell("copy-1", { invoiceType: "Copy", ...referent });
await sell("training-1", { invoiceType: "Training" });
const payment = [
  { amount: 100.25, paymentType: "Card" },
  { amount: 139.75, paymentType: "Cash" },
];
await sell("two-payments", { payment });
await post(`${controlUrl}/control/do`, JSON.stringify({ faults: [{ on: "sign", nth: 1, kind: "removedAfter" }] }));
await sell("in-doubt");
