/** Checks the address in a QR code as a tax authority does (protocol facts, sections 2 and 3). */
import type { KeyObject } from "node:crypto";
import { toFixed } from "../../src/fiscal/money.js";
import { isSignatureValid } from "../../src/fiscal/signature.js";
import { toIso } from "../../src/fiscal/time.js";
import { decodeVerificationUrl } from "../../src/fiscal/verification-url.js";
import { internalData, internalDifferences } from "./check-sale.js";
import type { Holder } from "./registered.js";

export interface AuthorityRecords {
  readonly privateKey: KeyObject;
  readonly card: (uid: string) => Holder | undefined;
  /** Returns the text of a receipt by its invoice number; undefined if the authority does not know the text. */
  readonly journal: (invoiceNumber: string) => string | undefined;
  /** Returns the time zone of the current environment, such as Europe/Belgrade; undefined without an environment. */
  readonly timeZone: () => string | undefined;
}

export interface ReceiptVerdict {
  /** Whether hash, signature and internal data are all valid. */
  readonly valid: boolean;
  readonly checks: {
    /** Whether the hash is right; null if this version of the address has no hash. */
    readonly hash: boolean | null;
    /** Whether the signature is valid; null if the card or the taxpayer is not registered. */
    readonly signature: boolean | null;
    /** Whether the data that the card encrypted for the authority agrees with the rest of the address. */
    readonly internalData: boolean;
  };
  readonly invoice: {
    readonly invoiceNumber: string;
    /** UID of the online service that signed for the taxpayer; null if the taxpayer's card signed. */
    readonly onlineService: string | null;
    readonly invoiceType: string;
    readonly transactionType: string;
    /** Decimal text with 4 decimals. */
    readonly totalAmount: string;
    /** ISO 8601, UTC. */
    readonly time: string;
    readonly buyerId: string;
    readonly totalCounter: number;
    readonly transactionTypeCounter: number;
  };
  readonly taxpayer: { readonly tin: string; readonly businessName: string; readonly locationName: string } | null;
  readonly journal: string | null;
}

/** Checks a verification URL. @throws VerificationUrlError if `url` is not a verification URL */
export function verify(url: string, { privateKey, card, journal }: AuthorityRecords): ReceiptVerdict {
  const decoded = decodeVerificationUrl(url);
  const { requestedBy, signedBy, totalCounter, transactionTypeCounter, hashValid } = decoded;
  const registered = card(signedBy);
  // The online service signs for other taxpayers, so the taxpayer's UID may differ from the signer's.
  const taxpayer = requestedBy === signedBy ? registered : card(requestedBy);
  const invoiceNumber = `${requestedBy}-${signedBy}-${totalCounter}`;
  const internal = internalData(decoded, privateKey);
  const checks = {
    hash: hashValid,
    signature: registered && taxpayer ? isSignatureValid(decoded, taxpayer.tin, registered.publicKey) : null,
    internalData: internal !== undefined && internalDifferences(internal, decoded).length === 0,
  };
  const valid = checks.hash !== false && checks.signature === true && checks.internalData;
  return {
    valid,
    checks,
    invoice: {
      invoiceNumber,
      onlineService: requestedBy === signedBy ? null : signedBy,
      invoiceType: decoded.invoiceType,
      transactionType: decoded.transactionType,
      totalAmount: toFixed(decoded.totalAmount, 4),
      time: toIso(decoded.time),
      buyerId: decoded.buyerId,
      totalCounter,
      transactionTypeCounter,
    },
    taxpayer: taxpayer
      ? { tin: taxpayer.tin, businessName: taxpayer.businessName, locationName: taxpayer.locationName }
      : null,
    // Show the receipt only for a valid address, because anyone can invent an invoice number.
    journal: (valid ? journal(invoiceNumber) : undefined) ?? null,
  };
}
