/**
 * The intent has everything that an answer needs besides the card's signature. It is on the disk before the card is
 * asked.
 */
import { totalAmountOf } from "../fiscal/invoice.js";
import type { JournalHeader, JournalInput } from "../fiscal/journal/journal.js";
import type { Amounts } from "../fiscal/limit.js";
import { parseScaled, toDecimalText } from "../fiscal/money.js";
import type { QrFormat } from "../fiscal/qr.js";
import { encodeSignedHeader, type SignedHeader } from "../fiscal/signing-header.js";

export interface Intent extends Omit<JournalInput, "header" | "isOnline" | "invoiceNumber" | "invoiceCounter"> {
  readonly uid: string;
  /**
   * UID of the element that asked for the signature, if another one signs, as in the online service of an authority.
   * Absent if the card signs for itself.
   */
  readonly requestedBy?: string;
  readonly taxGroupRevision: number;
  readonly journalHeader: JournalHeader;
  readonly qrFormat: QrFormat;
  /** The beginning of the verification URL, before its base64 part. */
  readonly root: string;
  readonly mrc: string;
  /**
   * True if a Copy or a Refund is taxed by today's rates, because neither the POS nor the store knows the time of the
   * original receipt.
   */
  readonly todaysRates?: boolean;
  /** Sum and limit before the card was asked. They are stored for a card that cannot repeat its last invoice. */
  readonly before?: Amounts;
}

/** UID of the element that asked for the signature. On a till, this is the card that signs. */
export function requesterOf({ uid, requestedBy = uid }: Pick<Intent, "uid" | "requestedBy">): string {
  return requestedBy;
}

/** Returns the 57 bytes that the card is to sign. */
export function headerOf(intent: Intent): Uint8Array {
  return encodeSignedHeader(signedHeaderOf(intent));
}

export function signedHeaderOf({ invoice, taxpayer, sdcTime }: Intent): SignedHeader {
  return {
    time: sdcTime,
    tin: taxpayer.tin,
    buyerId: invoice.buyerId ?? "",
    invoiceType: invoice.invoiceType,
    transactionType: invoice.transactionType,
    totalAmount: totalAmountOf(invoice.items),
  };
}

/** Fields with exact amounts, which are decimal texts in the JSON. */
const AMOUNTS = new Set(["amount", "quantity", "unitPrice", "totalAmount", "rate", "sum", "limit"]);

export function encodeIntent(intent: Intent): string {
  return JSON.stringify(intent, (_, value: unknown) => (typeof value === "bigint" ? toDecimalText(value) : value));
}

export function decodeIntent(json: string): Intent {
  return JSON.parse(json, (key, value: unknown) =>
    AMOUNTS.has(key) && typeof value === "string" ? parseScaled(value) : value,
  ) as Intent;
}
