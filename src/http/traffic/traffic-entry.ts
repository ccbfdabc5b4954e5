/** An entry of the traffic log. */
import type { EpochMs } from "../../base/epoch-ms.js";
import type { DescribedExchange } from "../../secure-element/described-exchange.js";

/** What the service did for a request, and when: ms since the request came. */
export interface TrafficStep {
  /** `body`: the request was read; `disk`: a write to the store; `card`: an exchange, in the order of `apdus`. */
  readonly kind: "body" | "disk" | "card";
  readonly from: number;
  readonly ms: number;
}

export interface TrafficEntry {
  readonly id: number;
  /** On the clock of the service. */
  readonly at: EpochMs;
  /** ms that the POS waited. */
  ms: number;
  /** True if the request went to the emulated online service of the authority instead of the till's service. */
  readonly online?: true;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
  /** HTTP status of the answer; 0 before the answer, or if the connection broke. */
  status: number;
  answerHeaders: Readonly<Record<string, unknown>>;
  answer: string;
  readonly apdus: DescribedExchange[];
  /** The steps in the order in which they ended. */
  readonly steps: TrafficStep[];
}

export function sizeOf({ path, headers, body, answer, answerHeaders, apdus }: TrafficEntry): number {
  let size = path.length + body.length + answer.length;
  for (const exchange of apdus) size += exchange.command.length + (exchange.answer?.length ?? 0);
  // Count headers without copies, which would cost more than all else of a small request.
  for (const all of [headers, answerHeaders]) {
    for (const name in all) size += name.length + String(all[name]).length;
  }
  return size;
}
