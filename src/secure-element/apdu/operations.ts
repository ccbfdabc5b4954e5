/** Names of the card's commands that people see in the traffic log, faults and metrics. */
import { INS } from "./instructions.js";

/** Instruction of each operation of the card. */
const CARD_OPERATIONS = {
  select: INS.SELECT,
  certificate: INS.EXPORT_CERTIFICATE,
  taxAuthorityKey: INS.EXPORT_TAX_AUTHORITY_KEY,
  version: INS.VERSION,
  verifyPin: INS.VERIFY_PIN,
  exportInternalData: INS.EXPORT_INTERNAL_DATA,
  sign: INS.SIGN_INVOICE,
  amountStatus: INS.AMOUNT_STATUS,
  lastSigned: INS.LAST_SIGNED_INVOICE,
  pinTriesLeft: INS.PIN_TRIES_LEFT,
  endAudit: INS.END_AUDIT,
  startAudit: INS.START_AUDIT,
  directive: INS.DIRECTIVE,
} as const;

export type CardOperation = keyof typeof CARD_OPERATIONS;

export const CARD_OPERATION_NAMES = Object.keys(CARD_OPERATIONS) as CardOperation[];

const NAMES = new Map<number, CardOperation>(CARD_OPERATION_NAMES.map((name) => [CARD_OPERATIONS[name], name]));

/** Returns the name of an instruction. If it has no name, returns its hexadecimal number, such as `ins:42`. */
export function operationOf(ins: number): CardOperation | `ins:${string}` {
  return NAMES.get(ins) ?? `ins:${ins.toString(16).toUpperCase().padStart(2, "0")}`;
}
