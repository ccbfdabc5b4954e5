/** The period in which receipts were signed: ms since the epoch. `from` is included, `to` is not. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

export const ALWAYS: Period = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
