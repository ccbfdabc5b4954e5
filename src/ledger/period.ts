/** The period in which receipts were signed. `from` is included, `to` is not. */
import type { EpochMs } from "../base/epoch-ms.js";
export interface Period {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

export const ALWAYS: Period = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
