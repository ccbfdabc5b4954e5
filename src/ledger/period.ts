/** The period in which receipts were signed: ISO 8601, UTC. `from` is included, `to` is not. */
export interface Period {
  readonly from: string;
  readonly to: string;
}
