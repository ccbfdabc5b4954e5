/** Runs the effects of comparisons and audits that the protocol asks for. `sale-steps.ts` runs those of a sale. */
import type { AuditChange } from "../ledger/audit-ledger.js";
import { decodeIntent, headerOf } from "../ledger/intent.js";
import type { Entry } from "../ledger/ledger.js";
import type { BytesOutcome, Caller, CardIdentity, EndAuditOutcome } from "../secure-element/secure-element.js";
import { cardKeyOf, hex, knownKeyOf, lastInvoiceAnswerOf } from "./card-answer.js";
import type { FiscalizerParts } from "./parts.js";
import { obstacleText } from "./protocol/audit-obstacles.js";
import {
  type AuditWrite,
  type CardFacts,
  DAMAGED,
  type Effect,
  type Event,
  type OpenIntent,
  type ProofOutcome,
} from "./protocol/state.js";
import { openIntent, type SaleSteps } from "./sale-steps.js";

type OfSale = Extract<Effect, { kind: "begin" | "sign" | "write" | "look-up" | "reply" }>;
type InSession = Extract<Effect, { kind: "start-audit" | "end-audit" }>;

export class Effects {
  /** @param sales the steps of a sale, which need to know the card of the last exchange */
  constructor(
    private readonly parts: FiscalizerParts,
    private readonly sales: SaleSteps,
  ) {}

  async perform(effect: Exclude<Effect, OfSale>, by: Caller | undefined): Promise<Event> {
    switch (effect.kind) {
      case "read-card":
        return { kind: "card-read", card: await this.cardFacts(effect.uid) };
      case "read-last-invoice": {
        const identity = await this.reached(effect.uid, by);
        const last = await this.parts.secureElement.lastSigned(effect.uid, by);
        return { kind: "last-invoice-read", answer: lastInvoiceAnswerOf(last, identity) };
      }
      case "read-amounts":
        return { kind: "amounts-read", amounts: await this.sales.amounts(effect.uid, by) };
      case "use-key":
        await effect.task();
        return { kind: "key-used" };
      case "start-audit":
        return this.startAudit(effect);
      case "end-audit":
        return { kind: "proof-answered", answer: await this.endAudit(effect) };
      case "write-audit":
        await this.parts.audits.commit([changeOf(effect.write, this.parts.clock.now())]);
        return { kind: "written" };
    }
  }

  /** Reconnects the card after a broken exchange. @throws Error if it cannot be used or is another card */
  private async reached(uid: string, by: Caller | undefined): Promise<CardIdentity> {
    const { secureElement } = this.parts;
    let { state } = secureElement;
    if (state.kind !== "ready") state = await secureElement.refresh(by);
    if (state.kind !== "ready") throw new Error(state.reason);
    if (state.identity.uid !== uid) throw new Error(`${uid} is no longer in the reader`);
    this.sales.identity = state.identity;
    return state.identity;
  }

  private async cardFacts(uid: string): Promise<CardFacts> {
    const { ledger, baseline, secureElement } = this.parts;
    const { state } = secureElement;
    const present = state.kind === "ready" && state.identity.uid === uid ? state.identity : undefined;
    const key = present && cardKeyOf(present);
    const [record, last, intents] = await Promise.all([ledger.card(uid), ledger.last(uid), ledger.openIntents(uid)]);
    const lastCounter = Math.max(record.lastCounter ?? 0, baseline?.(uid) ?? 0);
    const open = intents.map(openOf);
    const { counting, certificate, restored } = record;
    const knownKey = knownKeyOf(certificate, present);
    return { uid, key, knownKey, lastCounter, ...lastAnswer(last, lastCounter), counting, restored, open };
  }

  /** Starts an audit and reads sum and limit. The card signs nothing between these two commands. */
  private async startAudit(effect: InSession): Promise<Event> {
    const { uid } = effect;
    const { secureElement, audits } = this.parts;
    if (!this.isThere(effect)) return { kind: "audit-not-started", reason: GONE };
    const newest = await audits.newest(uid);
    const started = await secureElement.startAudit();
    if (started.kind !== "ok") return { kind: "audit-not-started", reason: reasonOf(started) };
    const amounts = await secureElement.amountStatus(uid);
    if (amounts.kind !== "ok") return { kind: "audit-not-started", reason: amounts.reason };
    const { sum, limit } = amounts;
    return { kind: "audit-started", request: hex(started.bytes), amounts: { sum, limit }, newest };
  }

  private async endAudit(effect: Extract<InSession, { kind: "end-audit" }>): Promise<ProofOutcome> {
    if (!this.isThere(effect)) return { kind: "not-sent", reason: GONE };
    const answer = await this.parts.secureElement.endAudit(effect.proof, effect.uid);
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

  private isThere({ uid, session }: InSession): boolean {
    const { state } = this.parts.secureElement;
    return state.kind === "ready" && state.identity.uid === uid && state.session === session;
  }
}

function openOf({ id, requestId: name, intent, intact }: Entry): OpenIntent {
  const requestId = name ?? undefined;
  if (intact && intent !== null) {
    const decoded = decodeIntent(intent);
    return openIntent(id, requestId, { intent: decoded, header: hex(headerOf(decoded)) });
  }
  // The intent is damaged. If the card repeats an invoice that the ledger lacks, that invoice is adopted and reported.
  return { id, requestId, intent: undefined, header: DAMAGED, kind: "", amount: 0n, before: undefined };
}

const GONE = obstacleText("no-card");

function reasonOf(outcome: BytesOutcome | EndAuditOutcome): string {
  return "reason" in outcome ? outcome.reason : obstacleText("pin");
}

function changeOf(write: AuditWrite, at: number): AuditChange {
  if (write.kind === "proof-sent") return write;
  if (write.kind === "closed") return { ...write, at };
  const { uid, amounts, covers } = write;
  const request = Buffer.from(write.request, "hex");
  return { kind: "started", audit: { uid, startedAt: at, request, ...amounts, covers } };
}

/** Returns the bytes that the ledger has of the card's last invoice. */
function lastAnswer(last: Entry | undefined, lastCounter: number): Pick<CardFacts, "lastBytes" | "lastUnproven"> {
  // A damaged entry does not show what the card answered.
  if (!last?.intact || last.totalCounter !== lastCounter || !last.signature) return { lastBytes: undefined };
  const bytes = hex(last.signature);
  if (last.state !== "unproven") return { lastBytes: bytes };
  const isOfThisSale = last.intent !== null && bytes.startsWith(hex(headerOf(decodeIntent(last.intent))));
  return { lastBytes: undefined, lastUnproven: isOfThisSale ? bytes : undefined };
}
