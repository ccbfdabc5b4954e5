/**
 * The audit package of a stored sale (protocol facts, section 8): request and result as JSON, encrypted for the tax
 * authority. The package is made when it is sent or written to a stick; the store keeps only the sale.
 */
import { constants, createCipheriv, createPublicKey, type KeyObject, publicEncrypt } from "node:crypto";
import { stringify } from "lossless-json";
import type { Random } from "../base/random.js";
import type { SoldInvoice } from "../fiscal/invoice.js";
import type { SoldTime } from "../fiscal/pos-time.js";
import { toIso } from "../fiscal/time.js";
import { exact } from "../fiscalizer/answer.js";
import { decodeIntent } from "../ledger/intent.js";
import type { Entry } from "../ledger/ledger.js";
import { printedReceipt } from "../ledger/receipt-content.js";
import type { AuditPackage } from "./tax-authority.js";

const KEY_BYTES = 32;
const IV_BYTES = 16;
/**
 * Length of the modulus in the key that INS 07 returns (protocol facts, section 1). The exponent follows the modulus.
 */
const MODULUS_BYTES = 256;

/** A sale that has everything a package needs: the card signed it, and request and answer are stored. */
type AuditableEntry = Entry & { readonly intent: string; readonly answer: string; readonly number: string };

/**
 * Whether a package can be made from an entry. An adopted sale lacks the request, an unproven sale lacks a signature
 * that proves it, and a lost sale has no signature. Each such sale has a report, and a person informs the authority.
 */
export function isAuditable(entry: Entry): entry is AuditableEntry {
  return entry.state === "complete" && entry.intent !== null && entry.answer !== null && entry.number !== null;
}

/**
 * The content of a package: JSON of `{"request", "result"}`. It has the journal, also if the POS left it out, and no QR
 * code. Its times are in UTC, and its decimals are exact.
 */
export function auditPayload({ intent, answer }: Pick<AuditableEntry, "intent" | "answer">): string {
  const { invoice, sdcTime } = decodeIntent(intent);
  const request = stringify(requestOf(invoice)) ?? "null";
  // The stored answer has no QR code, and its numbers are exactly those that the POS got.
  const result = answer
    .replace(/"sdcDateTime":"[^"]*"/, `"sdcDateTime":"${toIso(sdcTime)}"`)
    .replace('"journal":null', () => `"journal":${JSON.stringify(printedReceipt(intent, answer).journal)}`);
  return `{"request":${request},"result":${result}}`;
}

/** Encrypts a payload for the tax authority. @param authorityKey the key that the card exports ({@link publicKeyOf}) */
export function auditPackage(payload: string, authorityKey: KeyObject, random: Random): AuditPackage {
  const key = random.bytes(KEY_BYTES);
  const iv = random.bytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-cbc", key, iv);
  const encrypted = Buffer.concat([cipher.update(payload, "utf8"), cipher.final()]);
  const sealed = (bytes: Uint8Array) =>
    publicEncrypt({ key: authorityKey, padding: constants.RSA_PKCS1_PADDING }, bytes).toString("base64");
  return { key: sealed(key), iv: sealed(iv), payload: encrypted.toString("base64") };
}

/**
 * The tax authority's key as a card exports it.
 * @param exported 256 bytes of modulus and 3 of exponent (INS 07)
 * @throws RangeError if the export is too short; Node's error if it is not a key
 */
export function publicKeyOf(exported: Uint8Array): KeyObject {
  const bytes = Buffer.from(exported);
  if (bytes.length <= MODULUS_BYTES) throw new RangeError(`${bytes.length} bytes are too few for the authority's key`);
  const n = bytes.subarray(0, MODULUS_BYTES).toString("base64url");
  const e = bytes.subarray(MODULUS_BYTES).toString("base64url");
  return createPublicKey({ format: "jwk", key: { kty: "RSA", n, e } });
}

/** Returns the invoice in the specification's field forms. Fields that the POS did not send are left out. */
function requestOf({ dateAndTimeOfIssue, referentDocumentDT, payment, options, items, ...texts }: SoldInvoice): object {
  return {
    ...time("dateAndTimeOfIssue", dateAndTimeOfIssue),
    ...texts,
    ...time("referentDocumentDT", referentDocumentDT),
    payment: payment.map(({ amount, paymentType }) => ({ amount: exact(amount), paymentType })),
    options: {
      omitQRCodeGen: flag(options.omitQRCodeGen),
      omitTextualRepresentation: flag(options.omitTextualRepresentation),
    },
    items: items.map(({ quantity, unitPrice, totalAmount, ...texts }) => {
      return { ...texts, quantity: exact(quantity), unitPrice: exact(unitPrice), totalAmount: exact(totalAmount) };
    }),
  };
}

function time(name: string, sold: SoldTime | undefined): object {
  return sold === undefined ? {} : { [name]: toIso(sold.instant) };
}

function flag(value: boolean): "0" | "1" {
  return value ? "1" : "0";
}
