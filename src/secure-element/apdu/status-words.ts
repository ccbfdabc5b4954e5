/** Status words of the secure element applet (protocol facts, section 1) and of ISO 7816-4. */

export const SW = {
  DONE: 0x9000,
  /** No PIN was verified since the card was powered, reset or selected. */
  PIN_REQUIRED: 0x6301,
  /** The PIN is wrong (ISO 7816-4). */
  VERIFICATION_FAILED: 0x6300,
  WRONG_PIN: 0x6302,
  WRONG_PIN_LENGTH: 0x6303,
  TOO_MANY_TAX_CATEGORIES: 0x6304,
  /** The last invoice crossed the limit: nothing more is signed until a proof of audit is accepted. */
  AMOUNT_LIMIT_REACHED: 0x6305,
  NO_AUDIT_OPEN: 0x6306,
  /** A directive of the authority has switched signing off. */
  SIGNING_DISABLED: 0x6307,
  TIME_OUTSIDE_CERTIFICATE: 0x6308,
  PIN_TRIES_USED_UP: 0x6310,
  /** The PIN is wrong (ISO 7816-4): 63Cx says that x attempts are left. */
  NO_TRIES_LEFT: 0x63c0,
  COUNTER_AT_END: 0x63ff,
  WRONG_LENGTH: 0x6700,
  /** The PKI applet's PIN was not verified (ISO 7816-4). */
  SECURITY_NOT_SATISFIED: 0x6982,
  /** The PIN is locked (ISO 7816-4). */
  AUTHENTICATION_BLOCKED: 0x6983,
  /** Conditions of use not satisfied (ISO 7816-4): the program has not chosen a key. */
  CONDITIONS_NOT_SATISFIED: 0x6985,
  BAD_DATA: 0x6a80,
  /** Function not supported (ISO 7816-4). */
  NOT_SUPPORTED: 0x6a81,
  /** The selected application or file is not on the card (ISO 7816-4). */
  NOT_FOUND: 0x6a82,
  WRONG_P1P2: 0x6a86,
  /** Referenced data not found (ISO 7816-4): the card has not signed anything yet. */
  NO_SUCH_DATA: 0x6a88,
  UNKNOWN_INS: 0x6d00,
  UNKNOWN_CLA: 0x6e00,
  BAD_PROOF_OF_AUDIT: 0x6f00,
} as const;

const NAMES = new Map<number, string>(
  Object.entries(SW).map(([name, value]) => [value, name.toLowerCase().replaceAll("_", " ")]),
);

/** Returns the number of attempts that a refusal of ISO 7816-4 (63Cx) reports; undefined for other status words. */
export function reportedTries(statusWord: number): number | undefined {
  return (statusWord & 0xfff0) === SW.NO_TRIES_LEFT ? statusWord & 0x0f : undefined;
}

export function hexOf(statusWord: number): string {
  return statusWord.toString(16).toUpperCase().padStart(4, "0");
}

/** Returns number and meaning of a status word for logs and people, such as `6305 amount limit reached`. */
export function describeStatusWord(statusWord: number): string {
  const hex = hexOf(statusWord);
  const name = NAMES.get(statusWord);
  return name ? `${hex} ${name}` : hex;
}
