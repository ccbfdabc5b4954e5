/**
 * A reader with one slot. A reader sends and receives bytes, and knows nothing about fiscal rules. The PC/SC driver and
 * the emulated reader implement this interface; the APDU client does not know which of the two it uses.
 */
import type { EventEmitter } from "node:events";
import type { CardReason } from "./card-reason.js";

export type CardFault =
  /** The card left the reader, or no card is in the reader. */
  | "removed"
  /** Another program has reset the card: the card's sessions are gone, but the service can connect to it again. */
  | "reset"
  /** The card gave no answer in time, or an answer that makes no sense. */
  | "no-answer"
  /** The reader, or the PC/SC service, is gone. */
  | "reader-lost";

export class CardError extends Error {
  override readonly name = "CardError";
  /** Whether the command may have reached the card. If so, the card may have executed the command. */
  readonly sent: boolean;

  constructor(
    readonly fault: CardFault,
    message: string,
    { sent = true, cause }: { sent?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.sent = sent;
  }
}

/** A connection to the card that is in the reader. Only one exchange may run at a time. */
export interface CardChannel {
  /** Sends one command APDU and returns the response APDU, status word included. @throws CardError */
  transmit(command: Uint8Array): Promise<Uint8Array>;
  /** Ends the connection; the card may stay powered. Never throws. */
  close(): Promise<void>;
}

/** State of the slot. `no-reader` means that there is no reader, or no driver for a reader. */
export type SlotState = "no-reader" | "empty" | "card";

/** ms that a reader waits for a card's answer to one command. */
export const EXCHANGE_LIMIT_MS = 10_000;

export interface CardReader extends EventEmitter<{ inserted: []; removed: [] }> {
  readonly slot: SlotState;
  /** Text for people: why there is no usable card, or which reader is used. */
  readonly description: string;
  /** Why there is no usable card: the reason in {@link description}, as a code. */
  readonly why: CardReason;
  /** Starts watching the slot; emits `inserted` if a card is in the slot. */
  start(): Promise<void>;
  /** Connects to the card in the slot. @throws CardError */
  connect(): Promise<CardChannel>;
  /** Ends every connection and stops watching the slot. */
  close(): Promise<void>;
}
