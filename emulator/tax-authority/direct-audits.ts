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

export interface DirectAuditsOptions {
  /** Returns the connection to the card in the reader; undefined if there is no card. */
  readonly element: () => Element | undefined;
  /** Returns the UID of the card in the reader; undefined if there is no card. */
  readonly uid: () => string | undefined;
  readonly authorityPrivateKey: KeyObject;
}

export class DirectAudits {
  /** The card's answer to the last {@link start}. That audit may still be open. */
  request: Uint8Array | undefined;

  constructor(private readonly options: DirectAuditsOptions) {}

  /** Runs a whole audit of the card in the reader. */
  async audit(): Promise<AuditOutcome> {
    const started = await this.start();
    return started.kind === "ok" ? this.end() : started;
  }

  /** Starts an audit. Sales may continue until {@link end}. */
  async start(): Promise<BytesOutcome> {
    const request = await this.options.element()?.startAudit();
    if (request?.kind === "ok") this.request = request.bytes;
    return request ?? NO_CARD;
  }

  /** Gives the card the proof for the audit that {@link start} began. */
  async end(): Promise<AuditOutcome> {
    const { element, authorityPrivateKey } = this.options;
    if (!this.request) return element() ? { kind: "no-audit-open" } : NO_CARD;
    const proof = proofOfAudit(auditBlock(this.request), authorityPrivateKey);
    return proof ? (element()?.endAudit(proof) ?? NO_CARD) : { kind: "bad-proof" };
  }

  async directive(action: DirectiveAction): Promise<BytesOutcome> {
    const { element, uid, authorityPrivateKey } = this.options;
    const directive = makeDirective(action, uid() ?? "", authorityPrivateKey);
    return element()?.directive(directive) ?? NO_CARD;
  }
}
