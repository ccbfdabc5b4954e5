/** Parses the data of Sign Invoice on the card (protocol facts, section 2). */
import {
  AMOUNT_BYTES,
  AMOUNT_OFFSET,
  type RawSignedHeader,
  readAmount,
  readSignedHeader,
  SIGNED_HEADER_BYTES,
} from "../../src/fiscal/signing-header.js";

export interface ParsedSignRequest extends RawSignedHeader {
  /** The header of the request, 57 bytes. The card repeats it in its answer. */
  readonly header: Uint8Array;
  readonly categories: readonly { readonly orderId: number; readonly amount: bigint }[];
}

/** Parses a request. Returns undefined if the length does not fit the number of categories. */
export function parseSignRequest(data: Uint8Array): ParsedSignRequest | undefined {
  const view = Buffer.from(data);
  const count = view[SIGNED_HEADER_BYTES];
  const start = SIGNED_HEADER_BYTES + 1;
  if (count === undefined || view.length !== start + count * (1 + AMOUNT_BYTES)) return undefined;
  return {
    ...readSignedHeader(view),
    header: view.subarray(0, SIGNED_HEADER_BYTES),
    categories: Array.from({ length: count }, (_, i) => {
      const offset = start + i * (1 + AMOUNT_BYTES);
      return { orderId: view.readUInt8(offset), amount: readAmount(view, offset + 1) };
    }),
  };
}

/** Converts the form of 2017, with amounts of 8 bytes; undefined if the data does not have that form. */
export function fromEightByteForm(data: Uint8Array): Uint8Array | undefined {
  const view = Buffer.from(data);
  const count = view[AMOUNT_OFFSET + 8];
  if (count === undefined || view.length !== AMOUNT_OFFSET + 9 + count * 9 || view[AMOUNT_OFFSET] !== 0) {
    return undefined;
  }
  const parts = [view.subarray(0, AMOUNT_OFFSET), view.subarray(AMOUNT_OFFSET + 1, AMOUNT_OFFSET + 9)];
  for (let offset = AMOUNT_OFFSET + 9; offset < view.length; offset += 9) {
    if (view[offset + 1] !== 0) return undefined;
    parts.push(view.subarray(offset, offset + 1), view.subarray(offset + 2, offset + 9));
  }
  return Buffer.concat(parts);
}
