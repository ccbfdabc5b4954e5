/** The answer to Sign Invoice: header, two counters, encrypted internal data, signature (protocol facts, section 2). */
import { SIGNED_HEADER_BYTES } from "./signing-header.js";

const COUNTERS_BYTES = 8;
const INTERNAL_DATA_OFFSET = SIGNED_HEADER_BYTES + COUNTERS_BYTES;
/** Possible lengths of the encrypted internal data. The cards of one maker have 512 bytes. */
export const INTERNAL_DATA_BYTES: readonly number[] = [256, 512];
/** Length of the signature, which is RSA-2048. */
export const SIGNATURE_BYTES = 256;

/** Number of bytes that the signature of every card covers: header, counters and 256 bytes of internal data. */
export const PROVEN_BYTES = INTERNAL_DATA_OFFSET + 256;

export interface CardCounters {
  readonly transactionTypeCounter: number;
  readonly totalCounter: number;
}

export interface CardSignature extends CardCounters {
  /** The 57 bytes of the request that the card repeats. */
  readonly header: Uint8Array;
  /** Encrypted data of 256 or 512 bytes. */
  readonly encryptedInternalData: Uint8Array;
  readonly signature: Uint8Array;
}

export function encodeCounters({ transactionTypeCounter, totalCounter }: CardCounters): Buffer {
  const counters = Buffer.alloc(COUNTERS_BYTES);
  counters.writeUInt32BE(transactionTypeCounter, 0);
  counters.writeUInt32BE(totalCounter, 4);
  return counters;
}

/** Returns the bytes of the card's answer, 577 or 833. */
export function joinSignAnswer(answer: CardSignature): Buffer {
  return Buffer.concat([answer.header, encodeCounters(answer), answer.encryptedInternalData, answer.signature]);
}

/** Whether the length of an answer fits 256 or 512 bytes of internal data, and no bytes after the signature. */
export function hasAnswerLength({ length }: Uint8Array): boolean {
  return INTERNAL_DATA_BYTES.includes(length - INTERNAL_DATA_OFFSET - SIGNATURE_BYTES);
}

/** Splits an answer into its parts. @param bytes with a length that {@link hasAnswerLength} accepts */
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
