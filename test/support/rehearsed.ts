/** Made-up traffic of a POS, for the rules of a rehearsal. */
import type { JudgedRequest } from "../../harness/rehearse/session.js";

type Fields = Readonly<Record<string, unknown>>;

export const ITEM = { name: "Milk /l", quantity: 2, unitPrice: 120, totalAmount: 240, labels: ["A"] };
const SALE = {
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 240, paymentType: "Cash" }],
  items: [ITEM],
};

export class Traffic {
  readonly requests: JudgedRequest[] = [];
  private counter = 0;
  private number = 0;

  /** Begins a new span, in which receipts are numbered anew. */
  span(): this {
    this.number += 1;
    this.counter = 0;
    return this;
  }

  /** A request without an invoice. */
  call(method: string, path: string, fields: Partial<JudgedRequest> = {}): this {
    return this.add({ method, path: `/api/v3/${path}`, ...fields });
  }

  status(...gsc: string[]): this {
    return this.call("GET", "status", { answer: { gsc } });
  }

  /** A status that shows these labels. */
  labels(...labels: string[]): this {
    const taxCategories = [{ taxRates: labels.map((label) => ({ label, rate: 20 })) }];
    return this.call("GET", "status", { answer: { gsc: ["0100"], currentTaxRates: { taxCategories } } });
  }

  pin(code = "0100"): this {
    return this.call("POST", "pin", { code, answer: code });
  }

  /** A signed invoice. @param sent the rest of the request @returns number of its receipt */
  sale(fields: Fields = {}, receipt: Fields = {}, sent: Partial<JudgedRequest> = {}): string {
    const invoiceNumber = `TESTCARD-TESTCARD-${++this.counter}`;
    const sdcDateTime = this.time().toISOString();
    const invoice = { ...SALE, ...fields };
    const answer = { invoiceNumber, sdcDateTime, totalAmount: 240, tin: "1", ...receipt };
    this.add({ body: invoice, invoice, answer, signed: true, requestId: `order-${this.requests.length}`, ...sent });
    return invoiceNumber;
  }

  /** An invoice that is not signed. @param status 0 if its answer gets lost */
  refused(status: number, code: string | null, requestId: string, fields: Fields = {}): this {
    const invoice = { ...SALE, ...fields };
    return this.add({ body: invoice, invoice, status, code, requestId });
  }

  /** A Refund or Copy of the receipt with this number. */
  about(number: string, fields: Fields, receipt: Fields = {}): string {
    const original = this.requests.findLast(({ answer }) => (answer as Fields | null)?.invoiceNumber === number);
    const referentDocumentDT = (original?.answer as Fields | undefined)?.sdcDateTime;
    return this.sale({ referentDocumentNumber: number, referentDocumentDT, ...fields }, receipt);
  }

  /** An invoice that is refused for its content. @param properties the wrong places, each with its code */
  wrong(requestId: string, properties: Readonly<Record<string, string>>, fields: Fields = {}): this {
    const modelState = Object.entries(properties).map(([property, code]) => ({ property, errors: [code] }));
    const [code = ""] = Object.values(properties);
    const invoice = { ...SALE, ...fields };
    return this.add({ body: invoice, invoice, status: 400, code, requestId, answer: { code, modelState } });
  }

  private time(): Date {
    return new Date(Date.UTC(2026, 0, 2, 12, 0, this.requests.length));
  }

  private add(fields: Partial<JudgedRequest>): this {
    const request = { method: "POST", path: "/api/v3/invoices", requestId: null, body: null, invoice: null };
    const answered = { online: false, status: 200, code: null, answer: null, signed: false };
    const id = this.requests.length + 1;
    this.requests.push({ id, span: this.number, at: this.time().toISOString(), ...request, ...answered, ...fields });
    return this;
  }
}
