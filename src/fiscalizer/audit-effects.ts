/** Runs the effects of an audit that the protocol asks for, on the card and on the ledger of audits. */
import type { Clock } from "../base/clock.js";
import type { AuditChange, AuditLedger } from "../ledger/audit-ledger.js";
import type { BytesOutcome, EndAuditOutcome, SecureElement } from "../secure-element/secure-element.js";
import { hex } from "./card-answer.js";
import { obstacleText } from "./protocol/audit-obstacles.js";
import type { AuditWrite, Effect, Event, ProofOutcome } from "./protocol/state.js";

export interface AuditSources {
  readonly secureElement: SecureElement;
  readonly audits: AuditLedger;
  readonly clock: Clock;
  readonly proof: (key: number) => Uint8Array;
}

type OfAudit = Extract<Effect, { kind: "start-audit" | "end-audit" | "write-audit" }>;

export class AuditEffects {
  constructor(private readonly sources: AuditSources) {}

  async perform(effect: OfAudit): Promise<Event> {
    switch (effect.kind) {
      case "start-audit":
        return this.start(effect);
      case "end-audit":
        return { kind: "proof-answered", answer: await this.end(effect) };
      case "write-audit":
        await this.sources.audits.commit([this.changeOf(effect.write)]);
        return { kind: "written" };
    }
  }

  /** Starts an audit and reads sum and limit. The card signs nothing between these two commands. */
  private async start({ uid, session }: Extract<OfAudit, { kind: "start-audit" }>): Promise<Event> {
    const { secureElement, audits } = this.sources;
    if (!this.isThere(uid, session)) return { kind: "audit-not-started", reason: GONE };
    const newest = await audits.newest(uid);
    const started = await secureElement.startAudit();
    if (started.kind !== "ok") return { kind: "audit-not-started", reason: reasonOf(started) };
    const amounts = await secureElement.amountStatus(uid);
    if (amounts.kind !== "ok") return { kind: "audit-not-started", reason: amounts.reason };
    const { sum, limit } = amounts;
    return { kind: "audit-started", request: hex(started.bytes), amounts: { sum, limit }, newest };
  }

  private async end({ key, uid, session }: Extract<OfAudit, { kind: "end-audit" }>): Promise<ProofOutcome> {
    const { secureElement, proof } = this.sources;
    if (!this.isThere(uid, session)) return { kind: "not-sent", reason: GONE };
    const answer = await secureElement.endAudit(proof(key));
    switch (answer.kind) {
      case "accepted":
      case "bad-proof":
      case "no-audit-open":
        return { kind: answer.kind };
      case "pin-required":
        return { kind: "not-sent", reason: reasonOf(answer) };
      default:
        // The exchange may have broken off after the card got the proof.
        return { kind: "unknown", reason: answer.reason };
    }
  }

  private isThere(uid: string, session: number): boolean {
    const { state } = this.sources.secureElement;
    return state.kind === "ready" && state.identity.uid === uid && state.session === session;
  }

  private changeOf(write: AuditWrite): AuditChange {
    const at = this.sources.clock.now();
    switch (write.kind) {
      case "started": {
        const { uid, amounts, covers } = write;
        const request = Buffer.from(write.request, "hex");
        return { kind: "started", audit: { uid, startedAt: at, request, ...amounts, covers } };
      }
      case "proof-sent":
        return { kind: "proof-sent", id: write.audit, proofSent: write.proofSent };
      case "closed":
        return { kind: "closed", id: write.audit, at, outcome: write.outcome };
    }
  }
}

const GONE = obstacleText("no-card");

function reasonOf(outcome: BytesOutcome | EndAuditOutcome): string {
  return "reason" in outcome ? outcome.reason : obstacleText("pin");
}
