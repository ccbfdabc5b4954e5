/** What an error of PC/SC says about the exchange: who is gone, and whether the card can have seen the command. */
import { CardError, type CardFault } from "../card-reader.js";

/** Codes of winscard.h; pcsclite tells them only inside its messages. */
export const PCSC = {
  INVALID_HANDLE: 0x80100003,
  UNKNOWN_READER: 0x80100009,
  SHARING_VIOLATION: 0x8010000b,
  NO_SMARTCARD: 0x8010000c,
  COMM_ERROR: 0x80100013,
  READER_UNAVAILABLE: 0x80100017,
  NO_SERVICE: 0x8010001d,
  SERVICE_STOPPED: 0x8010001e,
  NO_READERS_AVAILABLE: 0x8010002e,
  UNPOWERED_CARD: 0x80100067,
  RESET_CARD: 0x80100068,
  REMOVED_CARD: 0x80100069,
} as const;

const FAULTS = new Map<number | undefined, CardFault>([
  [PCSC.RESET_CARD, "reset"],
  // Without power the sessions are gone as after a reset, and the card can be connected again.
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
 * Found by PC/SC before it hands the command to the reader. All others can come in the middle of an exchange:
 * a card that is pulled out while it signs is "removed", "not transacted" or a lost service, whichever is seen first.
 */
const BEFORE_SENDING = new Set<number | undefined>([
  PCSC.RESET_CARD,
  PCSC.UNPOWERED_CARD,
  PCSC.INVALID_HANDLE,
  PCSC.SHARING_VIOLATION,
]);

export function pcscCode(error: unknown): number | undefined {
  const hex = error instanceof Error ? /\(0x([0-9a-f]{8})\)/i.exec(error.message)?.[1] : undefined;
  return hex === undefined ? undefined : Number.parseInt(hex, 16);
}

/** @param sending whether a command was to be sent, which connecting does not do */
export function toCardError(error: unknown, { sending }: { sending: boolean }): CardError {
  if (error instanceof CardError) return error;
  const code = pcscCode(error);
  const said = error instanceof Error ? error.message : String(error);
  const message = code === PCSC.SHARING_VIOLATION ? "another program holds the card for itself" : said;
  return new CardError(FAULTS.get(code) ?? "no-answer", message, {
    sent: sending && !BEFORE_SENDING.has(code),
    cause: error,
  });
}
