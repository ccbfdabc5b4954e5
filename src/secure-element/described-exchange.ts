/** A command to the card and the card's answer. */
export interface DescribedExchange {
  readonly operation: string;
  /** The command's bytes in hexadecimal. The digits of a PIN are masked. */
  readonly command: string;
  /** The answer's bytes in hexadecimal; absent if the card gave no answer. */
  readonly answer?: string;
  /** Meaning of the status word, or the reason why the card gave no answer. */
  readonly result: string;
}
