/** Sends invoices and checks each answer, with one case for each area. */
import type { Difference } from "../../emulator/faults/match.js";
import type { ReceiptLanguage } from "../../src/fiscal/language.js";
import { toLocalIso } from "../../src/fiscal/zoned.js";
import { fieldsOf, jsonIn } from "../scenario/json.js";
import type { Exchange } from "../scenario/play.js";
import { NotApplicable } from "../scenario/stage.js";
import type { Area } from "./case.js";
import { CHECKS, type SaleSeen } from "./check-answer.js";
import type { InvoiceBody } from "./invoices.js";
import { type ReadAnswer, readAnswer } from "./read-answer.js";
import { post, type Session } from "./session.js";

interface SaleOptions {
  readonly acceptance?: readonly string[];
  readonly language?: ReceiptLanguage;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Seller {
  /** The last sale of all, "", and of each pair of types. */
  private readonly last = new Map<string, ReadAnswer>();

  /** The language of a sale that asks for no other. */
  readonly usual: ReceiptLanguage;

  constructor(readonly session: Session) {
    this.usual = session.known.languages[0] ?? "sr-Cyrl-RS";
  }

  /** Sends an invoice and runs its cases. @returns the sale, or undefined if the answer is not a readable sale */
  async sell(invoice: InvoiceBody, title: string, options: SaleOptions = {}): Promise<ReadAnswer | undefined> {
    const { session } = this;
    const { acceptance = [], language = this.usual, headers = {} } = options;
    let seen: SaleSeen | undefined;
    let exchange: Exchange | undefined;
    const answered = await session.case("Answer", title, acceptance, async (tools) => {
      const request = post("/invoices", invoice, { "Accept-Language": language, ...headers });
      const answer = await tools.call(request);
      ({ exchange } = tools);
      tools.expect({ status: { $range: [200, 201] } }, answer);
      if (answer.status > 201) return;
      const { known, options: given, now } = session;
      seen = { ...given, sale: readAnswer(invoice, fieldsOf(jsonIn(answer.text)), now), language, known };
      tools.deviate(CHECKS.Answer?.(seen) ?? []);
    });
    // If the invoice was not sent, there is no answer for the other cases to check.
    if (answered.outcome === "not applicable") return undefined;
    const { sale } = seen ?? {};
    for (const [area, check] of Object.entries(CHECKS) as [Area, (typeof CHECKS)[Area]][]) {
      if (area === "Answer" || !check) continue;
      await session.case(area, title, [], (tools) => {
        if (!seen) throw new NotApplicable("the answer is no sale");
        tools.exchange = exchange;
        tools.deviate(check(seen));
        if (area === "Counters") tools.deviate(this.order(seen.sale));
      });
    }
    if (sale) for (const key of ["", pairOf(sale)]) this.last.set(key, sale);
    return sale;
  }

  /** Checks that counters never repeat or go back. They may jump, because another POS may sell in between. */
  private order(sale: ReadAnswer): Difference[] {
    const limits = [
      ["totalCounter", "more than", this.last.get("")?.totalCounter],
      ["transactionTypeCounter", "more than", this.last.get(pairOf(sale))?.transactionTypeCounter],
      ["transactionTypeCounter", "at most the total counter,", sale.totalCounter],
    ] as const;
    return limits.flatMap(([path, words, limit]) => {
      const isRight = limit === undefined || (words === "more than" ? sale[path] > limit : sale[path] <= limit);
      return isRight ? [] : [{ path, expected: `${words} ${limit}`, actual: String(sale[path]) }];
    });
  }

  /** Returns the fields with which a Copy or a Refund names its original. */
  referringTo({ invoiceNumber, time }: ReadAnswer): InvoiceBody {
    const { timeZone = "UTC" } = this.session.known;
    return { referentDocumentNumber: invoiceNumber, referentDocumentDT: toLocalIso(time, timeZone) };
  }
}

function pairOf({ invoiceType, transactionType }: ReadAnswer): string {
  return `${invoiceType} ${transactionType}`;
}
