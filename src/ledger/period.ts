/** A time in which something was signed: ISO 8601, UTC, `from` included, `to` not. */
export interface Period {
  readonly from: string;
  readonly to: string;
}
