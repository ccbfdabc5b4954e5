/** What a stored receipt says on paper. */
import { journal } from "../fiscal/journal/journal.js";
import { decodeIntent } from "./intent.js";

export interface PrintedReceipt {
  /** Lines with CRLF. */
  readonly journal: string;
  readonly verificationUrl: string;
}

interface StoredAnswer {
  readonly journal: string | null;
  readonly verificationUrl: string;
  readonly invoiceNumber: string;
  readonly invoiceCounter: string;
}

/**
 * The text is made where the POS asked for none (`omitTextualRepresentation`). There is none of an adopted receipt.
 * @param intent JSON, null of an adopted receipt @param answer JSON
 */
export function printedReceipt(intent: string | null, answer: string): PrintedReceipt {
  const { journal: stored, verificationUrl, invoiceNumber, invoiceCounter } = JSON.parse(answer) as StoredAnswer;
  return { journal: stored ?? made(intent, invoiceNumber, invoiceCounter), verificationUrl };
}

function made(intent: string | null, invoiceNumber: string, invoiceCounter: string): string {
  if (intent === null) return "";
  const { journalHeader: header, ...rest } = decodeIntent(intent);
  return journal({ ...rest, header, invoiceNumber, invoiceCounter });
}
