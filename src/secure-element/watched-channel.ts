/** Reports each exchange with a card and its duration, for log, metrics and traffic log. */

import { messageOf } from "../base/thrown.js";
import { describeExchange } from "./apdu/describe-exchange.js";
import { operationOf } from "./apdu/instructions.js";
import type { CardChannel } from "./card-reader.js";
import type { DescribedExchange } from "./described-exchange.js";
import type { Caller } from "./secure-element.js";

export interface WatchedExchange {
  /** The request for which the card worked; undefined if the card worked for the service itself. */
  readonly by: Caller | undefined;
  readonly operation: string;
  readonly ms: number;
  /** Describes the exchange for people, without a PIN. */
  readonly describe: () => DescribedExchange;
}

export interface ExchangeWatch {
  /** ms since an arbitrary moment. */
  readonly now: () => number;
  readonly exchanged: (exchange: WatchedExchange) => void;
}

/** @param caller returns the request for which the card works at this moment */
export function watchedChannel(
  channel: CardChannel,
  caller: () => Caller | undefined,
  { now, exchanged }: ExchangeWatch,
): CardChannel {
  return {
    transmit: async (command) => {
      // Remember the caller now: if the card is pulled out, the card may have another caller before this exchange ends.
      const by = caller();
      const operation = operationOf(command[1]);
      const began = now();
      const report = (answer: Uint8Array | undefined, problem?: string) =>
        exchanged({ by, operation, ms: now() - began, describe: () => describeExchange(command, answer, problem) });
      try {
        const answer = await channel.transmit(command);
        report(answer);
        return answer;
      } catch (error) {
        report(undefined, messageOf(error));
        throw error;
      }
    },
    close: () => channel.close(),
  };
}
