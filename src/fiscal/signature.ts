/** What the card signs and how to check it (protocol facts, section 2). */
import { type KeyObject, verify } from "node:crypto";
import { INVOICE_TYPES, TRANSACTION_TYPES } from "./invoice.js";
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

const TEXT_BYTES = 20;

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
