/** A POS that posts invoices to a service on this machine. */
import { once } from "node:events";
import { request } from "node:http";

const SALE = {
  cashier: "Ана",
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 240, paymentType: "Cash" }],
  items: [{ name: "Кафа", quantity: 2, unitPrice: 120, labels: ["A"], totalAmount: 240 }],
};
const JSON_HEADERS = { "Content-Type": "application/json" };

export class Till {
  constructor(url) {
    this.api = `${url}/api/v3`;
  }

  async status() {
    return (await fetch(`${this.api}/status`)).json();
  }

  /** Codes of status; empty when no service answers. */
  async codes() {
    return this.status().then(
      ({ gsc }) => gsc,
      () => [],
    );
  }

  async pin(pin) {
    return (await fetch(`${this.api}/pin`, { method: "POST", body: pin })).text();
  }

  async sell(id) {
    const headers = { ...JSON_HEADERS, RequestId: id };
    return (await fetch(`${this.api}/invoices`, { method: "POST", headers, body: JSON.stringify(SALE) })).json();
  }

  async stored(id) {
    return (await fetch(`${this.api}/invoices/${id}`)).json();
  }

  /** A sale whose body is sent when `send` is called; the service has the request's headers by then. */
  async begunSale() {
    const headers = { ...JSON_HEADERS, Expect: "100-continue" };
    const sent = request(`${this.api}/invoices`, { method: "POST", headers });
    const answer = new Promise((resolve, reject) => {
      sent.on("response", (response) => {
        response.setEncoding("utf8");
        response.toArray().then((chunks) => resolve(JSON.parse(chunks.join(""))), reject);
      });
      sent.on("error", reject);
    });
    sent.flushHeaders();
    await once(sent, "continue");
    return { send: () => sent.end(JSON.stringify(SALE)), answer };
  }
}
