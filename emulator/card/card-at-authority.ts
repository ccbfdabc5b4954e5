/** Sends audits and directives to a card directly. A program may use the card through a reader at the same time. */
import { INS } from "../../src/secure-element/apdu/instructions.js";
import { describeStatusWord, SW } from "../../src/secure-element/apdu/status-words.js";
import type { BytesOutcome, EndAuditOutcome, SecureElement } from "../../src/secure-element/secure-element.js";
import type { EmulatedCard } from "./emulated-card.js";

export class CardAtAuthority implements Pick<SecureElement, "startAudit" | "endAudit" | "directive"> {
  constructor(private readonly card: EmulatedCard) {}

  startAudit(): Promise<BytesOutcome> {
    return this.bytes(INS.startAudit);
  }

  directive(directive: Uint8Array): Promise<BytesOutcome> {
    return this.bytes(INS.directive, directive);
  }

  async endAudit(proof: Uint8Array): Promise<EndAuditOutcome> {
    const { statusWord } = await this.card.askSecureElement(INS.endAudit, proof);
    if (statusWord === SW.DONE) return { kind: "accepted" };
    return { kind: statusWord === SW.NO_AUDIT_OPEN ? "no-audit-open" : "bad-proof" };
  }

  private async bytes(ins: number, data?: Uint8Array): Promise<BytesOutcome> {
    const { statusWord, data: bytes } = await this.card.askSecureElement(ins, data);
    if (statusWord === SW.DONE) return { kind: "ok", bytes };
    return { kind: "refused", reason: describeStatusWord(statusWord) };
  }
}
