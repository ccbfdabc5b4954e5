/** Runs the effects that the protocol asks for: comparing and looking up here, sales in `sale.ts`, audits in `audit-effects.ts`. */
import { messageOf } from "../base/thrown.js";
import { decodeIntent } from "../ledger/intent.js";
import { type Entry, LedgerError } from "../ledger/ledger.js";
import type { Caller, CardIdentity } from "../secure-element/secure-element.js";
import { AuditEffects } from "./audit-effects.js";
import { lastInvoiceAnswerOf } from "./card-answer.js";
import { cardKeyOf, knownKeyOf } from "./card-key.js";
import type { FiscalizerParts } from "./parts.js";
import { eventOfException } from "./protocol/exception.js";
import { DAMAGED, type Effect, type Event, type OpenIntent } from "./protocol/state.js";
import { SaleSteps, type WaitingSale } from "./sale.js";
import { headerOf, lastAnswer } from "./sign-request.js";

export interface EffectSources extends FiscalizerParts {
  readonly sale: (key: number) => WaitingSale;
  /** Returns the proof of audit for a step of an audit. */
  readonly proof: (key: number) => Uint8Array;
  /** Returns the task that uses the card's key. */
  readonly task: (key: number) => () => Promise<void>;
}

type Run = Exclude<Effect, { kind: "reply" }>;

export class Effects {
  readonly steps: SaleSteps;
  private readonly ofAudits: AuditEffects;

  constructor(private readonly sources: EffectSources) {
    this.steps = new SaleSteps(sources, sources.sale);
    this.ofAudits = new AuditEffects(sources);
  }

  /** Runs an effect. Never throws: an unexpected error becomes the event that keeps the sale safe. */
  run(effect: Run, by: Caller | undefined): Promise<Event> {
    return this.perform(effect, by).catch((error: unknown) => {
      const why = this.sources.health.note(error);
      return eventOfException(effect, { why, reason: messageOf(why), ofLedger: why instanceof LedgerError });
    });
  }

  private perform(effect: Run, by: Caller | undefined): Promise<Event> {
    switch (effect.kind) {
      case "begin":
        return this.steps.begin(effect, by);
      case "sign":
        return this.steps.sign(effect, by);
      case "write":
        return this.steps.store(effect);
      case "look-up":
        return this.lookUp(effect.key);
      case "read-card":
        return this.readCard(effect.uid);
      case "read-last-invoice":
        return this.readLastInvoice(effect.uid, by);
      case "read-amounts":
        return this.readAmounts(effect.uid, by);
      case "use-key":
        return this.useKey(effect.key);
      case "start-audit":
      case "end-audit":
      case "write-audit":
        return this.ofAudits.perform(effect);
    }
  }

  private async lookUp(key: number): Promise<Event> {
    return { kind: "looked-up", entry: await this.steps.lookUp(this.sources.sale(key)) };
  }

  private async readLastInvoice(uid: string, by: Caller | undefined): Promise<Event> {
    const identity = await this.reached(uid, by);
    const last = await this.sources.secureElement.lastSigned(uid, by);
    return { kind: "last-invoice-read", answer: lastInvoiceAnswerOf(last, identity) };
  }

  private async readAmounts(uid: string, by: Caller | undefined): Promise<Event> {
    const amount = await this.sources.secureElement.amountStatus(uid, by);
    const amounts = amount.kind === "ok" ? { sum: amount.sum, limit: amount.limit } : undefined;
    return { kind: "amounts-read", amounts };
  }

  private async useKey(key: number): Promise<Event> {
    await this.sources.task(key)();
    return { kind: "key-used" };
  }

  /**
   * Reconnects the card if the exchange broke off.
   * @throws Error if the card cannot be used or another card is in the reader
   */
  private async reached(uid: string, by: Caller | undefined): Promise<CardIdentity> {
    const { secureElement } = this.sources;
    let { state } = secureElement;
    if (state.kind !== "ready") state = await secureElement.refresh(by);
    if (state.kind !== "ready") throw new Error(state.reason);
    if (state.identity.uid !== uid) throw new Error(`${uid} is no longer in the reader`);
    this.steps.identity = state.identity;
    return state.identity;
  }

  private async readCard(uid: string): Promise<Event> {
    const { ledger, baseline, secureElement } = this.sources;
    const { state } = secureElement;
    const present = state.kind === "ready" && state.identity.uid === uid ? state.identity : undefined;
    const key = present && cardKeyOf(present);
    const [record, last, intents] = await Promise.all([ledger.card(uid), ledger.last(uid), ledger.openIntents(uid)]);
    const lastCounter = Math.max(record.lastCounter ?? 0, baseline?.(uid) ?? 0);
    const open = intents.map((entry) => this.openOf(entry));
    const { counting, certificate } = record;
    const knownKey = knownKeyOf(certificate, present);
    return { kind: "card-read", uid, key, knownKey, lastCounter, ...lastAnswer(last, lastCounter), counting, open };
  }

  private openOf({ id, requestId, intent, intact }: Entry): OpenIntent {
    if (intact && intent !== null) {
      const decoded = decodeIntent(intent);
      return this.steps.remember(id, requestId ?? undefined, { intent: decoded, header: headerOf(decoded) });
    }
    // The intent is damaged. If the card repeats an invoice that the ledger lacks, that invoice is adopted and
    // reported.
    return { id, requestId: requestId ?? undefined, header: DAMAGED, kind: "", amount: 0n, before: undefined };
  }
}
