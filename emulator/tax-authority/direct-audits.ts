/**
 * Audits and directives without an authority server: the emulator seals proofs and directives and gives them to the
 * card (docs/protocol.md, section 1).
 */
import type { KeyObject } from "node:crypto";
import type { BytesOutcome, EndAuditOutcome, SecureElement } from "../../src/secure-element/secure-element.js";
import { type DirectiveAction, makeDirective, proofOfAudit } from "../pki/audit.js";
import { auditBlock } from "./audits.js";

const NO_CARD = { kind: "no-card", reason: "there is no card in the reader" } as const;

export type AuditOutcome = Exclude<BytesOutcome, { kind: "ok" }> | EndAuditOutcome;

type Element = Pick<SecureElement, "startAudit" | "endAudit" | "directive">;

export class DirectAudits {
  /** The card's answer to the last {@link start}. That audit may still be open. */
  request: Uint8Array | undefined;

  /**
   * @param element returns the connection to the card in the reader; undefined if there is no card
   * @param uid returns the UID of the card in the reader; undefined if there is no card
   */
  constructor(
    private readonly element: () => Element | undefined,
    private readonly uid: () => string | undefined,
    private readonly authorityPrivateKey: KeyObject,
  ) {}

  async audit(): Promise<AuditOutcome> {
    const started = await this.start();
    return started.kind === "ok" ? this.end() : started;
  }

  /** Starts an audit. Sales may continue until {@link end}. */
  async start(): Promise<BytesOutcome> {
    const request = await this.element()?.startAudit();
    if (request?.kind === "ok") this.request = request.bytes;
    return request ?? NO_CARD;
  }

  /** Gives the card the proof for the audit that {@link start} began. */
  async end(): Promise<AuditOutcome> {
    if (!this.request) return this.element() ? { kind: "no-audit-open" } : NO_CARD;
    const proof = proofOfAudit(auditBlock(this.request), this.authorityPrivateKey);
    return proof ? (this.element()?.endAudit(proof) ?? NO_CARD) : { kind: "bad-proof" };
  }

  async directive(action: DirectiveAction): Promise<BytesOutcome> {
    const directive = makeDirective(action, this.uid() ?? "", this.authorityPrivateKey);
    return this.element()?.directive(directive) ?? NO_CARD;
  }
}
