/** The console's receipts: the list, one of them with everything about it, and a time of them to take away. */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { stringify as csv } from "csv-stringify";
import type { Request, RequestHandler } from "express";
import { codeOf } from "../error-code.js";
import { parseScaled, toDecimalText } from "../fiscal/money.js";
import type { TaxRateGroup } from "../fiscal/tax.js";
import { parseTime, toIso } from "../fiscal/time.js";
import { HttpError } from "../http/errors.js";
import { sendEscPos } from "../http/escpos.js";
import type { CheckedReceipt, Period, Receipts, Sought, StoredReceipt } from "../ledger/receipts.js";
import { labelsOf, receiptColumns, receiptLine } from "../report/receipt-csv.js";
import { withoutFormula } from "../report/without-formula.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import { receiptDetail } from "./receipt-detail.js";
import type { ReceiptListRecord, UnderstoodRecord } from "./records.js";

/** Somebody who needs more narrows the search. */
const MOST = 1000;
const ALWAYS: Period = { from: "", to: "9999" };

/** `?search=&from=&to=&limit=` */
export function getReceipts(receipts: Receipts): RequestHandler {
  return (request, response) => {
    const limit = limitOf(request);
    const search = text(request, "search").trim();
    const period = periodOf(request);
    const sought = search === "" ? undefined : soughtOf(search);
    const found = sought
      ? receipts.find(sought, period, limit + 1)
      : period === ALWAYS
        ? receipts.latest(limit + 1)
        : receipts.during(period, limit + 1);
    const record: ReceiptListRecord = {
      ...{ receipts: found.slice(0, limit), more: found.length > limit && limit < MOST },
      empty: found.length === 0 && receipts.latest(1).length === 0,
      understood: sought ? understoodOf(sought) : null,
    };
    response.json(record);
  };
}

function understoodOf({ counter, amount, otherAmount }: Sought): UnderstoodRecord {
  const amounts = [amount, otherAmount].filter((value) => value !== undefined);
  return { counter: counter ?? null, amounts: [...new Set(amounts)] };
}

export function getReceipt(receipts: Receipts, secureElement: SecureElement): RequestHandler {
  return (request, response) =>
    void response.json(receiptDetail(receiptOf(receipts, request), secureElement.state, receipts));
}

export function getEscPos(receipts: Receipts): RequestHandler {
  return (request, response) => {
    const { state, intact, intent, answer } = receiptOf(receipts, request);
    if (state !== "complete" || !intact || answer === null) {
      throw new HttpError(404, "id", "There is nothing to print of this receipt");
    }
    sendEscPos(request, response, intent, answer);
  };
}

function receiptOf(receipts: Receipts, request: Request): CheckedReceipt {
  const id = String(request.params.id);
  const receipt = /^\d{1,15}$/.test(id) ? receipts.byId(Number(id)) : undefined;
  if (!receipt) throw new HttpError(404, "id", whyNot(receipts, Number(id)));
  return receipt;
}

function whyNot(receipts: Receipts, id: number): string {
  const erasedAt = Number.isSafeInteger(id) ? receipts.erasedAt(id) : undefined;
  if (erasedAt === undefined) return "There is no such receipt";
  return `This receipt was erased on ${toIso(erasedAt)}, as its time to be kept was over`;
}

/** `?from=&to=`: a line each, oldest first. @param rates whose labels have columns of their own */
export function exportReceipts(
  receipts: Receipts,
  form: "csv" | "ndjson",
  rates: () => readonly TaxRateGroup[] = () => [],
): RequestHandler {
  return async (request, response) => {
    const period = periodOf(request);
    // Without a name: the page knows the shop's days, a program the file that it writes.
    response.attachment();
    response.type(form === "csv" ? "text/csv" : "application/x-ndjson");
    const pages = Readable.from(receipts.between(period));
    const labels = labelsOf(rates());
    const sheet = { header: true, columns: receiptColumns(labels), bom: true };
    try {
      if (form === "csv") await pipeline(pages, each(sheetLine(labels)), csv(sheet), response);
      else await pipeline(pages, each(line), response);
    } catch (error) {
      // Whoever has asked has gone.
      if (codeOf(error) !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
    }
  };
}

/** A spreadsheet takes a text that begins with = for a formula. Amounts are negative, and none. */
function sheetLine(labels: readonly string[]) {
  return (receipt: StoredReceipt) =>
    Object.fromEntries(
      Object.entries(receiptLine(receipt, labels)).map(([column, value]) => [
        column,
        typeof value === "string" && !AMOUNT.test(value) ? withoutFormula(value) : value,
      ]),
    );
}

const AMOUNT = /^-?\d+\.\d+$/;

/** What becomes of each receipt of each page. */
function each<T>(written: (receipt: StoredReceipt) => T) {
  return async function* (pages: AsyncIterable<StoredReceipt[]>): AsyncGenerator<T> {
    for await (const page of pages) {
      yield* page.map(written);
      // A reader that is fast enough would otherwise keep every sale waiting.
      await setImmediate();
    }
  };
}

function line({ requestId, intent, answer }: StoredReceipt): string {
  // Both are JSON already, with exact numbers.
  return `{"requestId":${JSON.stringify(requestId)},"request":${intent},"answer":${answer}}\n`;
}

/** `2/57NS` is how a receipt prints the counter 57. */
function soughtOf(text: string): Sought {
  const counter = /^(?:\d+\/)?(\d{1,10})\D{0,4}$/.exec(text)?.[1];
  const last = Math.max(text.lastIndexOf(","), text.lastIndexOf("."));
  const plain = (part: string) => part.replaceAll(/[.,]/g, "");
  return {
    text,
    counter: counter === undefined ? undefined : Number(counter),
    // `1.234,50` and `1,234.50` are one amount; `1.234` can be two.
    amount: amountOf(last < 0 ? text : `${plain(text.slice(0, last))}.${text.slice(last + 1)}`),
    otherAmount: amountOf(plain(text)),
  };
}

function amountOf(text: string): string | undefined {
  try {
    return toDecimalText(parseScaled(text));
  } catch {
    return undefined;
  }
}

function periodOf(request: Request): Period {
  const [from, to] = [timeOf(request, "from"), timeOf(request, "to")];
  return from === undefined && to === undefined ? ALWAYS : { from: from ?? ALWAYS.from, to: to ?? ALWAYS.to };
}

function timeOf(request: Request, name: string): string | undefined {
  const said = text(request, name);
  if (said === "") return undefined;
  const time = parseTime(said);
  if (time === undefined) throw new HttpError(404, name, "Expected a time such as 2026-11-21T00:00:00Z");
  return toIso(time);
}

function limitOf(request: Request): number {
  const limit = Number(text(request, "limit") || "50");
  return Number.isInteger(limit) ? Math.min(Math.max(limit, 1), MOST) : 50;
}

function text(request: Request, name: string): string {
  const value = request.query[name];
  return typeof value === "string" ? value : "";
}
