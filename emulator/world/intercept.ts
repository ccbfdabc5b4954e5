/** Between reader and card: what goes wrong, and the journal of it. */
import { CardError } from "../../src/secure-element/card-reader.js";
import type { Caller } from "../../src/secure-element/secure-element.js";
import type { CardIntercept } from "../card/emulated-reader.js";
import { operationOf } from "../faults/fault.js";
import { exchangeWithFaults, type FaultySurroundings } from "../faults/faulty-exchange.js";
import type { Journal } from "./journal.js";
import { instructionOf } from "./journal-apdu.js";

/**
 * @param caller for whom the card is asked
 * @param surroundings as they are when a command comes
 */
export function interceptWith(
  journal: Journal,
  caller: () => Caller | undefined,
  surroundings: () => FaultySurroundings,
): CardIntercept {
  return {
    connect: async (run) => {
      await exchangeWithFaults("connect", () => run().then(() => new Uint8Array()), surroundings());
    },
    exchange: async (command, run, connected) => {
      // The exchange may outlast its caller, where the card is pulled out.
      const by = caller();
      try {
        const operation = operationOf(instructionOf(command));
        const answer = await exchangeWithFaults(operation, run, surroundings(), connected);
        journal.apdu(by, command, answer);
        return answer;
      } catch (error) {
        journal.apdu(by, command, undefined, error instanceof CardError ? error.message : String(error));
        throw error;
      }
    },
  };
}
