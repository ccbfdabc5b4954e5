/** Read by tsc alone: the typed client does not compile with anything that the document does not have. */
import type { Client, Invoice } from "tillseal/client";

export const wrongCalls = (client: Client, invoice: Invoice) => [
  // @ts-expect-error: no such type of invoice
  client.invoices({ body: { ...invoice, invoiceType: "Regular" } }),
  // @ts-expect-error: the RequestId is missing
  client.invoice(),
  // @ts-expect-error: no such paper
  client.escPos({ path: { requestId: "1" }, query: { paper: "A4" } }),
  // @ts-expect-error: items are missing
  client.invoices({ body: { invoiceType: "Normal", transactionType: "Sale", payment: [] } }),
];
