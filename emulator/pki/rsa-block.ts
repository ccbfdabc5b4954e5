/**
 * One RSA block with PKCS#1 v1.5. Card and authority exchange messages in this form, so that programs between them
 * cannot read the encrypted messages or forge the sealed ones.
 */
import { constants, type KeyObject, privateDecrypt, privateEncrypt, publicDecrypt, publicEncrypt } from "node:crypto";
import type { Random } from "../../src/base/random.js";

export const BLOCK_BYTES = 256;
/** Bytes that a block needs besides the plaintext: 00 02, at least eight bytes of padding, 00. */
const PADDING_BYTES = 11;
export const MAX_PLAINTEXT_BYTES = BLOCK_BYTES - PADDING_BYTES;

/** Encrypts with padding from a random source, so that a card with a seed gives the same bytes every time. */
export function encryptBlock(plaintext: Uint8Array, key: KeyObject, random: Random): Uint8Array {
  if (plaintext.length > MAX_PLAINTEXT_BYTES)
    throw new RangeError(
      `${plaintext.length} bytes do not fit into one block; it holds at most ${MAX_PLAINTEXT_BYTES}`,
    );
  const padding = random.bytes(BLOCK_BYTES - 3 - plaintext.length).map((byte) => byte || 0xa5);
  const block = Buffer.concat([Buffer.from([0, 2]), padding, Buffer.from([0]), plaintext]);
  return publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, block);
}

/** Decrypts a block. Returns undefined if the block was not made for this key. */
export function decryptBlock(block: Uint8Array, key: KeyObject): Uint8Array | undefined {
  if (block.length !== BLOCK_BYTES) return undefined;
  let plain: Buffer;
  try {
    // Node refuses decryption with PKCS#1 v1.5, because of padding oracles in remote services. So we remove the
    // padding here.
    plain = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, block);
  } catch {
    return undefined;
  }
  const end = plain.indexOf(0, 2);
  return plain[0] === 0 && plain[1] === 2 && end >= PADDING_BYTES - 1 ? plain.subarray(end + 1) : undefined;
}

/** Makes a block that only the holder of the private key can make. */
export function sealBlock(plaintext: Uint8Array, key: KeyObject): Uint8Array {
  return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, plaintext);
}

/** Returns the content of a sealed block; undefined if another key sealed the block. */
export function openSealedBlock(block: Uint8Array, key: KeyObject): Uint8Array | undefined {
  try {
    return publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, block);
  } catch {
    return undefined;
  }
}
