/** Reads the content of a stored receipt, for console, reports, export and replays. `tillseal verify` compares the texts itself. */
import { type InvoiceType, type TransactionType, totalAmountOf } from "../fiscal/invoice.js";
import type { Scaled } from "../fiscal/money.js";
import { decodeVerificationUrl } from "../fiscal/verification-url.js";
import { decodeIntent, type Intent } from "./intent.js";

/** JSON texts of an entry. */
export interface ReceiptTexts {
  /** Null if the receipt was adopted. */
  readonly intent: string | null;
  /** Needed for an adopted receipt only. */
  readonly answer: string | null;
}

export interface ReceiptContent {
  /** ms since the epoch: the time that the card signs. */
  readonly time: number;
  readonly invoiceType: InvoiceType;
  readonly transactionType: TransactionType;
  readonly total: Scaled;
  /** "" if there is none. */
  readonly buyerId: string;
  /** Everything about the sale; undefined for an adopted receipt, of which the card knows only the fields above. */
  readonly intent: Intent | undefined;
}

/** Undefined if the entry is damaged: one receipt must not stop a list. */
export function contentOf({ intent, answer }: ReceiptTexts): ReceiptContent | undefined {
  try {
    if (intent !== null) return contentOfIntent(decodeIntent(intent));
    return answer === null ? undefined : contentOfAnswer(readAnswer(answer));
  } catch {
    return undefined;
  }
}

function contentOfIntent(intent: Intent): ReceiptContent {
  const { invoiceType, transactionType, buyerId = "", items } = intent.invoice;
  return { time: intent.sdcTime, invoiceType, transactionType, total: totalAmountOf(items), buyerId, intent };
}

/** The verification URL contains what the card signed. */
function contentOfAnswer({ verificationUrl }: StoredAnswer): ReceiptContent {
  const { time, invoiceType, transactionType, totalAmount, buyerId } = decodeVerificationUrl(verificationUrl);
  return { time, invoiceType, transactionType, total: totalAmount, buyerId, intent: undefined };
}

/** Fields of a stored answer (specification, "Invoice response") that are read again. */
export interface StoredAnswer {
  readonly sdcDateTime: string;
  readonly verificationUrl: string;
  /** Lines with CRLF; null if the POS left the journal out, or if the receipt was adopted. */
  readonly journal: string | null;
  readonly invoiceNumber: string;
  readonly invoiceCounter: string;
  readonly totalCounter: number;
  readonly taxGroupRevision: number;
  readonly tin: string;
  readonly businessName: string;
}

/** @throws Error if the entry is damaged */
export function readAnswer(json: string): StoredAnswer {
  const answer = JSON.parse(json) as StoredAnswer | null;
  if (answer === null || typeof answer !== "object") throw new TypeError("the stored answer is not an object");
  return answer;
}

/** Undefined if the answer is missing or damaged. */
export function answerIn({ answer }: Pick<ReceiptTexts, "answer">): StoredAnswer | undefined {
  try {
    return answer === null ? undefined : readAnswer(answer);
  } catch {
    return undefined;
  }
}
