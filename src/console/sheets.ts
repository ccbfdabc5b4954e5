/** Receipts and items of a period as tables: CSV for any spreadsheet, JSON lines for the workbook that the console makes. */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { stringify as csv } from "csv-stringify";
import type { Request, RequestHandler, Response } from "express";
import { codeOf } from "../base/thrown.js";
import { ITEM_COLUMNS, itemLines } from "../bookkeeping/item-lines.js";
import { timeZoneOf } from "../bookkeeping/make-report.js";
import { labelsOf, receiptColumns, receiptLine } from "../bookkeeping/receipt-csv.js";
import { withoutFormula } from "../bookkeeping/without-formula.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import { HttpError } from "../http/errors.js";
import type { Receipts, StoredReceipt } from "../ledger/receipts.js";
import { periodOf, text } from "./receipt-query.js";

type Line = Readonly<Record<string, unknown>>;
type Tables = "receiptsCsv" | "receiptsNdjson" | "itemsCsv" | "tables";

/** All tables take `?from=&to=` and have the oldest receipt first. */
export function sheetHandlers(
  receipts: Receipts,
  environment: () => FiscalEnvironment | undefined,
): Readonly<Record<Tables, RequestHandler>> {
  const timeZone = () => environment()?.timeZone ?? timeZoneOf(receipts.soldRows);
  const labels = () => labelsOf(environment()?.taxRates ?? []);
  const written = (type: string, parts: (request: Request) => Parts): RequestHandler => {
    return async (request, response) => {
      const { lines, into = [] } = parts(request);
      const pages = Readable.from(receipts.between(periodOf(request)));
      // The answer has no file name: the page knows the shop's days, and a program chooses its own name.
      response.attachment();
      response.type(type);
      await sent([pages, each(lines), ...into], response);
    };
  };
  return {
    receiptsCsv: written("text/csv", (request) => {
      const [zone, columns] = [timeZone(), labels()];
      return sheet(request, receiptColumns(columns), (receipt) => [receiptLine(receipt, columns, zone)]);
    }),
    itemsCsv: written("text/csv", (request) => {
      const zone = timeZone();
      return sheet(request, ITEM_COLUMNS, (receipt) => itemLines(receipt, zone));
    }),
    receiptsNdjson: written("application/x-ndjson", () => ({ lines: (receipt) => [stored(receipt)] })),
    tables: written("application/x-ndjson", () => {
      const [zone, columns] = [timeZone(), labels()];
      const line = (receipt: StoredReceipt) => {
        const tables = { receipt: receiptLine(receipt, columns, zone), items: itemLines(receipt, zone) };
        return `${JSON.stringify(tables)}\n`;
      };
      return { lines: (receipt) => [line(receipt)] };
    }),
  };
}

interface Parts {
  readonly lines: (receipt: StoredReceipt) => readonly unknown[];
  readonly into?: readonly NodeJS.ReadWriteStream[];
}

/** CSV with a byte order mark, which spreadsheets need. `?decimal=comma` is for spreadsheets of languages that write 1,50. */
function sheet(request: Request, columns: string[], lines: (receipt: StoredReceipt) => readonly Line[]): Parts {
  const comma = isDecimalComma(request);
  const into = [csv({ header: true, columns, bom: true, delimiter: comma ? ";" : "," })];
  return { lines: (receipt) => lines(receipt).map((line) => cells(line, comma)), into };
}

/** @throws HttpError if `decimal` is neither point nor comma */
export function isDecimalComma(request: Request): boolean {
  const decimal = text(request, "decimal") || "point";
  if (decimal !== "point" && decimal !== "comma") throw new HttpError(404, "decimal", "Expected point or comma");
  return decimal === "comma";
}

/** Spreadsheets read texts that begin with = as formulas; amounts may be negative and are not formulas. */
function cells(line: Line, comma: boolean): Line {
  return Object.fromEntries(
    Object.entries(line).map(([column, value]) => {
      if (typeof value !== "string") return [column, value];
      if (!AMOUNT.test(value)) return [column, withoutFormula(value)];
      return [column, comma ? value.replace(".", ",") : value];
    }),
  );
}

const AMOUNT = /^-?\d+\.\d+$/;

async function sent(streams: readonly unknown[], response: Response): Promise<void> {
  try {
    await pipeline([...(streams as NodeJS.ReadWriteStream[]), response]);
  } catch (error) {
    // Ignore a connection that the client closed.
    if (codeOf(error) !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

/** Converts each receipt of each page. */
function each(lines: (receipt: StoredReceipt) => readonly unknown[]) {
  return async function* (pages: AsyncIterable<StoredReceipt[]>): AsyncGenerator<unknown> {
    for await (const page of pages) {
      yield* page.flatMap(lines);
      // Let sales run in between: a fast reader would otherwise block them.
      await setImmediate();
    }
  };
}

function stored({ requestId, intent, answer }: StoredReceipt): string {
  // Request and answer are JSON texts already; parsing would lose exact numbers.
  return `{"requestId":${JSON.stringify(requestId)},"request":${intent},"answer":${answer}}\n`;
}
