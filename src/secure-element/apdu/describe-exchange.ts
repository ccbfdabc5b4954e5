/** Describes an exchange with the card for the traffic log, without the PIN. */

import { MASKED } from "../../schema/mask-text.js";
import type { DescribedExchange } from "../described-exchange.js";
import { CLA_SECURE_ELEMENT, INS, operationOf } from "./instructions.js";
import { describeStatusWord } from "./status-words.js";

/** Instructions of ISO 7816-4 with a PIN in other applets: VERIFY, CHANGE REFERENCE DATA and RESET RETRY COUNTER. */
const ISO_PIN_INSTRUCTIONS: readonly number[] = [0x20, 0x21, 0x24, 0x2c];
/** Number of bytes that a masked command shows: CLA, INS, P1, P2 and the first byte of the length. */
const COMMAND_HEADER_BYTES = 5;

export function describeExchange(
  command: Uint8Array,
  answer: Uint8Array | undefined,
  result?: string,
): DescribedExchange {
  const bytes = Buffer.from(command);
  const [cla, ins = 0] = bytes;
  // With the secure element's class byte, the instructions of ISO 7816-4 are other commands.
  const carriesPin = ins === INS.verifyPin || (cla !== CLA_SECURE_ELEMENT && ISO_PIN_INSTRUCTIONS.includes(ins));
  const masked = carriesPin && bytes.length > COMMAND_HEADER_BYTES;
  const hex = masked ? bytes.toString("hex", 0, COMMAND_HEADER_BYTES) + MASKED.repeat(4) : bytes.toString("hex");
  const statusWord = answer && answer.length >= 2 ? Buffer.from(answer).readUInt16BE(answer.length - 2) : undefined;
  return {
    operation: operationOf(ins),
    command: hex.toUpperCase(),
    ...(answer ? { answer: Buffer.from(answer).toString("hex").toUpperCase() } : {}),
    result: result ?? (statusWord === undefined ? "no status word" : describeStatusWord(statusWord)),
  };
}
