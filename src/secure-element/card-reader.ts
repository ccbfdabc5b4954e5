/**
 * A reader with one slot. It knows nothing fiscal: bytes in, bytes out. The PC/SC driver and the emulated reader
 * implement it; the APDU client does not know which one it has.
 */
import type { EventEmitter } from "node:events";
import type { CardReason } from "./card-reason.js";

/** Why an exchange with a card failed. */
export type CardFault =
  /** The card left the reader, or there is none. */
  | "removed"
  /** Another program has reset the card: its sessions are gone, but it can be connected again. */
  | "reset"
  /** No answer in time, or none that makes sense. */
  | "no-answer"
  /** The reader, or the PC/SC service, is gone. */
  | "reader-lost";

/** An exchange that failed or did not complete. */
export class CardError extends Error {
  override readonly name = "CardError";
  /** Whether the command may have reached the card: then it may have been executed. */
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

/** A connection to the card that is in the reader. One exchange at a time. */
export interface CardChannel {
  /**
   * Sends one command APDU and returns the response APDU, status word included.
   * @throws CardError
   */
  transmit(command: Uint8Array): Promise<Uint8Array>;
  /** Ends the connection; the card may stay powered. Never throws. */
  close(): Promise<void>;
}

/** no-reader: there is no reader, or no driver for a reader. */
export type SlotState = "no-reader" | "empty" | "card";

export interface CardReader extends EventEmitter<{ inserted: []; removed: [] }> {
  readonly slot: SlotState;
  /** Why there is no reader, or which one is used; for people. */
  readonly description: string;
  /** Why there is no usable card: the reason in {@link description}, as a code. */
  readonly why: CardReason;
  /** Starts watching the slot; emits `inserted` if a card is in it. */
  start(): Promise<void>;
  /**
   * Connects to the card in the slot.
   * @throws CardError
   */
  connect(): Promise<CardChannel>;
  /** Ends every connection and stops watching. */
  close(): Promise<void>;
}
