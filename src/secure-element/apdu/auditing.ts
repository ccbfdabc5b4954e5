/** Commands for audits: amounts, Start and End Audit, directives, data to export (protocol facts, section 1). */
import type { AmountStatusOutcome, BytesOutcome, EndAuditOutcome } from "../secure-element.js";
import { AMOUNT_STATUS_BYTES, type Exchange } from "./card-session.js";
import { type CardSlot, type OpenCard, unexpected } from "./card-slot.js";
import { EXTENDED_LE_MAX } from "./command.js";
import { INS } from "./instructions.js";
import { describeStatusWord, SW } from "./status-words.js";

export async function amountStatus({ session }: OpenCard): Promise<AmountStatusOutcome> {
  const { statusWord, data } = await session.exchange({ ins: INS.amountStatus, le: AMOUNT_STATUS_BYTES });
  if (statusWord !== SW.DONE || data.length !== AMOUNT_STATUS_BYTES) return unexpected("Amount status", statusWord);
  const hex = Buffer.from(data).toString("hex");
  return { kind: "ok", sum: BigInt(`0x${hex.slice(0, 14)}`), limit: BigInt(`0x${hex.slice(14)}`) };
}

export async function endAudit(slot: CardSlot, card: OpenCard, proof: Uint8Array): Promise<EndAuditOutcome> {
  const { statusWord } = await card.session.exchange({ ins: INS.endAudit, data: proof });
  switch (statusWord) {
    case SW.DONE:
      return { kind: "accepted" };
    case SW.BAD_PROOF_OF_AUDIT:
    case SW.WRONG_LENGTH:
      return { kind: "bad-proof" };
    case SW.NO_AUDIT_OPEN:
      return { kind: "no-audit-open" };
    case SW.PIN_REQUIRED:
      slot.setPin(card, "required");
      return { kind: "pin-required" };
    default:
      return unexpected("End audit", statusWord);
  }
}

export type BytesCommand = Pick<Exchange, "ins" | "data"> & { readonly name: string };

export async function askForBytes(slot: CardSlot, card: OpenCard, command: BytesCommand): Promise<BytesOutcome> {
  const { name, ins, data } = command;
  const { statusWord, data: bytes } = await card.session.exchange(data ? { ins, data } : { ins, le: EXTENDED_LE_MAX });
  switch (statusWord) {
    case SW.DONE:
      if (ins === INS.directive) slot.setRefusal(card, undefined);
      return { kind: "ok", bytes };
    case SW.PIN_REQUIRED:
      slot.setPin(card, "required");
      return { kind: "pin-required" };
    case SW.BAD_DATA:
    case SW.WRONG_LENGTH:
      return { kind: "refused", reason: describeStatusWord(statusWord) };
    default:
      return unexpected(name, statusWord);
  }
}
