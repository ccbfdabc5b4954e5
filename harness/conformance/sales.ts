/** Sends invoices and checks each answer, with one case for each area. */

import { ControlError } from "../../emulator/tax-authority/endpoint/errors.js";
import { readSale, type SentSale } from "../../emulator/tax-authority/read-sale.js";
import type { ReceiptLanguage } from "../../src/fiscal/language.js";
import { toLocalIso } from "../../src/fiscal/zoned.js";
import { fieldsOf, jsonIn } from "../scenario/json.js";
import type { Difference } from "../scenario/match.js";
import type { Exchange } from "../scenario/play.js";
import { type Area, NotTested } from "./case.js";
import { CHECKS, type SaleSeen } from "./check-answer.js";
import type { InvoiceBody } from "./invoices.js";
import { post, type Session } from "./session.js";

export interface SaleOptions {
  readonly title: string;
  readonly acceptance?: readonly string[];
  readonly language: ReceiptLanguage;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Seller {
  private readonly pairs = new Map<string, SentSale>();
  private last: SentSale | undefined;

  constructor(private readonly session: Session) {}

  /** Sends an invoice and runs its cases. @returns the sale, or undefined if the answer is not a readable sale */
  async sell(invoice: InvoiceBody, options: SaleOptions): Promise<SentSale | undefined> {
    const { session } = this;
    const { title, acceptance = [], language, headers = {} } = options;
    let seen: SaleSeen | undefined;
    let exchange: Exchange | undefined;
    const answered = await session.case("Answer", title, acceptance, async (tools) => {
      const request = post("/invoices", invoice, { "Accept-Language": language, ...headers });
      const answer = await tools.call(request);
      ({ exchange } = tools);
      tools.expect({ status: { $range: [200, 201] } }, answer);
      if (answer.status > 201) return;
      seen = seenIn(JSON.stringify(invoice), answer.text, jsonIn(answer.text), session, language);
      tools.deviate(CHECKS.Answer?.(seen) ?? []);
    });
    // If the invoice was not sent, there is no answer for the other cases to check.
    if (answered.outcome === "not applicable") return undefined;
    const { sale } = seen ?? {};
    for (const [area, check] of Object.entries(CHECKS) as [Area, (typeof CHECKS)[Area]][]) {
      if (area === "Answer" || !check) continue;
      await session.case(area, title, [], (tools) => {
        if (!seen) throw new NotTested("the answer is not a readable sale");
        tools.exchange = exchange;
        tools.deviate(check(seen));
        if (area === "Counters") tools.deviate(this.order(seen.sale));
      });
    }
    if (sale) this.remember(sale);
    return sale;
  }

  /** Checks that counters never repeat or go back. They may jump, because another POS may sell in between. */
  private order(sale: SentSale): Difference[] {
    const before = this.last;
    const same = this.pairs.get(pairOf(sale));
    const higher = (path: "totalCounter" | "transactionTypeCounter", than: SentSale | undefined): Difference[] =>
      than && sale[path] <= than[path]
        ? [{ path, expected: `more than ${than[path]}`, actual: String(sale[path]) }]
        : [];
    const tooMany =
      sale.transactionTypeCounter > sale.totalCounter
        ? [
            {
              path: "transactionTypeCounter",
              expected: `at most the total counter, ${sale.totalCounter}`,
              actual: String(sale.transactionTypeCounter),
            },
          ]
        : [];
    return [...higher("totalCounter", before), ...higher("transactionTypeCounter", same), ...tooMany];
  }

  /** Returns the fields with which a Copy or a Refund names its original. */
  referringTo({ invoiceNumber, time }: SentSale): InvoiceBody {
    const { timeZone = "UTC" } = this.session.known;
    return { referentDocumentNumber: invoiceNumber, referentDocumentDT: toLocalIso(time, timeZone) };
  }

  private remember(sale: SentSale): void {
    this.last = sale;
    this.pairs.set(pairOf(sale), sale);
  }
}

function pairOf({ invoiceType, transactionType }: SentSale): string {
  return `${invoiceType} ${transactionType}`;
}

/** Reads the sale from the request and the answer. @throws Error that names a field that cannot be read */
function seenIn(request: string, text: string, body: unknown, session: Session, language: ReceiptLanguage): SaleSeen {
  try {
    const sale = readSale(`{"request":${request},"result":${text}}`);
    const { known, options } = session;
    return { ...options, sale, body: fieldsOf(body), language, known };
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    throw new Error(error.message.replaceAll("result", "the answer"));
  }
}
