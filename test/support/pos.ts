/** A small POS that does everything right, with the mistake or the honest habit that a test asks for. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

export type Mistake =
  | "a new RequestId after a lost answer"
  | "no PIN"
  | "a new RequestId after an error"
  | "Latin letters as labels"
  | "labels in the program"
  | "no number of the original"
  | "the time of the POS on every invoice"
  | "an advance that is not named"
  | "a POS number with something appended";

export interface Receipt {
  readonly invoiceNumber: string;
  readonly sdcDateTime: string;
  readonly journal: string;
  readonly tin: string;
}

export type Fields = Readonly<Record<string, unknown>>;

/** How often a refused or lost sale is repeated. */
const TRIES = 5;
const RESTART_MS = 500;
const LATIN: Readonly<Record<string, string>> = { А: "A", Е: "E" };

/** A RequestId has at most 32 characters. */
const newId = (): string => randomUUID().replaceAll("-", "");

export class Pos {
  private labels: readonly string[] = [];
  /** A sale without an answer; the cashier finishes it later. */
  private open: { readonly id: string; readonly invoice: Fields } | undefined;

  constructor(
    private readonly url: string,
    private readonly mistake?: Mistake,
    private readonly pin = "1234",
  ) {}

  /** Asks for state and labels, and sends the PIN if the service needs it. */
  async start(): Promise<void> {
    await this.look();
  }

  /** Sends the sale again that has no answer yet. */
  async finish(): Promise<Receipt | undefined> {
    const { open } = this;
    if (!open) return undefined;
    await this.look();
    return this.post(open.invoice, open.id);
  }

  /** @returns undefined if the POS gave the sale up */
  async sell(fields: Fields = {}): Promise<Receipt | undefined> {
    if (this.mistake !== "labels in the program" || this.labels.length === 0) await this.look();
    return this.post(this.invoice(fields));
  }

  /** @param type of the new invoice, such as `{ invoiceType: "Copy" }` */
  async about(original: Receipt, type: Fields): Promise<Receipt | undefined> {
    const { invoiceNumber, sdcDateTime } = original;
    const reference = { referentDocumentNumber: invoiceNumber, referentDocumentDT: sdcDateTime };
    return this.sell({ ...(this.mistake === "no number of the original" ? {} : reference), ...type });
  }

  /** An advance, and the final Sale that closes it. @param paid the time of the payment */
  async advance(paid: string): Promise<void> {
    const advance = await this.sell({ invoiceType: "Advance", dateAndTimeOfIssue: paid });
    const closed = advance && (await this.about(advance, { invoiceType: "Advance", transactionType: "Refund" }));
    if (!advance || !closed) return;
    await this.about(this.mistake === "an advance that is not named" ? advance : closed, {});
  }

  private invoice(fields: Fields): Fields {
    const number = this.mistake === "a POS number with something appended" ? "123/1.0-till 4" : "123/1.0";
    const time = this.mistake === "the time of the POS on every invoice" ? { dateAndTimeOfIssue: new Date() } : {};
    const item = { name: "Milk /l", quantity: 2, unitPrice: 120, labels: [this.label()], totalAmount: 240 };
    return {
      invoiceType: "Normal",
      transactionType: "Sale",
      invoiceNumber: number,
      cashier: "Ana",
      payment: [{ amount: 240, paymentType: "Cash" }],
      items: [item],
      ...time,
      ...fields,
    };
  }

  private label(): string {
    const [label = "A"] = this.labels;
    return this.mistake === "Latin letters as labels" ? (LATIN[label] ?? label) : label;
  }

  private async post(invoice: Fields, first = newId()): Promise<Receipt | undefined> {
    let id = first;
    this.open = { id, invoice };
    for (let i = 0; i < TRIES; i++) {
      const answer = await this.send(id, invoice);
      if (answer && "invoiceNumber" in answer) {
        this.open = undefined;
        return answer as unknown as Receipt;
      }
      if (answer?.code === "1500") await this.look();
      // A mistake in the invoice does not go away, so the cashier does not finish this sale.
      else if (String(answer?.code).startsWith("28") || answer?.code === "2310") {
        this.open = undefined;
        return undefined;
      } else if (answer && this.mistake === "a new RequestId after an error") id = newId();
      if (answer) continue;
      if (this.mistake === "a new RequestId after a lost answer") id = newId();
    }
    return undefined;
  }

  /** Undefined if the connection broke. */
  private async send(id: string, invoice: Fields): Promise<Fields | undefined> {
    try {
      const answer = await fetch(`${this.url}/api/v3/invoices`, {
        method: "POST",
        headers: { "Content-Type": "application/json", RequestId: id },
        body: JSON.stringify(invoice),
      });
      return (await answer.json()) as Fields;
    } catch {
      return undefined;
    }
  }

  /** A service that restarts is there again soon. */
  private async reach(path: string): Promise<Response> {
    for (let tries = 1; ; tries++) {
      try {
        return await fetch(`${this.url}/api/v3${path}`);
      } catch (error) {
        if (tries === TRIES) throw error;
        await delay(RESTART_MS);
      }
    }
  }

  private async look(): Promise<void> {
    const status = (await (await this.reach("/status")).json()) as {
      readonly gsc: readonly string[];
      readonly currentTaxRates?: { readonly taxCategories: readonly { taxRates: readonly { label: string }[] }[] };
    };
    const categories = status.currentTaxRates?.taxCategories ?? [];
    this.labels = categories.flatMap(({ taxRates }) => taxRates.map(({ label }) => label));
    if (!status.gsc.includes("1500") || this.mistake === "no PIN") return;
    await fetch(`${this.url}/api/v3/pin`, {
      method: "POST",
      body: this.pin,
      headers: { "Content-Type": "text/plain" },
    });
  }
}
