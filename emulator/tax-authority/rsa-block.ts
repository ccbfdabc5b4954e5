/** One RSA block, PKCS#1 v1.5: how card and authority talk past everybody between them. */
import { constants, type KeyObject, privateDecrypt, privateEncrypt, publicDecrypt, publicEncrypt } from "node:crypto";
import type { Random } from "../../src/random.js";

export const BLOCK_BYTES = 256;
/** 00 02, at least eight bytes of padding, 00. */
const PADDING_BYTES = 11;
export const MAX_PLAINTEXT_BYTES = BLOCK_BYTES - PADDING_BYTES;

/** Encryption with injected padding bytes, so that a seeded card repeats itself. */
export function encryptBlock(plaintext: Uint8Array, key: KeyObject, random: Random): Uint8Array {
  if (plaintext.length > MAX_PLAINTEXT_BYTES) throw new RangeError(`${plaintext.length} bytes do not fit one block`);
  const padding = random.bytes(BLOCK_BYTES - 3 - plaintext.length).map((byte) => byte || 0xa5);
  const block = Buffer.concat([Buffer.from([0, 2]), padding, Buffer.from([0]), plaintext]);
  return publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, block);
}

/** Undefined where the block was not made for this key. */
export function decryptBlock(block: Uint8Array, key: KeyObject): Uint8Array | undefined {
  if (block.length !== BLOCK_BYTES) return undefined;
  let plain: Buffer;
  try {
    // Node refuses PKCS#1 v1.5 decryption by name, because a remote padding oracle could use it; this is no remote service.
    plain = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, block);
  } catch {
    return undefined;
  }
  const end = plain.indexOf(0, 2);
  return plain[0] === 0 && plain[1] === 2 && end >= PADDING_BYTES - 1 ? plain.subarray(end + 1) : undefined;
}

/** A block that only the holder of the private key can make. */
export function sealBlock(plaintext: Uint8Array, key: KeyObject): Uint8Array {
  return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, plaintext);
}

/** What is in a sealed block, or undefined where another key sealed it. */
export function openSealedBlock(block: Uint8Array, key: KeyObject): Uint8Array | undefined {
  try {
    return publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, block);
  } catch {
    return undefined;
  }
}
