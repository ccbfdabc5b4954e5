/** Makes the printed form of a stored receipt. */
import { journal } from "../fiscal/journal/journal.js";
import { decodeIntent, requesterOf } from "./intent.js";
import { readAnswer } from "./receipt-content.js";

export interface PrintedReceipt {
  /** Lines that end in CRLF; "" for an adopted receipt. */
  readonly journal: string;
  readonly verificationUrl: string;
}

/**
 * Returns a receipt as it is printed. Makes the journal now if the POS left it out (`omitTextualRepresentation`). An
 * adopted receipt has no journal.
 * @param intent JSON; null for an adopted receipt
 * @param answer JSON
 */
export function printedReceipt(intent: string | null, answer: string): PrintedReceipt {
  const { journal: stored, verificationUrl, invoiceNumber, invoiceCounter } = readAnswer(answer);
  return { journal: stored ?? made(intent, invoiceNumber, invoiceCounter), verificationUrl };
}

function made(intent: string | null, invoiceNumber: string, invoiceCounter: string): string {
  if (intent === null) return "";
  const { journalHeader: header, ...rest } = decodeIntent(intent);
  return journal({ ...rest, header, isOnline: requesterOf(rest) !== rest.uid, invoiceNumber, invoiceCounter });
}
