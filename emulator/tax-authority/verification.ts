/** Checks the address in a QR code as a tax authority does (protocol facts, sections 2 and 3). */
import type { KeyObject } from "node:crypto";
import { INVOICE_TYPES, type Invoice, PAYMENT_TYPES, TRANSACTION_TYPES } from "../../src/fiscal/invoice.js";
import { toDecimalText } from "../../src/fiscal/money.js";
import type { PosTime, SoldTime } from "../../src/fiscal/pos-time.js";
import { isSignatureValid } from "../../src/fiscal/signature.js";
import { toIso } from "../../src/fiscal/time.js";
import { decodeVerificationUrl } from "../../src/fiscal/verification-url.js";
import { internalData, internalDifferences } from "./check-sale.js";
import type { Holder } from "./registered.js";

/** A receipt that the authority has: in a package, or in the store of the service that signed it. */
export interface KnownReceipt {
  readonly invoice: Invoice<PosTime | SoldTime>;
  readonly journal: string | null;
}

export interface AuthorityRecords {
  readonly privateKey: KeyObject;
  readonly card: (uid: string) => Holder | undefined;
  /** Returns a receipt by its invoice number; undefined before its package has arrived. */
  readonly receipt: (invoiceNumber: string) => KnownReceipt | undefined;
  /** Returns the time zone of the current environment, such as Europe/Belgrade; undefined without an environment. */
  readonly timeZone: () => string | undefined;
}

export type ReceiptVerdict = ReturnType<typeof verify>;

/**
 * Checks a verification URL. The names and types of the result are those of a real authority (protocol facts, section
 * 10), except `checks`. @throws VerificationUrlError if `url` is not a verification URL
 */
export function verify(url: string, { privateKey, card, receipt }: AuthorityRecords) {
  const decoded = decodeVerificationUrl(url);
  const { requestedBy, signedBy, totalCounter, transactionTypeCounter, hashValid } = decoded;
  const registered = card(signedBy);
  // The online service signs for other taxpayers, so the taxpayer's UID may differ from the signer's.
  const taxpayer = requestedBy === signedBy ? registered : card(requestedBy);
  const invoiceNumber = `${requestedBy}-${signedBy}-${totalCounter}`;
  const internal = internalData(decoded, privateKey);
  const checks = {
    /** Whether the hash is right; null if this version of the address has no hash. */
    hash: hashValid,
    /** Whether the signature is valid; null if the card or the taxpayer is not registered. */
    signature: registered && taxpayer ? isSignatureValid(decoded, taxpayer.tin, registered.publicKey) : null,
    /** Whether the data that the card encrypted for the authority agrees with the rest of the address. */
    internalData: internal !== undefined && internalDifferences(internal, decoded).length === 0,
  };
  const isValid = checks.hash !== false && checks.signature === true && checks.internalData;
  // Show the receipt only for a valid address, because anyone can invent an invoice number.
  const { invoice, journal = null } = (isValid ? receipt(invoiceNumber) : undefined) ?? {};
  const posTime = invoice?.dateAndTimeOfIssue ?? null;
  return {
    invoiceRequest: {
      posTime: posTime === null || typeof posTime === "string" ? posTime : toIso(posTime.instant),
      taxId: taxpayer?.tin ?? null,
      businessName: taxpayer?.businessName ?? null,
      locationName: taxpayer?.locationName ?? null,
      address: taxpayer?.address ?? null,
      city: taxpayer?.district ?? null,
      administrativeUnit: taxpayer?.district ?? null,
      cashier: invoice?.cashier ?? null,
      buyer: decoded.buyerId || null,
      requestedBy,
      invoiceType: INVOICE_TYPES[decoded.invoiceType],
      transactionType: TRANSACTION_TYPES[decoded.transactionType],
      payments: (invoice?.payment ?? []).map(({ amount, paymentType }) => ({
        amount: Number(toDecimalText(amount)),
        paymentType: PAYMENT_TYPES[paymentType],
      })),
    },
    invoiceResult: {
      totalAmount: Number(toDecimalText(decoded.totalAmount)),
      transactionTypeCounter,
      totalCounter,
      // The extension depends on the language of the receipt.
      invoiceCounterExtension: journal?.match(/\d\/\d+(\p{L}{2})\r\n/u)?.[1] ?? null,
      invoiceNumber,
      signedBy,
      sdcTime: toIso(decoded.time),
    },
    journal,
    isValid,
    checks,
  };
}
