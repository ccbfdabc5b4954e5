/** What the card signs and how to check it (protocol facts, section 2). */
import { type KeyObject, verify } from "node:crypto";
import { INVOICE_TYPE_NAMES, INVOICE_TYPES, TRANSACTION_TYPE_NAMES, TRANSACTION_TYPES } from "./invoice.js";
import type { Scaled } from "./money.js";
import type { VerificationData } from "./verification-url.js";

/** Bytes of the request that the card's answer repeats and signs. */
export const SIGNED_HEADER_BYTES = 57;

export type SignedHeader = Pick<VerificationData, "time" | "invoiceType" | "transactionType" | "totalAmount"> & {
  readonly tin: string;
  /** "" where there is none. */
  readonly buyerId: string;
};

/** 7 bytes, big endian. */
export function writeAmount(amount: Scaled): Uint8Array {
  if (amount < 0n || amount >= 1n << 56n) throw new RangeError(`amount ${amount} does not fit 7 bytes`);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(amount);
  return bytes.subarray(1);
}

/** The first 57 bytes of request and answer: time, TIN, buyer id, types, total amount. */
export function encodeSignedHeader(header: SignedHeader): Uint8Array {
  const bytes = Buffer.alloc(SIGNED_HEADER_BYTES);
  bytes.writeBigUInt64BE(BigInt(header.time), 0);
  writeLeftPadded(bytes, header.tin, 8);
  writeLeftPadded(bytes, header.buyerId, 28);
  bytes.writeUInt8(INVOICE_TYPES[header.invoiceType], 48);
  bytes.writeUInt8(TRANSACTION_TYPES[header.transactionType], 49);
  bytes.set(writeAmount(header.totalAmount), 50);
  return bytes;
}

/** What the 57 bytes say. @throws RangeError where no invoice has such bytes */
export function decodeSignedHeader(bytes: Uint8Array): SignedHeader {
  const header = Buffer.from(bytes);
  const invoiceType = INVOICE_TYPE_NAMES.find((name) => INVOICE_TYPES[name] === header[48]);
  const transactionType = TRANSACTION_TYPE_NAMES.find((name) => TRANSACTION_TYPES[name] === header[49]);
  if (!invoiceType || !transactionType) throw new RangeError("the card signed an unknown type of invoice");
  return {
    time: Number(header.readBigUInt64BE(0)),
    tin: readLeftPadded(header, 8),
    buyerId: readLeftPadded(header, 28),
    ...{ invoiceType, transactionType },
    totalAmount: BigInt(`0x${header.toString("hex", 50, SIGNED_HEADER_BYTES)}`),
  };
}

const TEXT_BYTES = 20;

function readLeftPadded(bytes: Buffer, offset: number): string {
  return bytes.toString("latin1", offset, offset + TEXT_BYTES).replace(/^\0+/, "");
}

function writeLeftPadded(bytes: Buffer, text: string, offset: number): void {
  const ascii = Buffer.from(text, "latin1");
  if (ascii.length > TEXT_BYTES || !/^[\x20-\x7e]*$/.test(text)) {
    throw new RangeError(`not ASCII of up to ${TEXT_BYTES} characters: ${JSON.stringify(text.slice(0, 40))}`);
  }
  ascii.copy(bytes, offset + TEXT_BYTES - ascii.length);
}

/** All bytes under the signature: header, both counters, encrypted internal data. */
export function signedBytes(data: VerificationData, tin: string): Uint8Array {
  const counters = Buffer.alloc(8);
  counters.writeUInt32BE(data.transactionTypeCounter, 0);
  counters.writeUInt32BE(data.totalCounter, 4);
  return Buffer.concat([encodeSignedHeader({ ...data, tin }), counters, data.encryptedInternalData]);
}

/** RSA PKCS#1 v1.5 with SHA-1 over {@link signedBytes}. */
export function isSignatureValid(data: VerificationData, tin: string, publicKey: KeyObject): boolean {
  return verify("RSA-SHA1", signedBytes(data, tin), publicKey, data.signature);
}

/** Bytes that every card's signature is known to cover: header, counters and 256 bytes of internal data. */
const PROVEN_BYTES = SIGNED_HEADER_BYTES + 8 + 256;

/**
 * Whether a card's answer is what the card said. Cards with 512 bytes of internal data may sign all of them, or
 * only the first 256: no such card was seen, so both are taken.
 * @param signed header, counters and encrypted internal data
 */
export function isProven(signed: Uint8Array, signature: Uint8Array, publicKey: KeyObject): boolean {
  if (verify("RSA-SHA1", signed, publicKey, signature)) return true;
  if (signed.length === PROVEN_BYTES) return false;
  return verify("RSA-SHA1", signed.subarray(0, PROVEN_BYTES), publicKey, signature);
}
