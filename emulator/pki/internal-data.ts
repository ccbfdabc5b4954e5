/**
 * The plaintext of the encrypted internal data. The real layout is not public (protocol facts, section 2). The emulator
 * uses this layout:
 *
 * | Offset | Size | Field |
 * |---|---|---|
 * | 0 | 1 | layout version, 1 |
 * | 1 | 8 | UID |
 * | 9 | 8 | time, ms |
 * | 17 | 1 | invoice type |
 * | 18 | 1 | transaction type |
 * | 19 | 7 | total amount |
 * | 26 | 4 | counter of the pair of types |
 * | 30 | 4 | total counter |
 * | 34 | 7 | sum since the last audit, this invoice included |
 * | 41 | 7 | limit |
 * | 48 | 1 | number of tax categories |
 * | 49 | 8 each | category: orderId and 7 bytes of tax |
 */
import { readAmount, writeAmount } from "../../src/fiscal/signing-header.js";
import { MAX_PLAINTEXT_BYTES } from "./rsa-block.js";

const LAYOUT_VERSION = 1;
const FIXED_BYTES = 49;
const CATEGORY_BYTES = 8;

/** Number of tax categories that fit into one RSA block. The card refuses a request with more categories (6304). */
export const MAX_CATEGORIES = Math.floor((MAX_PLAINTEXT_BYTES - FIXED_BYTES) / CATEGORY_BYTES);

export interface InternalData {
  readonly uid: string;
  readonly time: bigint;
  readonly invoiceType: number;
  readonly transactionType: number;
  readonly totalAmount: bigint;
  readonly pairCounter: number;
  readonly totalCounter: number;
  readonly sum: bigint;
  readonly limit: bigint;
  readonly categories: readonly { readonly orderId: number; readonly amount: bigint }[];
}

export function encodeInternalData(data: InternalData): Uint8Array {
  const fixed = Buffer.alloc(FIXED_BYTES);
  fixed.writeUInt8(LAYOUT_VERSION, 0);
  fixed.write(data.uid, 1, 8, "latin1");
  fixed.writeBigUInt64BE(data.time, 9);
  fixed.writeUInt8(data.invoiceType, 17);
  fixed.writeUInt8(data.transactionType, 18);
  fixed.set(writeAmount(data.totalAmount), 19);
  fixed.writeUInt32BE(data.pairCounter, 26);
  fixed.writeUInt32BE(data.totalCounter, 30);
  fixed.set(writeAmount(data.sum), 34);
  fixed.set(writeAmount(data.limit), 41);
  fixed.writeUInt8(data.categories.length, 48);
  const categories = data.categories.map(({ orderId, amount }) =>
    Buffer.concat([Buffer.from([orderId]), writeAmount(amount)]),
  );
  return Buffer.concat([fixed, ...categories]);
}

export function decodeInternalData(bytes: Uint8Array): InternalData | undefined {
  const view = Buffer.from(bytes);
  const count = view[48];
  if (view[0] !== LAYOUT_VERSION || count === undefined || view.length !== FIXED_BYTES + count * CATEGORY_BYTES) {
    return undefined;
  }
  return {
    uid: view.toString("latin1", 1, 9),
    time: view.readBigUInt64BE(9),
    invoiceType: view.readUInt8(17),
    transactionType: view.readUInt8(18),
    totalAmount: readAmount(view, 19),
    pairCounter: view.readUInt32BE(26),
    totalCounter: view.readUInt32BE(30),
    sum: readAmount(view, 34),
    limit: readAmount(view, 41),
    categories: Array.from({ length: count }, (_, i) => {
      const offset = FIXED_BYTES + i * CATEGORY_BYTES;
      return { orderId: view.readUInt8(offset), amount: readAmount(view, offset + 1) };
    }),
  };
}
