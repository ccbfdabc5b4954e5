/** The card's answer to Sign Invoice: header, two counters, encrypted internal data, signature (protocol facts, section 2). */
import { SIGNED_HEADER_BYTES } from "./signing-header.js";

const COUNTERS_BYTES = 8;
const INTERNAL_DATA_OFFSET = SIGNED_HEADER_BYTES + COUNTERS_BYTES;
/** One maker's cards have 512 bytes of encrypted internal data. */
export const INTERNAL_DATA_BYTES: readonly number[] = [256, 512];
/** RSA-2048. */
export const SIGNATURE_BYTES = 256;

/** Bytes that every card's signature is known to cover: header, counters and 256 bytes of internal data. */
export const PROVEN_BYTES = INTERNAL_DATA_OFFSET + 256;

export interface CardCounters {
  /** Counter of the pair of invoice type and transaction type. */
  readonly transactionTypeCounter: number;
  readonly totalCounter: number;
}

export interface CardSignature extends CardCounters {
  /** The 57 bytes of the request that the card repeats. */
  readonly header: Uint8Array;
  /** 256 or 512 bytes. */
  readonly encryptedInternalData: Uint8Array;
  /** 256 bytes. */
  readonly signature: Uint8Array;
}

/** 8 bytes. */
export function encodeCounters({ transactionTypeCounter, totalCounter }: CardCounters): Buffer {
  const counters = Buffer.alloc(COUNTERS_BYTES);
  counters.writeUInt32BE(transactionTypeCounter, 0);
  counters.writeUInt32BE(totalCounter, 4);
  return counters;
}

/** 577 or 833 bytes. */
export function joinSignAnswer(answer: CardSignature): Buffer {
  return Buffer.concat([answer.header, encodeCounters(answer), answer.encryptedInternalData, answer.signature]);
}

/** Whether an answer has 256 or 512 bytes of internal data, and nothing behind the signature. */
export function hasAnswerLength({ length }: Uint8Array): boolean {
  return INTERNAL_DATA_BYTES.includes(length - INTERNAL_DATA_OFFSET - SIGNATURE_BYTES);
}

/** The reverse of {@link joinSignAnswer}. @param bytes with a length that {@link hasAnswerLength} accepts */
export function splitSignAnswer(bytes: Buffer): CardSignature {
  const end = bytes.length - SIGNATURE_BYTES;
  return {
    header: bytes.subarray(0, SIGNED_HEADER_BYTES),
    transactionTypeCounter: bytes.readUInt32BE(SIGNED_HEADER_BYTES),
    totalCounter: bytes.readUInt32BE(SIGNED_HEADER_BYTES + 4),
    encryptedInternalData: bytes.subarray(INTERNAL_DATA_OFFSET, end),
    signature: bytes.subarray(end),
  };
}
