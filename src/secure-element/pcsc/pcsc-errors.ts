/** Interprets PC/SC errors: what is gone, and whether the card may have seen the command. */

import { messageOf } from "../../base/thrown.js";
import { CardError, type CardFault } from "../card-reader.js";
import { BindingMissing, PcscError } from "./binding.js";
import { PCSC, textOf } from "./pcsc-codes.js";

const FAULTS = new Map<number | undefined, CardFault>([
  [PCSC.RESET_CARD, "reset"],
  // A card without power has lost its sessions, as after a reset, and can be connected again.
  [PCSC.UNPOWERED_CARD, "reset"],
  [PCSC.REMOVED_CARD, "removed"],
  [PCSC.NO_SMARTCARD, "removed"],
  [PCSC.INVALID_HANDLE, "reader-lost"],
  [PCSC.UNKNOWN_READER, "reader-lost"],
  [PCSC.COMM_ERROR, "reader-lost"],
  [PCSC.READER_UNAVAILABLE, "reader-lost"],
  [PCSC.NO_SERVICE, "reader-lost"],
  [PCSC.SERVICE_STOPPED, "reader-lost"],
  [PCSC.NO_READERS_AVAILABLE, "reader-lost"],
]);

/**
 * Codes that PC/SC reports before it passes the command to the reader. All other codes can occur in the middle of an
 * exchange: if a card is pulled out while it signs, PC/SC may report "removed", "not transacted" or a lost service.
 */
const BEFORE_SENDING = new Set<number | undefined>([
  PCSC.RESET_CARD,
  PCSC.UNPOWERED_CARD,
  PCSC.INVALID_HANDLE,
  PCSC.SHARING_VIOLATION,
]);

export function pcscCode(error: unknown): number | undefined {
  return error instanceof PcscError ? error.code : undefined;
}

/** @param sending whether the error occurred while a command was sent, not while the card was connected */
export function toCardError(error: unknown, { sending }: { sending: boolean }): CardError {
  if (error instanceof CardError) return error;
  const code = pcscCode(error);
  const reported = messageOf(error);
  const message = code === PCSC.SHARING_VIOLATION ? textOf(code) : reported;
  const fault = error instanceof BindingMissing ? "reader-lost" : FAULTS.get(code);
  return new CardError(fault ?? "no-answer", message, {
    sent: sending && !BEFORE_SENDING.has(code),
    cause: error,
  });
}
