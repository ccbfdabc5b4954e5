/** Runs the effects that the protocol asks for on card, ledger and gates, and turns their results into events. */
import { messageOf } from "../base/thrown.js";
import { totalAmountOf } from "../fiscal/invoice.js";
import { RECEIPT_LANGUAGES } from "../fiscal/language.js";
import { decodeIntent, encodeIntent, type Intent } from "../ledger/intent.js";
import { type Change, type Entry, LedgerError } from "../ledger/ledger.js";
import type { Caller, CardIdentity } from "../secure-element/secure-element.js";
import { AuditEffects } from "./audit-effects.js";
import { lastInvoiceAnswerOf, signatureOf } from "./card-answer.js";
import { cardKeyOf, knownKeyOf } from "./card-key.js";
import { withoutKnownChanges } from "./known-changes.js";
import { eventOfException } from "./protocol/exception.js";
import { type Amounts, DAMAGED, type Effect, type Event, type OpenIntent } from "./protocol/state.js";
import { isCertain, refusalError } from "./refusals.js";
import { type PreparationSources, SalePreparation, type Waiting } from "./sale-preparation.js";
import { headerOf, lastAnswer, signRequestOf } from "./sign-request.js";
import type { StoreHealth } from "./store-health.js";
import { changesOf } from "./writes.js";

export interface EffectSources extends PreparationSources {
  readonly health: StoreHealth;
  /** Returns the counter to which an emulated card was set; undefined for any other card. */
  readonly baseline: (uid: string) => number | undefined;
  readonly sale: (key: number) => Waiting;
  /** Returns the proof of audit for a step of an audit. */
  readonly proof: (key: number) => Uint8Array;
  /** Returns the task that uses the card's key. */
  readonly task: (key: number) => () => Promise<void>;
}

/** A signed and stored sale. */
export interface Signed {
  /** The answer as JSON, without the QR code. */
  readonly answer: string;
  readonly intent: Intent;
}

type Run = Exclude<Effect, { kind: "reply" }>;

export class Effects {
  /** Intents of the sales at work and in doubt, by the id of their entries. */
  private readonly intents = new Map<number, Intent>();
  /** Signed sales that the last write completed, by the id of their entries. */
  private completed: ReadonlyMap<number, Signed> = new Map();
  /** The card of the last exchange. Kept because the card may be gone when its answer is written. */
  private identity: CardIdentity | undefined;

  private readonly ofAudits: AuditEffects;
  private readonly preparation: SalePreparation;

  constructor(private readonly sources: EffectSources) {
    this.ofAudits = new AuditEffects(sources);
    this.preparation = new SalePreparation(sources, (identity) => {
      this.identity = identity;
    });
  }

  /** Returns the signed sale of an entry; undefined if the last write did not complete that entry. */
  signed(id: number): Signed | undefined {
    return this.completed.get(id);
  }

  /** Runs an effect. Never throws: an unexpected error becomes the event that keeps the sale safe. */
  async run(effect: Run, by: Caller | undefined): Promise<Event> {
    try {
      return await this.perform(effect, by);
    } catch (error) {
      const why = this.sources.health.note(error);
      return eventOfException(effect, { why, reason: messageOf(why), ofLedger: why instanceof LedgerError });
    }
  }

  private async perform(effect: Run, by: Caller | undefined): Promise<Event> {
    const { secureElement, ledger, sale } = this.sources;
    switch (effect.kind) {
      case "pass-gates": {
        const { damage } = this.sources.health;
        if (damage) throw damage;
        const { uid, session } = await this.preparation.pass(by);
        return { kind: "gates-passed", uid, session };
      }
      case "read-card":
        return this.readCard(effect.uid);
      case "read-last-invoice": {
        const { identity } = await this.reached(effect.uid, by);
        return {
          kind: "last-invoice-read",
          answer: lastInvoiceAnswerOf(await secureElement.lastSigned(effect.uid, by), identity),
        };
      }
      case "read-amounts": {
        const amount = await secureElement.amountStatus(effect.uid, by);
        const amounts = amount.kind === "ok" ? { sum: amount.sum, limit: amount.limit } : undefined;
        return { kind: "amounts-read", amounts };
      }
      case "look-up": {
        const waiting = sale(effect.key);
        waiting.entry = waiting.requestId === undefined ? undefined : await ledger.byRequestId(waiting.requestId);
        const { entry } = waiting;
        return { kind: "looked-up", entry: !entry ? "nothing" : entry.state === "intent" ? "open" : "final" };
      }
      case "write-intent":
        return this.writeIntent(sale(effect.key), effect.uid, effect.before);
      case "sign":
        return this.sign(effect.id, effect.uid, by);
      case "write":
        return this.write(effect);
      case "use-key":
        await this.sources.task(effect.key)();
        return { kind: "key-used" };
      case "start-audit":
      case "end-audit":
      case "write-audit":
        return this.ofAudits.perform(effect);
    }
  }

  /**
   * Reconnects the card if the exchange broke off.
   * @throws Error if the card cannot be used or another card is in the reader
   */
  private async reached(uid: string, by: Caller | undefined): Promise<{ identity: CardIdentity }> {
    const { secureElement } = this.sources;
    const state = secureElement.state.kind === "ready" ? secureElement.state : await secureElement.refresh(by);
    if (state.kind !== "ready") throw new Error(state.reason);
    if (state.identity.uid !== uid) throw new Error(`${uid} is no longer in the reader`);
    this.identity = state.identity;
    return state;
  }

