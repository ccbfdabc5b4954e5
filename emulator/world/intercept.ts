/** Applies faults to the exchanges between reader and card, and records the exchanges in the traffic log. */

import type { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { describeExchange, instructionOf } from "../../src/secure-element/apdu/describe-exchange.js";
import { operationOf } from "../../src/secure-element/apdu/operations.js";
import { CardError } from "../../src/secure-element/card-reader.js";
import type { Caller } from "../../src/secure-element/secure-element.js";
import type { CardIntercept } from "../card/emulated-reader.js";
import { exchangeWithFaults, type FaultySurroundings } from "../faults/faulty-exchange.js";

/**
 * Makes the intercept of a reader.
 * @param caller returns the request that uses the card now
 * @param surroundings called for each command; returns the current surroundings
 */
export function interceptWith(
  traffic: TrafficLog,
  caller: () => Caller | undefined,
  surroundings: () => FaultySurroundings,
): CardIntercept {
  return {
    connect: async (run) => {
      await exchangeWithFaults("connect", () => run().then(() => new Uint8Array()), surroundings());
    },
    exchange: async (command, run, connected) => {
      // Read the caller now: if the card is pulled out, the caller may be gone when the exchange ends.
      const by = caller();
      const began = performance.now();
      try {
        const operation = operationOf(instructionOf(command));
        const answer = await exchangeWithFaults(operation, run, surroundings(), connected);
        traffic.exchanged(by, () => describeExchange(command, answer), performance.now() - began);
        return answer;
      } catch (error) {
        const result = error instanceof CardError ? error.message : String(error);
        traffic.exchanged(by, () => describeExchange(command, undefined, result), performance.now() - began);
        throw error;
      }
    },
  };
}
