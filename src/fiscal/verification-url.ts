/** Writes and reads the address in the QR code (protocol facts, section 3). */
import { createHash } from "node:crypto";
import { INVOICE_TYPE_NAMES, INVOICE_TYPES, TRANSACTION_TYPE_NAMES, TRANSACTION_TYPES } from "./invoice.js";
import { type CardSignature, INTERNAL_DATA_BYTES, SIGNATURE_BYTES } from "./sign-answer.js";
import type { SignedHeader } from "./signing-header.js";

const VERSION = 3;
const UID_BYTES = 8;
const MAX_BUYER_ID_BYTES = 20;
const HASH_BYTES = 16;
const FIXED_BYTES = 44;
/** The largest time (ms) that a JavaScript Date can hold. */
const LAST_TIME_MS = 8_640_000_000_000_000;

/** The data that a card signed, the UID of that card, and the UID of the requester. */
export interface VerificationData extends Omit<SignedHeader, "tin">, Omit<CardSignature, "header"> {
  readonly requestedBy: string;
  readonly signedBy: string;
}

export interface DecodedVerificationUrl extends VerificationData {
  readonly version: number;
  /** Whether the hash is right; null if this version of the data has no hash. */
  readonly hashValid: boolean | null;
}

/** Problems of a verification URL, as codes for texts in the reader's language. */
export type VerificationUrlProblem =
  | ("percentEncoding" | "noBase64" | "tooShort" | "unknownVersion")
  | ("unknownType" | "badTime" | "longBuyerId" | "wrongLength");

/** The text is not a verification URL, or the URL is damaged or cut short. */
export class VerificationUrlError extends Error {
  override readonly name = "VerificationUrlError";

  /** @param values the values in the message, for its translations */
  constructor(
    readonly problem: VerificationUrlProblem,
    message: string,
    readonly values: Readonly<Record<string, number>> = {},
  ) {
    super(message);
  }
}

/** Returns the bytes of the data in the URL, including the MD5 at the end. */
export function encodeVerificationData(data: VerificationData): Uint8Array {
  const buyerId = Buffer.from(data.buyerId, "latin1");
  if (buyerId.length > MAX_BUYER_ID_BYTES) throw new RangeError("buyer id is longer than 20 bytes");
  const fixed = Buffer.alloc(FIXED_BYTES);
  fixed.writeUInt8(VERSION, 0);
  fixed.write(data.requestedBy, 1, UID_BYTES, "latin1");
  fixed.write(data.signedBy, 9, UID_BYTES, "latin1");
  fixed.writeUInt32LE(data.totalCounter, 17);
  fixed.writeUInt32LE(data.transactionTypeCounter, 21);
  fixed.writeBigUInt64LE(data.totalAmount, 25);
  fixed.writeBigUInt64BE(BigInt(data.time), 33);
  fixed.writeUInt8(INVOICE_TYPES[data.invoiceType], 41);
  fixed.writeUInt8(TRANSACTION_TYPES[data.transactionType], 42);
  fixed.writeUInt8(buyerId.length, 43);
  const body = Buffer.concat([fixed, buyerId, data.encryptedInternalData, data.signature]);
  return Buffer.concat([body, md5(body)]);
}

/** Returns `root`, for example `https://…/v/?vl=`, followed by the percent-encoded base64 of the data. */
export function verificationUrl(root: string, data: VerificationData): string {
  return root + encodeURIComponent(Buffer.from(encodeVerificationData(data)).toString("base64"));
}

/**
 * Reads a verification URL, percent-encoded or raw, or only its base64. If the hash does not match, the result says so;
 * `decodeVerificationUrl` does not throw.
 * @throws VerificationUrlError if the text cannot be a verification URL
 */
export function decodeVerificationUrl(url: string): DecodedVerificationUrl {
  return decodeVerificationData(dataOf(url.trim()));
}

function dataOf(url: string): Buffer {
  const query = /[?&]vl=([^&#]*)/.exec(url);
  const encoded = query?.[1] ?? url;
  let base64: string;
  try {
    // A raw "+" is a "+" (section 3). Programs that read it as a query have made it a blank.
    base64 = decodeURIComponent(encoded).replaceAll(" ", "+");
  } catch {
    throw new VerificationUrlError("percentEncoding", "the percent-encoding of the vl parameter is broken");
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
    throw new VerificationUrlError(
      "noBase64",
      "no base64 data found: expected an address with ?vl=… or the base64 text itself",
    );
  }
  return Buffer.from(base64, "base64");
}

function decodeVerificationData(bytes: Buffer): DecodedVerificationUrl {
  if (bytes.length < FIXED_BYTES)
    throw new VerificationUrlError("tooShort", `only ${bytes.length} bytes: cut short`, { length: bytes.length });
  const version = bytes.readUInt8(0);
  if (version !== 2 && version !== VERSION)
    throw new VerificationUrlError("unknownVersion", `unknown version ${version}`, { version });
  const invoiceType = INVOICE_TYPE_NAMES.find((name) => INVOICE_TYPES[name] === bytes[41]);
  const transactionType = TRANSACTION_TYPE_NAMES.find((name) => TRANSACTION_TYPES[name] === bytes[42]);
  if (!invoiceType || !transactionType) {
    const [invoice, transaction] = [bytes.readUInt8(41), bytes.readUInt8(42)];
    throw new VerificationUrlError(
      "unknownType",
      `unknown invoice type ${invoice} or transaction type ${transaction}`,
      { invoice, transaction },
    );
  }
  const time = Number(bytes.readBigUInt64BE(33));
  if (time > LAST_TIME_MS)
    throw new VerificationUrlError("badTime", `${time} ms is a time beyond the calendar`, { time });
  const buyerIdLength = bytes.readUInt8(43);
  if (buyerIdLength > MAX_BUYER_ID_BYTES)
    throw new VerificationUrlError("longBuyerId", `buyer id of ${buyerIdLength} bytes`, { length: buyerIdLength });
  const hashBytes = version === VERSION ? HASH_BYTES : 0;
  const internalStart = FIXED_BYTES + buyerIdLength;
  const internalBytes = bytes.length - internalStart - SIGNATURE_BYTES - hashBytes;
  if (!INTERNAL_DATA_BYTES.some((length) => length === internalBytes)) {
    throw new VerificationUrlError("wrongLength", `${bytes.length} bytes do not add up: cut short or damaged`, {
      length: bytes.length,
    });
  }
  const signatureStart = internalStart + internalBytes;
  const end = signatureStart + SIGNATURE_BYTES;
  const hashed = bytes.subarray(0, end);
  return {
    version,
    requestedBy: bytes.toString("latin1", 1, 9),
    signedBy: bytes.toString("latin1", 9, 17),
    totalCounter: bytes.readUInt32LE(17),
    transactionTypeCounter: bytes.readUInt32LE(21),
    totalAmount: bytes.readBigUInt64LE(25),
    time,
    invoiceType,
    transactionType,
    // One maker pads the buyer id with 00 on the left.
    buyerId: bytes.toString("latin1", FIXED_BYTES, internalStart).replace(/^\0+/, ""),
    encryptedInternalData: bytes.subarray(internalStart, signatureStart),
    signature: bytes.subarray(signatureStart, end),
    hashValid: version === VERSION ? md5(hashed).equals(bytes.subarray(end)) : null,
  };
}

function md5(bytes: Uint8Array): Buffer {
  return createHash("md5").update(bytes).digest();
}
