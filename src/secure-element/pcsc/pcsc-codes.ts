/** Codes of winscard.h, with texts for people. */

export const PCSC = {
  CANCELLED: 0x80100002,
  INVALID_HANDLE: 0x80100003,
  INSUFFICIENT_BUFFER: 0x80100008,
  UNKNOWN_READER: 0x80100009,
  TIMEOUT: 0x8010000a,
  SHARING_VIOLATION: 0x8010000b,
  NO_SMARTCARD: 0x8010000c,
  PROTO_MISMATCH: 0x8010000f,
  COMM_ERROR: 0x80100013,
  NOT_TRANSACTED: 0x80100016,
  READER_UNAVAILABLE: 0x80100017,
  NO_SERVICE: 0x8010001d,
  SERVICE_STOPPED: 0x8010001e,
  NO_READERS_AVAILABLE: 0x8010002e,
  UNRESPONSIVE_CARD: 0x80100066,
  UNPOWERED_CARD: 0x80100067,
  RESET_CARD: 0x80100068,
  REMOVED_CARD: 0x80100069,
  SECURITY_VIOLATION: 0x8010006a,
} as const;

const TEXTS: Readonly<Record<number, string>> = {
  [PCSC.CANCELLED]: "the wait was cancelled",
  [PCSC.INVALID_HANDLE]: "the connection is no longer valid",
  [PCSC.UNKNOWN_READER]: "there is no such reader",
  [PCSC.TIMEOUT]: "the time limit was reached",
  [PCSC.SHARING_VIOLATION]: "another program has exclusive access to the card",
  [PCSC.NO_SMARTCARD]: "there is no card in the reader",
  [PCSC.PROTO_MISMATCH]: "the card does not speak this protocol",
  [PCSC.COMM_ERROR]: "the connection to the PC/SC service broke off",
  [PCSC.NOT_TRANSACTED]: "the exchange with the card broke off",
  [PCSC.READER_UNAVAILABLE]: "the reader is gone",
  [PCSC.NO_SERVICE]: "the PC/SC service is not running",
  [PCSC.SERVICE_STOPPED]: "the PC/SC service has stopped",
  [PCSC.NO_READERS_AVAILABLE]: "there is no reader",
  [PCSC.UNRESPONSIVE_CARD]: "the card does not respond to a reset",
  [PCSC.UNPOWERED_CARD]: "the card has no power",
  [PCSC.RESET_CARD]: "the card was reset",
  [PCSC.REMOVED_CARD]: "the card was removed",
  [PCSC.SECURITY_VIOLATION]: "this user has no permission to use the card",
};

/** Returns the meaning of a PC/SC code, for people. */
export function textOf(code: number): string {
  return TEXTS[code] ?? "PC/SC refused";
}
