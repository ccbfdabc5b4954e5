/** Request and answer of Sign Invoice (protocol facts, sections 1 and 2). */
import { crc32 } from "node:zlib";
import { type CardSignature, hasAnswerLength, splitSignAnswer } from "../../fiscal/sign-answer.js";
import { writeAmount } from "../../fiscal/signing-header.js";
import type { SignRequest } from "../secure-element.js";

/** Bytes of the CRC-32 (IEEE, big endian) after the data of Sign Invoice. */
const CRC_BYTES = 4;

export function appendCrc(data: Uint8Array): Uint8Array {
  const crc = Buffer.alloc(CRC_BYTES);
  crc.writeUInt32BE(crc32(data));
  return Buffer.concat([data, crc]);
}

/** Returns the data without its CRC; undefined if the CRC does not match. */
export function stripCrc(data: Uint8Array): Uint8Array | undefined {
  if (data.length < CRC_BYTES) return undefined;
  const body = data.subarray(0, data.length - CRC_BYTES);
  const crc = Buffer.from(data).readUInt32BE(body.length);
  return crc32(body) === crc ? body : undefined;
}

/** Returns the data of Sign Invoice: 58 bytes, and 8 bytes for each tax category. */
export function encodeSignRequest({ header, categories }: SignRequest): Uint8Array {
  const taxes = categories.map(({ orderId, amount }) => Buffer.concat([Buffer.from([orderId]), writeAmount(amount)]));
  return Buffer.concat([header, Buffer.from([categories.length]), ...taxes]);
}

/**
 * Decodes an answer of 577 or 833 bytes, with or without a CRC after it. Returns undefined for other lengths. Does not
 * compare the CRC, because the signature proves more. If the card repeats a damaged answer, the sale must end as
 * damaged; with a compared CRC the sale would stay in doubt for ever.
 */
export function decodeSignAnswer(bytes: Uint8Array): CardSignature | undefined {
  const answer = [bytes, bytes.subarray(0, -CRC_BYTES)].find(hasAnswerLength);
  return answer && splitSignAnswer(Buffer.from(answer));
}
