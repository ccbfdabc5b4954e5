/** Sends a receipt as bytes for a printer. The query has paper and QR code: `?paper=58mm|80mm&qr=command|raster`. */
import type { Request, Response } from "express";
import { escPos, QR_WAYS } from "../fiscal/escpos.js";
import { PRINTERS, type PrinterPaper } from "../fiscal/escpos-commands.js";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { printedReceipt } from "../ledger/receipt-content.js";

export const PRINTER_PAPERS = Object.keys(PRINTERS) as PrinterPaper[];
export const ESCPOS_TYPE = "application/vnd.escpos";

/** @throws FiscalError 2805 for another value in the query */
export function sendEscPos(request: Request, response: Response, intent: string | null, answer: string): void {
  const { journal, verificationUrl } = printedReceipt(intent, answer);
  const paper = choice(request, "paper", PRINTER_PAPERS, "80mm");
  const bytes = escPos(journal, verificationUrl, paper, choice(request, "qr", QR_WAYS, "command"));
  response.setHeader("Content-Type", ESCPOS_TYPE);
  response.setHeader("Cache-Control", "no-store");
  response.end(bytes);
}

function choice<T extends string>(request: Request, name: string, allowed: readonly T[], usual: T): T {
  const value = request.query[name];
  if (value === undefined) return usual;
  const chosen = allowed.find((one) => one === value);
  if (chosen === undefined) {
    throw FiscalError.of("2805", name, "Expected {allowed}", {
      allowed: allowed.join(" or "),
      list: allowed.join(", "),
    });
  }
  return chosen;
}
