/** The console's receipts: one with all details, and a period of them to download. */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { stringify as csv } from "csv-stringify";
import type { Request, RequestHandler } from "express";
import { codeOf } from "../base/thrown.js";
import { labelsOf, receiptColumns, receiptLine } from "../bookkeeping/receipt-csv.js";
import { withoutFormula } from "../bookkeeping/without-formula.js";
import type { TaxRateGroup } from "../fiscal/tax.js";
import { toIso } from "../fiscal/time.js";
import { HttpError } from "../http/errors.js";
import { sendEscPos } from "../http/escpos.js";
import type { ReceiptIndex } from "../ledger/receipt-index.js";
import type { CheckedReceipt, Receipts, StoredReceipt } from "../ledger/receipts.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import { receiptDetail } from "./receipt-detail.js";
import { periodOf } from "./receipt-query.js";
import { caughtUp } from "./receipt-search.js";

/** Maximum number of refunds and copies that are shown with a receipt. */
const MOST_FOLLOWERS = 20;

export function getReceipt(receipts: Receipts, index: ReceiptIndex, secureElement: SecureElement): RequestHandler {
  return async (request, response) => {
    const receipt = receiptOf(receipts, request);
    const reading = await caughtUp(index);
    const ids = receipt.number === null ? [] : index.referringTo(receipt.number, MOST_FOLLOWERS);
    const followers = { rows: receipts.rows(ids).reverse(), reading };
    response.json({ ...receiptDetail(receipt, secureElement.state, receipts), followers });
  };
}

export function getEscPos(receipts: Receipts): RequestHandler {
  return (request, response) => {
    const { state, intact, intent, answer } = receiptOf(receipts, request);
    if (state !== "complete" || !intact || answer === null) {
      throw new HttpError(404, "id", "This receipt has no text to print");
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
  return `This receipt was erased on ${toIso(erasedAt)}, because its retention period was over`;
}

/** `?from=&to=`: one line per receipt, oldest first. @param rates whose labels get their own columns */
export function exportReceipts(
  receipts: Receipts,
  form: "csv" | "ndjson",
  rates: () => readonly TaxRateGroup[] = () => [],
): RequestHandler {
  return async (request, response) => {
    const period = periodOf(request);
    // Without a file name: the page knows the shop's days, a program chooses its own.
    response.attachment();
    response.type(form === "csv" ? "text/csv" : "application/x-ndjson");
    const pages = Readable.from(receipts.between(period));
    const labels = labelsOf(rates());
    const sheet = { header: true, columns: receiptColumns(labels), bom: true };
    try {
      if (form === "csv") await pipeline(pages, each(sheetLine(labels)), csv(sheet), response);
      else await pipeline(pages, each(line), response);
    } catch (error) {
      // The client closed the connection.
      if (codeOf(error) !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
    }
  };
}

/** A line of the sheet. Spreadsheets read texts that begin with = as formulas; amounts may be negative and are not formulas. */
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

/** Converts each receipt of each page. */
function each<T>(written: (receipt: StoredReceipt) => T) {
  return async function* (pages: AsyncIterable<StoredReceipt[]>): AsyncGenerator<T> {
    for await (const page of pages) {
      yield* page.map(written);
      // Let sales in between: a fast reader would otherwise block them.
      await setImmediate();
    }
  };
}

function line({ requestId, intent, answer }: StoredReceipt): string {
  // Both are JSON texts already; parsing would lose exact numbers.
  return `{"requestId":${JSON.stringify(requestId)},"request":${intent},"answer":${answer}}\n`;
}
