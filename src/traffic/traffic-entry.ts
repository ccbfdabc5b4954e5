/** An entry of the traffic log. */

/** A command to the card and its answer. */
export interface DescribedExchange {
  readonly operation: string;
  /** Hexadecimal; the PIN's digits are masked. */
  readonly command: string;
  /** Hexadecimal; absent where none came. */
  readonly answer?: string;
  /** Status word in words, or why no answer came. */
  readonly result: string;
}

export interface TrafficEntry {
  readonly id: number;
  /** ms since the epoch, on the clock of the service. */
  readonly at: number;
  /** ms that the till waited. */
  ms: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
  /** 0 until answered, or where the connection broke. */
  status: number;
  answerHeaders: Readonly<Record<string, unknown>>;
  answer: string;
  readonly apdus: DescribedExchange[];
}

/** Characters that an entry holds. */
export function sizeOf({ path, headers, body, answer, answerHeaders, apdus }: TrafficEntry): number {
  const apduCharacters = apdus.reduce((sum, { command, answer = "" }) => sum + command.length + answer.length, 0);
  return path.length + textOf(headers) + body.length + answer.length + textOf(answerHeaders) + apduCharacters;
}

function textOf(headers: Readonly<Record<string, unknown>>): number {
  return Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + String(value).length, 0);
}
