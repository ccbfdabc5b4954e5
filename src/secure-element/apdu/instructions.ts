/** Instructions of the secure element applet (protocol facts, section 1). */

export const CLA_ISO = 0x00;
export const CLA_SECURE_ELEMENT = 0x88;

export const INS = {
  EXPORT_CERTIFICATE: 0x04,
  EXPORT_TAX_AUTHORITY_KEY: 0x07,
  VERSION: 0x09,
  VERIFY_PIN: 0x11,
  EXPORT_INTERNAL_DATA: 0x12,
  SIGN_INVOICE: 0x13,
  AMOUNT_STATUS: 0x14,
  /** Command that is not confirmed for every card. */
  LAST_SIGNED_INVOICE: 0x15,
  /** Command that is not confirmed for every card. */
  PIN_TRIES_LEFT: 0x16,
  END_AUDIT: 0x20,
  START_AUDIT: 0x21,
  DIRECTIVE: 0x40,
  SELECT: 0xa4,
  /** Fetches the rest of an answer after a status word 61xx (ISO 7816-4). */
  GET_RESPONSE: 0xc0,
} as const;

/** P1P2 of every command, except Sign Invoice from applet 3.2.5 on. */
export const P1P2 = 0x0400;
/** P1P2 of Sign Invoice from applet 3.2.5 on: data and answer carry a CRC-32. */
export const P1P2_WITH_CRC = 0x0102;
