/** Exchanges a command with the card, with faults. */

import type { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { describeExchange } from "../../src/secure-element/apdu/describe-exchange.js";
import { operationOf } from "../../src/secure-element/apdu/instructions.js";
import { CardError } from "../../src/secure-element/card-reader.js";
import type { Caller } from "../../src/secure-element/secure-element.js";
import type { CardIntercept, EmulatedReader } from "../card/emulated-reader.js";
import type { Occurrence } from "./fault-list.js";
import { passTime, type Times } from "./passing-time.js";
import { requestInWork } from "./sent-request.js";

/** Time after which a driver gives up an exchange, ms. */
const TIME_LIMIT_MS = 10_000;
/** Number of bytes of an answer that breaks off. */
const SHORT_BYTES = 1;

export interface FaultySurroundings extends Times {
  readonly reader: EmulatedReader;
}

/** @param assertStillConnected throws if the connection has broken in the meantime */
export async function exchangeWithFaults(
  operation: Occurrence,
  run: () => Promise<Uint8Array>,
  surroundings: FaultySurroundings,
  assertStillConnected: () => void = () => undefined,
): Promise<Uint8Array> {
  const { faults, clock, reader, ended } = surroundings;
  const due = faults.due(operation);
  for (const fault of due) {
    await passTime(fault, surroundings);
    // A fault for a card that is no longer connected must not strike the next card.
    assertStillConnected();
    if (fault.kind === "statusWord") return Buffer.from(fault.statusWord ?? "6F00", "hex");
    if (fault.kind === "removedBefore") throw pulledOut(reader);
    if (fault.kind === "readerLost") {
      reader.unplug();
      throw new CardError("reader-lost", "the reader was unplugged");
    }
  }
  let answer = await run();
  for (const { kind, bit = 0, statusWord = "6F00" } of due) {
    if (kind === "staleStatusWord") answer = Buffer.from(statusWord, "hex");
    if (kind === "garbage") answer = faults.randomBytes(answer.length);
    if (kind === "bitFlip") answer = flipped(answer, bit);
    if (kind === "short") answer = answer.subarray(0, SHORT_BYTES);
    if (kind === "noAnswer") {
      await clock.sleep(TIME_LIMIT_MS, ended);
      assertStillConnected();
      throw new CardError("no-answer", `the card has not answered in ${TIME_LIMIT_MS} ms`);
    }
    if (kind === "removedAfter") throw pulledOut(reader);
  }
  return answer;
}

function pulledOut(reader: EmulatedReader): CardError {
  reader.remove();
  return new CardError("removed", "the card was pulled out");
}

/** @param bit from 0, most significant first; after the last bit, counting continues from the beginning */
function flipped(answer: Uint8Array, bit: number): Uint8Array {
  const at = bit % (answer.length * 8);
  return answer.map((byte, i) => (i === at >> 3 ? byte ^ (0x80 >> (at & 7)) : byte));
}

/** @param caller the request that uses the card now @param surroundings called for each command */
export function interceptWith(
  traffic: TrafficLog,
  caller: () => Caller | undefined,
  surroundings: () => FaultySurroundings,
): CardIntercept {
  return {
    connect: async (run) => {
      await exchangeWithFaults({ on: "connect" }, () => run().then(() => new Uint8Array()), surroundings());
    },
    exchange: async (command, run, connected) => {
      // Read the caller now: if the card is pulled out, the caller may be gone when the exchange ends.
      const by = caller();
      const began = performance.now();
      try {
        const operation = { on: operationOf(command[1]), request: () => requestInWork(traffic, by) };
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
