/**
 * Sends receipts and items of a period as tables. CSV is for any spreadsheet, JSON lines are for the workbook that the
 * console makes.
 */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { stringify as csv } from "csv-stringify";
import type { Request, Response } from "express";
import { systemTimer } from "../base/clock.js";
import { codeOf } from "../base/thrown.js";
import { cells } from "../bookkeeping/cells.js";
import { timeZoneOf } from "../bookkeeping/make-report.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import type { CallHandler } from "../http/endpoint-router.js";
import { HttpError } from "../http/errors.js";
import type { Receipts, StoredReceipt } from "../ledger/receipts.js";
import { ITEM_COLUMNS, itemLines, labelsOf, receiptColumns, receiptLine } from "./receipt-lines.js";
import { periodOf, text } from "./receipt-query.js";

type Cells = Readonly<Record<string, unknown>>;
type Tables = "receiptsCsv" | "receiptsNdjson" | "itemsCsv" | "tables";

/** Makes the handlers of the tables. The query `?from=&to=` has the period. Each table has the oldest receipt first. */
export function sheetHandlers(
  receipts: Receipts,
  environment: () => FiscalEnvironment | undefined,
): Readonly<Record<Tables, CallHandler>> {
  const timeZone = () => environment()?.timeZone ?? timeZoneOf(receipts);
  const labels = () => labelsOf(environment()?.taxRates ?? []);
  const written = (type: string, parts: (request: Request) => Sheet): CallHandler => {
    return async ({ request, response }) => {
      const { lines, damaged, into = [] } = parts(request);
      const pages = Readable.from(receipts.between(periodOf(request)));
      // Send no file name, because the page makes a name from the shop's days, and another program chooses its own
      // name.
      response.attachment();
      response.type(type);
      await sent([pages, each(lines, damaged), ...into], response);
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
    receiptsNdjson: written("application/x-ndjson", () => ({
      lines: (receipt) => [stored(receipt)],
      damaged: counted,
    })),
    tables: written("application/x-ndjson", () => {
      const [zone, columns] = [timeZone(), labels()];
      const line = (receipt: StoredReceipt) => {
        const tables = { receipt: receiptLine(receipt, columns, zone), items: itemLines(receipt, zone) };
        return `${JSON.stringify(tables)}\n`;
      };
      return { lines: (receipt) => [line(receipt)], damaged: counted };
    }),
  };
}

interface Sheet {
  readonly lines: (receipt: StoredReceipt) => readonly unknown[];
  /** The last line, which says how many damaged receipts are left out. */
  readonly damaged: (receipts: number) => unknown;
  readonly into?: readonly NodeJS.ReadWriteStream[];
}

/**
 * Makes CSV with a byte order mark, which spreadsheets need. `?decimal=comma` is for spreadsheets in languages that
 * write 1,50.
 */
function sheet(request: Request, columns: string[], lines: (receipt: StoredReceipt) => readonly Cells[]): Sheet {
  const comma = isDecimalComma(request);
  const into = [csv({ header: true, columns, bom: true, delimiter: comma ? ";" : "," })];
  const damaged = (receipts: number) => ({ [columns[0] ?? ""]: `damaged receipts left out: ${receipts}` });
  return { lines: (receipt) => lines(receipt).map((line) => cells(line, comma)), damaged, into };
}

const counted = (damaged: number) => `${JSON.stringify({ damaged })}\n`;

/**
 * Whether the request asks for amounts with a decimal comma.
 * @throws HttpError if `decimal` is neither point nor comma
 */
export function isDecimalComma(request: Request): boolean {
  const decimal = text(request, "decimal") || "point";
  if (decimal !== "point" && decimal !== "comma") throw new HttpError(404, "decimal", "Expected point or comma");
  return decimal === "comma";
}

async function sent(streams: readonly unknown[], response: Response): Promise<void> {
  try {
    await pipeline([...(streams as NodeJS.ReadWriteStream[]), response]);
  } catch (error) {
    // Ignore a connection that the client closed.
    if (codeOf(error) !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

/** ms after which sales have their turn. Otherwise long receipts, or a client that reads fast, would block them. */
const TURN_MS = 10;

/** Converts each receipt of each page. Damaged receipts are left out and counted. */
export function each(lines: Sheet["lines"], damaged: Sheet["damaged"]) {
  return async function* (pages: AsyncIterable<StoredReceipt[]>): AsyncGenerator<unknown> {
    let leftOut = 0;
    let began = systemTimer.now();
    const rested = async () => {
      if (systemTimer.now() - began < TURN_MS) return;
      await setImmediate();
      began = systemTimer.now();
    };
    for await (const page of pages) {
      for (const receipt of page) {
        if (!receipt.intact) leftOut++;
        for (const line of receipt.intact ? lines(receipt) : []) {
          yield line;
          await rested();
        }
      }
      await rested();
    }
    if (leftOut > 0) yield damaged(leftOut);
  };
}

function stored({ requestId, intent, answer }: StoredReceipt): string {
  // Insert the request and the answer unchanged: both are JSON texts already, and parsing would lose exact numbers.
  return `{"requestId":${JSON.stringify(requestId)},"request":${intent},"answer":${answer}}\n`;
}
