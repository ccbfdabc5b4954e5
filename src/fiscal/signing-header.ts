/** The 57 bytes that begin request and answer of Sign Invoice, which the card signs (protocol facts, section 2). */
import type { EpochMs } from "../base/epoch-ms.js";
import {
  INVOICE_TYPE_NAMES,
  INVOICE_TYPES,
  type ReceiptKind,
  TRANSACTION_TYPE_NAMES,
  TRANSACTION_TYPES,
} from "./invoice.js";
import type { Scaled } from "./money.js";

export const SIGNED_HEADER_BYTES = 57;
export const AMOUNT_BYTES = 7;
/** Offset of the total amount. The bytes before the total amount are the same in the form of 2017. */
export const AMOUNT_OFFSET = 50;

const TIN_OFFSET = 8;
const BUYER_ID_OFFSET = 28;
const INVOICE_TYPE_OFFSET = 48;
const TRANSACTION_TYPE_OFFSET = 49;
/** Number of bytes of the TIN, and of the buyer id. */
const TEXT_BYTES = 20;

export interface SignedHeader extends ReceiptKind {
  readonly time: EpochMs;
  readonly tin: string;
  /** ASCII, up to 20 characters; "" if there is no buyer id. */
  readonly buyerId: string;
  readonly totalAmount: Scaled;
}

/** The fields that were read from untrusted bytes. The types may be numbers that do not exist. */
export interface RawSignedHeader extends Omit<SignedHeader, "time" | keyof ReceiptKind> {
  /** ms since the epoch. */
  readonly time: bigint;
  readonly invoiceType: number;
  readonly transactionType: number;
}

/** Returns an amount as 7 bytes, big endian. @throws RangeError if the amount does not fit */
export function writeAmount(amount: Scaled): Uint8Array {
  if (amount < 0n || amount >= 1n << 56n) throw new RangeError(`amount ${amount} does not fit 7 bytes`);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(amount);
  return bytes.subarray(1);
}

export function readAmount(bytes: Buffer, offset: number): Scaled {
  return BigInt(`0x${bytes.toString("hex", offset, offset + AMOUNT_BYTES)}`);
}

/** @throws RangeError if a field does not fit */
export function encodeSignedHeader(header: SignedHeader): Buffer {
  const bytes = Buffer.alloc(SIGNED_HEADER_BYTES);
  bytes.writeBigUInt64BE(BigInt(header.time), 0);
  writeLeftPadded(bytes, header.tin, TIN_OFFSET);
  writeLeftPadded(bytes, header.buyerId, BUYER_ID_OFFSET);
  bytes.writeUInt8(INVOICE_TYPES[header.invoiceType], INVOICE_TYPE_OFFSET);
  bytes.writeUInt8(TRANSACTION_TYPES[header.transactionType], TRANSACTION_TYPE_OFFSET);
  bytes.set(writeAmount(header.totalAmount), AMOUNT_OFFSET);
  return bytes;
}

/** Reads untrusted bytes without checking them. @param bytes at least {@link SIGNED_HEADER_BYTES} */
export function readSignedHeader(bytes: Uint8Array): RawSignedHeader {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    time: header.readBigUInt64BE(0),
    tin: readLeftPadded(header, TIN_OFFSET),
    buyerId: readLeftPadded(header, BUYER_ID_OFFSET),
    invoiceType: header.readUInt8(INVOICE_TYPE_OFFSET),
    transactionType: header.readUInt8(TRANSACTION_TYPE_OFFSET),
    totalAmount: readAmount(header, AMOUNT_OFFSET),
  };
}

/** @throws RangeError if no invoice has such bytes */
export function decodeSignedHeader(bytes: Uint8Array): SignedHeader {
  const raw = readSignedHeader(bytes);
  const invoiceType = INVOICE_TYPE_NAMES.find((name) => INVOICE_TYPES[name] === raw.invoiceType);
  const transactionType = TRANSACTION_TYPE_NAMES.find((name) => TRANSACTION_TYPES[name] === raw.transactionType);
  if (!invoiceType || !transactionType) throw new RangeError("the card signed an unknown type of invoice");
  return { ...raw, time: Number(raw.time), invoiceType, transactionType };
}

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
