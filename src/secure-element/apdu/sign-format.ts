/** Request and answer of Sign Invoice (protocol facts, section 2). */
import { type CardSignature, hasAnswerLength, splitSignAnswer } from "../../fiscal/sign-answer.js";
import { writeAmount } from "../../fiscal/signing-header.js";
import type { SignRequest } from "../secure-element.js";
import { CRC_BYTES } from "./crc32.js";

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
