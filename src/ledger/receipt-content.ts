/**
 * Reads the content of a stored receipt, for console, reports, export and replays, and makes its printed form. `tillseal
 * verify` does not use this: it compares the texts itself.
 */
import type { EpochMs } from "../base/epoch-ms.js";
import { type ReceiptKind, type Taxpayer, totalAmountOf } from "../fiscal/invoice.js";
import { journal } from "../fiscal/journal/journal.js";
import type { Scaled } from "../fiscal/money.js";
import { decodeVerificationUrl } from "../fiscal/verification-url.js";
import { decodeIntent, type Intent, requesterOf } from "./intent.js";
import type { Entry } from "./ledger.js";

/** JSON texts of an entry. {@link contentOf} reads the answer of an adopted receipt only. */
export type ReceiptTexts = Pick<Entry, "intent" | "answer">;

export interface ReceiptContent extends ReceiptKind {
  /** The time that the card signs. */
  readonly time: EpochMs;
  readonly total: Scaled;
  /** "" if the invoice has no buyer id. */
  readonly buyerId: string;
  /** Everything about the sale; undefined for an adopted receipt, of which only the other fields are known. */
  readonly intent: Intent | undefined;
}

/**
 * Reads the content of a receipt. It is undefined if the entry is damaged, because one damaged receipt must not stop a
 * list.
 */
export function contentOf({ intent: json, answer }: ReceiptTexts): ReceiptContent | undefined {
  try {
    if (json !== null) {
      const intent = decodeIntent(json);
      const { invoiceType, transactionType, buyerId = "", items } = intent.invoice;
      return { time: intent.sdcTime, invoiceType, transactionType, total: totalAmountOf(items), buyerId, intent };
    }
    if (answer === null) return undefined;
    // The verification URL contains what the card signed.
    const { totalAmount: total, ...signed } = decodeVerificationUrl(readAnswer(answer).verificationUrl);
    const { time, invoiceType, transactionType, buyerId } = signed;
    return { time, invoiceType, transactionType, total, buyerId, intent: undefined };
  } catch {
    return undefined;
  }
}

/** Fields of a stored answer (docs/interface.md, "Invoice response") that this program reads again. */
export interface StoredAnswer extends Pick<Taxpayer, "tin" | "businessName"> {
  readonly sdcDateTime: string;
  readonly verificationUrl: string;
  /** Lines that end in CRLF; null if the POS left the journal out, or if the receipt was adopted. */
  readonly journal: string | null;
  readonly invoiceNumber: string;
  readonly invoiceCounter: string;
  readonly totalCounter: number;
  readonly taxGroupRevision: number;
}

/** @throws Error if the entry is damaged */
export function readAnswer(json: string): StoredAnswer {
  const answer = JSON.parse(json) as StoredAnswer | null;
  if (answer === null || typeof answer !== "object") throw new TypeError("the stored answer is not an object");
  return answer;
}

/** Reads the answer of an entry; undefined if the answer is missing or damaged. */
export function answerIn({ answer }: Pick<ReceiptTexts, "answer">): StoredAnswer | undefined {
  try {
    return answer === null ? undefined : readAnswer(answer);
  } catch {
    return undefined;
  }
}

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
