/** Instructions of the applet (protocol facts, section 1), as people see them in traffic log, faults and metrics. */

export const CLA_ISO = 0x00;
export const CLA_SECURE_ELEMENT = 0x88;

export const INS = {
  select: 0xa4,
  certificate: 0x04,
  taxAuthorityKey: 0x07,
  version: 0x09,
  verifyPin: 0x11,
  exportInternalData: 0x12,
  sign: 0x13,
  amountStatus: 0x14,
  /** Command that is not confirmed for every card. */
  lastSigned: 0x15,
  /** Command that is not confirmed for every card. */
  pinTriesLeft: 0x16,
  endAudit: 0x20,
  startAudit: 0x21,
  directive: 0x40,
} as const;
/** Fetches the rest of an answer after a status word 61xx (ISO 7816-4). */
export const GET_RESPONSE = 0xc0;

/** P1P2 of every command, except Sign Invoice from applet 3.2.5 on. */
export const P1P2 = 0x0400;
/** P1P2 of Sign Invoice from applet 3.2.5 on: data and answer carry a CRC-32. */
export const P1P2_WITH_CRC = 0x0102;

export type CardOperation = keyof typeof INS;

export const CARD_OPERATION_NAMES = Object.keys(INS) as CardOperation[];

const OPERATIONS = new Map<number, CardOperation>(CARD_OPERATION_NAMES.map((name) => [INS[name], name]));

/** Returns the name of an instruction. If it has no name, returns its hexadecimal number, such as `ins:42`. */
export function operationOf(ins = 0): CardOperation | `ins:${string}` {
  return OPERATIONS.get(ins) ?? `ins:${ins.toString(16).toUpperCase().padStart(2, "0")}`;
}
