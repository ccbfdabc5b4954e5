/** Checks the card's signature, RSA PKCS#1 v1.5 with SHA-1, and what it covers (protocol facts, section 2). */
import { type KeyObject, verify } from "node:crypto";
import { encodeCounters, PROVEN_BYTES } from "./sign-answer.js";
import { encodeSignedHeader } from "./signing-header.js";
import type { VerificationData } from "./verification-url.js";

/** All bytes that the signature covers: header, both counters, encrypted internal data. */
export function signedBytes(data: VerificationData, tin: string): Uint8Array {
  return Buffer.concat([encodeSignedHeader({ ...data, tin }), encodeCounters(data), data.encryptedInternalData]);
}

/** Checks a receipt's signature against its own fields. A time, amount or buyer id that no card can sign is not valid. */
export function isSignatureValid(data: VerificationData, tin: string, publicKey: KeyObject): boolean {
  try {
    return isProven(signedBytes(data, tin), data.signature, publicKey);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Whether the card's key made this signature. A card with 512 bytes of internal data may sign all these bytes or only
 * the first 256. We have not seen such a card, so both signatures are valid here.
 * @param signed header, counters and encrypted internal data
 */
export function isProven(signed: Uint8Array, signature: Uint8Array, publicKey: KeyObject): boolean {
  if (verify("RSA-SHA1", signed, publicKey, signature)) return true;
  if (signed.length === PROVEN_BYTES) return false;
  return verify("RSA-SHA1", signed.subarray(0, PROVEN_BYTES), publicKey, signature);
}