  private async readCard(uid: string): Promise<Event> {
    const { ledger, baseline, secureElement } = this.sources;
    const { state } = secureElement;
    const present = state.kind === "ready" && state.identity.uid === uid ? state.identity : undefined;
    const key = present && cardKeyOf(present);
    const [record, last, intents] = await Promise.all([ledger.card(uid), ledger.last(uid), ledger.openIntents(uid)]);
    const lastCounter = Math.max(record.lastCounter ?? 0, baseline(uid) ?? 0);
    const open = intents.map((entry) => this.openOf(entry));
    const { counting, certificate } = record;
    const knownKey = knownKeyOf(certificate, present);
    return { kind: "card-read", uid, key, knownKey, lastCounter, ...lastAnswer(last, lastCounter), counting, open };
  }

  private openOf({ id, requestId, intent, intact }: Entry): OpenIntent {
    if (intact && intent !== null) return this.remember(id, requestId ?? undefined, decodeIntent(intent));
    // The intent is damaged. If the card repeats an invoice that the ledger lacks, that invoice is adopted and
    // reported.
    return { id, requestId: requestId ?? undefined, header: DAMAGED, kind: "", amount: 0n, before: undefined };
  }

  private remember(id: number, requestId: string | undefined, intent: Intent): OpenIntent {
    this.intents.set(id, intent);
    const { before, invoice } = intent;
    return {
      id,
      requestId,
      before,
      kind: `${invoice.invoiceType} ${invoice.transactionType}`,
      amount: totalAmountOf(invoice.items),
      header: headerOf(intent),
    };
  }

  private async writeIntent(waiting: Waiting, uid: string, before: Amounts | undefined): Promise<Event> {
    const intent = await this.preparation.intentFor(waiting, uid, before);
    const [id] = await this.sources.ledger.commit([changeOfIntent(waiting, intent)]);
    return { kind: "intent-written", open: this.remember(idOf(id), waiting.requestId, intent) };
  }

  private async write({ writes, ahead }: Extract<Run, { kind: "write" }>): Promise<Event> {
    const { ledger, sale } = this.sources;
    const changes = await withoutKnownChanges(ledger, this.changes(writes));
    const next = this.sources.health.damage ? undefined : ahead && sale(ahead.key);
    const intent = next && ahead && (await this.preparation.intentAhead(next, ahead));
    let open: OpenIntent | undefined;
    if (intent) {
      const id = await this.committed([...changes, changeOfIntent(next, intent)], changes);
      open = id === undefined ? undefined : this.remember(id, next.requestId, intent);
    } else {
      await ledger.commit(changes);
    }
    for (const write of writes) if ("id" in write) this.intents.delete(write.id);
    return { kind: "written", ahead: open };
  }

  /**
   * Writes an answer together with the next intent. If that fails, writes only the answer, because an intent that
   * cannot be written must not prevent the answer.
   * @returns id of the intent; undefined if only the required changes were written
   * @throws LedgerError if nothing could be written
   */
  private async committed(all: readonly Change[], must: readonly Change[]): Promise<number | undefined> {
    const { ledger } = this.sources;
    try {
      return (await ledger.commit(all))[0];
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      await ledger.commit(must);
      return undefined;
    }
  }

  private async sign(id: number, uid: string, by: Caller | undefined): Promise<Event> {
    const outcome = await this.sources.secureElement.sign(uid, signRequestOf(this.intent(id)), by);
    switch (outcome.kind) {
      case "signed": {
        // The gates have read this card's certificate, which verifies the signature.
        const { identity } = this;
        if (identity?.uid !== uid) throw new Error(`${uid} was not asked for its certificate`);
        return { kind: "signed", signature: signatureOf(outcome.signature, identity.publicKey) };
      }
      case "unknown":
        return { kind: "unknown", reason: outcome.reason };
      case "applet-lost":
        return { kind: "applet-lost" };
      default:
        return { kind: "not-signed", why: refusalError(outcome), byCard: !isCertain(outcome) };
    }
  }

  private changes(writes: Extract<Run, { kind: "write" }>["writes"]) {
    const { environment, clock } = this.sources;
    const { environment: inForce } = environment.now();
    const changes = changesOf(writes, {
      intent: (id) => this.intent(id),
      identity: this.identity,
      root: inForce?.parameters.endpoints.root ?? "",
      language: inForce?.languages[0]?.prints ?? RECEIPT_LANGUAGES[0],
      timeZone: inForce?.timeZone ?? "UTC",
      now: clock.now(),
    });
    this.completed = new Map(
      changes.flatMap((change): [number, Signed][] =>
        change.kind === "complete"
          ? [[change.id, { answer: change.completion.answer, intent: this.intent(change.id) }]]
          : [],
      ),
    );
    return changes;
  }

  private intent(id: number): Intent {
    const intent = this.intents.get(id);
    if (!intent) throw new Error(`the intent ${id} is unknown`);
    return intent;
  }
}

function changeOfIntent({ requestId, requestHash }: Waiting, intent: Intent): Change {
  const { uid } = intent;
  return { kind: "intent", intent: { requestId: requestId ?? null, requestHash, uid, intent: encodeIntent(intent) } };
}

function idOf(id: number | undefined): number {
  if (id === undefined) throw new Error("the ledger gave the intent no id");
  return id;
}
