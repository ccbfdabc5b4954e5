/** A command to the card and its answer. */
export interface DescribedExchange {
  readonly operation: string;
  /** Hexadecimal; the PIN's digits are masked. */
  readonly command: string;
  /** Hexadecimal; absent if there was none. */
  readonly answer?: string;
  /** The status word's meaning, or why there was no answer. */
  readonly result: string;
}
