/** Request and answer of Sign Invoice (protocol facts, section 2). */
import { encodeSignedHeader, SIGNED_HEADER_BYTES, writeAmount } from "../../fiscal/signature.js";
import type { CardSignature, SignRequest } from "../secure-element.js";

/** 58 bytes, and 8 for each tax category. */
export function encodeSignRequest(request: SignRequest): Uint8Array {
  const categories = request.categories.map(({ orderId, amount }) =>
    Buffer.concat([Buffer.from([orderId]), writeAmount(amount)]),
  );
  return Buffer.concat([encodeSignedHeader(request), Buffer.from([categories.length]), ...categories]);
}

const COUNTERS_BYTES = 8;
const SIGNATURE_BYTES = 256;
const INTERNAL_DATA_BYTES = [256, 512];

/** 577 or 833 bytes, the CRC already taken off. Undefined where the length is another. */
export function decodeSignAnswer(bytes: Uint8Array): CardSignature | undefined {
  const internalStart = SIGNED_HEADER_BYTES + COUNTERS_BYTES;
  const internalBytes = bytes.length - internalStart - SIGNATURE_BYTES;
  if (!INTERNAL_DATA_BYTES.includes(internalBytes)) return undefined;
  const view = Buffer.from(bytes);
  return {
    header: view.subarray(0, SIGNED_HEADER_BYTES),
    transactionTypeCounter: view.readUInt32BE(SIGNED_HEADER_BYTES),
    totalCounter: view.readUInt32BE(SIGNED_HEADER_BYTES + 4),
    encryptedInternalData: view.subarray(internalStart, internalStart + internalBytes),
    signature: view.subarray(internalStart + internalBytes),
  };
}
