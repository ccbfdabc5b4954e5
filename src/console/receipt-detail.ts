/** Collects everything about one receipt: its text, its request and answer, and the content of its QR code. */
import { X509Certificate } from "node:crypto";
import { parse, stringify } from "lossless-json";
import { toFixed } from "../fiscal/money.js";
import { qrModules } from "../fiscal/qr.js";
import { isSignatureValid } from "../fiscal/signature.js";
import { toIso } from "../fiscal/time.js";
import {
  type DecodedVerificationUrl,
  decodeVerificationUrl,
  VerificationUrlError,
} from "../fiscal/verification-url.js";
import type { Intent } from "../ledger/intent.js";
import { contentOf, printedReceipt } from "../ledger/receipt-content.js";
import type { Receipts, StoredReceipt } from "../ledger/receipts.js";
import type { SecureElementState } from "../secure-element/secure-element.js";
import type { ReceiptDetailRecord, SignedRecord } from "./records/receipts.js";

/**
 * @param state state of the card, whose certificate verifies the signature
 * @param receipts the store, which may have the original receipt
 */
export function receiptDetail(
  receipt: StoredReceipt,
  state: SecureElementState,
  receipts: Pick<Receipts, "numbered">,
): Omit<ReceiptDetailRecord, "followers"> {
  const { uid: _, intent, answer, ...row } = receipt;
  const sale = contentOf(receipt)?.intent;
  return {
    ...row,
    request: intent === null ? null : indented(intent),
    answer: answer === null ? null : indented(answer),
    signed: readable(answer) ? signedRecord(intent, answer, state) : null,
    todaysRates: sale?.todaysRates === true,
    original: originalOf(sale, receipts),
  };
}

/**
 * Finds the receipt that a sale refers to. The store may not have it: it may be another shop's, or older than this
 * service.
 */
function originalOf(sale: Intent | undefined, receipts: Pick<Receipts, "numbered">): ReceiptDetailRecord["original"] {
  const number = sale?.invoice.referentDocumentNumber;
  return number === undefined ? null : { number, row: receipts.numbered(number) ?? null };
}

function indented(json: string): string {
  return readable(json) ? (stringify(parse(json), null, 2) ?? json) : json;
}

/**
 * Whether a text is readable JSON. The text of a damaged entry is not; the console shows such an entry without details.
 */
function readable(json: string | null): json is string {
  try {
    return json !== null && JSON.parse(json) !== null;
  } catch {
    return false;
  }
}

function signedRecord(intent: string | null, answer: string, state: SecureElementState): SignedRecord {
  const { journal, verificationUrl } = printedReceipt(readable(intent) ? intent : null, answer);
  const decoded = decodedOrNot(verificationUrl);
  return {
    journal: journal.split("\r\n").slice(0, -1),
    verificationUrl,
    qr: qrRows(verificationUrl),
    decoded: decoded ? fields(decoded) : {},
    hashValid: decoded?.hashValid === true,
    signatureValid: decoded ? signatureVerdict(decoded, state) : null,
  };
}

/**
 * Decodes a verification URL.
 * @returns undefined if the URL of a manipulated entry is not valid; the entry is still shown
 */
function decodedOrNot(url: string): DecodedVerificationUrl | undefined {
  try {
    return decodeVerificationUrl(url);
  } catch (error) {
    if (error instanceof VerificationUrlError) return undefined;
    throw error;
  }
}

/** Makes the rows of the QR code with error correction level L, as in the answer (protocol facts, section 7). */
function qrRows(url: string): string[] {
  return qrModules(url).map((row) => row.map((isDark) => (isDark ? "1" : "0")).join(""));
}

function fields(decoded: DecodedVerificationUrl): Record<string, string | number> {
  const { version, requestedBy, signedBy, totalCounter, transactionTypeCounter, invoiceType, transactionType } =
    decoded;
  return {
    version,
    requestedBy,
    signedBy,
    totalCounter,
    transactionTypeCounter,
    totalAmount: toFixed(decoded.totalAmount, 4),
    dateTime: toIso(decoded.time),
    invoiceType,
    transactionType,
    buyerId: decoded.buyerId,
  };
}

function signatureVerdict(decoded: DecodedVerificationUrl, state: SecureElementState): boolean | null {
  if (state.kind !== "ready" || state.identity.uid !== decoded.signedBy) return null;
  const { certificate, taxpayer } = state.identity;
  return isSignatureValid(decoded, taxpayer.tin, new X509Certificate(certificate).publicKey);
}
