/** Request and answer of Sign Invoice (protocol facts, section 2). */
import { encodeSignedHeader, SIGNED_HEADER_BYTES, writeAmount } from "../../fiscal/signature.js";
import type { CardSignature, SignRequest } from "../secure-element.js";
import { CRC_BYTES } from "./crc32.js";

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

/**
 * 577 or 833 bytes, and a CRC behind them or none. Undefined where the length is another. The CRC is not compared: the signature
 * proves more. Damage that the card repeats must end the sale as damage, and not leave it in doubt for ever.
 */
export function decodeSignAnswer(bytes: Uint8Array): CardSignature | undefined {
  return decodeExactly(bytes) ?? decodeExactly(bytes.subarray(0, -CRC_BYTES));
}

function decodeExactly(bytes: Uint8Array): CardSignature | undefined {
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
