/** Errors of PC/SC: their codes in winscard.h, and what each of them means for a card. */
import { messageOf } from "../../base/thrown.js";
import { CardError, type CardFault } from "../card-reader.js";

interface Meaning {
  readonly code: number;
  readonly text: string;
  readonly fault?: CardFault;
  /**
   * Whether PC/SC reports the code before it passes a command to the reader. All other codes can occur in the middle
   * of an exchange: if a card is pulled out while it signs, PC/SC may report "removed", "not transacted" or a lost
   * service.
   */
  readonly isUnsent?: true;
}

export const PCSC = {
  INVALID_HANDLE: {
    code: 0x80100003,
    text: "the connection is no longer valid",
    fault: "reader-lost",
    isUnsent: true,
  },
  UNKNOWN_READER: { code: 0x80100009, text: "there is no such reader", fault: "reader-lost" },
  TIMEOUT: { code: 0x8010000a, text: "the time limit was reached" },
  SHARING_VIOLATION: { code: 0x8010000b, text: "another program has exclusive access to the card", isUnsent: true },
  NO_SMARTCARD: { code: 0x8010000c, text: "there is no card in the reader", fault: "removed" },
  PROTO_MISMATCH: { code: 0x8010000f, text: "the card does not speak this protocol" },
  COMM_ERROR: { code: 0x80100013, text: "the connection to the PC/SC service broke off", fault: "reader-lost" },
  NOT_TRANSACTED: { code: 0x80100016, text: "the exchange with the card broke off" },
  READER_UNAVAILABLE: { code: 0x80100017, text: "the reader is gone", fault: "reader-lost" },
  NO_SERVICE: { code: 0x8010001d, text: "the PC/SC service is not running", fault: "reader-lost" },
  SERVICE_STOPPED: { code: 0x8010001e, text: "the PC/SC service has stopped", fault: "reader-lost" },
  NO_READERS_AVAILABLE: { code: 0x8010002e, text: "there is no reader", fault: "reader-lost" },
  UNRESPONSIVE_CARD: { code: 0x80100066, text: "the card does not respond to a reset" },
  // A card without power has lost its sessions, as after a reset, and can be connected again.
  UNPOWERED_CARD: { code: 0x80100067, text: "the card has no power", fault: "reset", isUnsent: true },
  RESET_CARD: { code: 0x80100068, text: "the card was reset", fault: "reset", isUnsent: true },
  REMOVED_CARD: { code: 0x80100069, text: "the card was removed", fault: "removed" },
  SECURITY_VIOLATION: { code: 0x8010006a, text: "this user has no permission to use the card" },
} as const satisfies Record<string, Meaning>;

const BY_CODE = new Map<unknown, Meaning>(Object.values(PCSC).map((meaning) => [meaning.code, meaning]));

/** The module could not be loaded, or the system has no PC/SC library. */
export type NoPcsc = "no-module" | "no-library";

/** A call that PC/SC refused, or that could not be made. */
export class PcscError extends Error {
  override readonly name = "PcscError";

  /** @param code SCARD_ code, as an unsigned number of 32 bits */
  constructor(
    readonly code: number | NoPcsc,
    message: string,
  ) {
    super(message);
  }
}

export function textOf(code: number): string {
  return BY_CODE.get(code)?.text ?? "PC/SC refused";
}

export function pcscCode(error: unknown): PcscError["code"] | undefined {
  return error instanceof PcscError ? error.code : undefined;
}

/** @param error of an exchange with the card */
export function toCardError(error: unknown): CardError {
  if (error instanceof CardError) return error;
  const code = pcscCode(error);
  const { fault, isUnsent = false } = BY_CODE.get(code) ?? {};
  const message = code === PCSC.SHARING_VIOLATION.code ? textOf(code) : messageOf(error);
  const unknown = typeof code === "string" ? "reader-lost" : "no-answer";
  return new CardError(fault ?? unknown, message, { sent: !isUnsent, cause: error });
}
