/** A card's channel with somebody who looks on: how long each exchange takes, for log, metrics and traffic log. */
import type { CardChannel } from "./card-reader.js";
import type { Caller } from "./secure-element.js";

export interface WatchedExchange {
  /** For whom the card was asked; undefined for the service itself. */
  readonly by: Caller | undefined;
  /** It may have a PIN in it: never keep it as it is. */
  readonly command: Uint8Array;
  /** Undefined where none came. */
  readonly answer: Uint8Array | undefined;
  /** Why no answer came. */
  readonly problem: string | undefined;
  readonly ms: number;
}

export interface ExchangeWatch {
  /** ms since any moment. */
  readonly now: () => number;
  readonly exchanged: (exchange: WatchedExchange) => void;
}

/** @param caller for whom the card is asked at this moment */
export function watchedChannel(
  channel: CardChannel,
  caller: () => Caller | undefined,
  { now, exchanged }: ExchangeWatch,
): CardChannel {
  return {
    transmit: async (command) => {
      // The exchange may outlast its caller, where the card is pulled out.
      const by = caller();
      const began = now();
      try {
        const answer = await channel.transmit(command);
        exchanged({ by, command, answer, problem: undefined, ms: now() - began });
        return answer;
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        exchanged({ by, command, answer: undefined, problem, ms: now() - began });
        throw error;
      }
    },
    close: () => channel.close(),
  };
}
