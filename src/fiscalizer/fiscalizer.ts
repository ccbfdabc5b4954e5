/** Takes requests of POS and people, advances the protocol, which makes the decisions, and runs its effects. */
import { EventEmitter } from "node:events";
import { systemTimer } from "../base/clock.js";
import { Mutex } from "../base/mutex.js";
import { messageOf } from "../base/thrown.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import type { Invoice } from "../fiscal/invoice.js";
import type { QrFormat } from "../fiscal/qr.js";
import { ledgerError } from "../ledger/faults.js";
import { type Entry, LedgerError } from "../ledger/ledger.js";
import { contentOf } from "../ledger/receipt-content.js";
import type { Caller } from "../secure-element/secure-element.js";
import { AuditTurns } from "./audit-turns.js";
import { type Doubts, settledSoon } from "./doubts.js";
import { Effects } from "./effects.js";
import { requireCard, requireReadyToSign } from "./gates.js";
import type { PostedSale, WaitingSale } from "./make-intent.js";
import type { FiscalizerParts } from "./parts.js";
import { isComparing, isSettled } from "./protocol/comparison.js";
import { eventOfException } from "./protocol/exception.js";
import {
  type Asker,
  type Effect,
  type Event,
  type QueuedSale,
  type Reply,
  START,
  type State,
} from "./protocol/state.js";
import { step } from "./protocol/step.js";
import { wayOut } from "./protocol/way-out.js";
import { replyError, SETTLING_ADVICE } from "./replies.js";
import { SaleNotReady } from "./sale-not-ready.js";
import { SaleSteps } from "./sale-steps.js";
import { storeRefusal } from "./store-health.js";
import { finalAnswer, hashOf, presentationOf, requireSameRequest } from "./stored-answer.js";

/**
 * Cheaper than an AbortSignal, whose objects V8 does not optimise.
 * @param leave called once, when the POS disconnects @returns whether it has disconnected already
 */
export type HungUp = (leave: () => void) => boolean;

export interface Fiscalized {
  /** The answer as JSON, without the QR code. */
  readonly answer: string;
  /** Whether the answer was stored for an earlier request with the same RequestId. */
  readonly replayed: boolean;
  /** Format of the QR code; undefined if the POS wants no QR code. */
  readonly qrFormat: QrFormat | undefined;
  /** Whether a Copy or a Refund was taxed by today's rates, because the time of the original is unknown. */
  readonly todaysRates: boolean;
}

export interface FiscalizerEvents {
  /** A sale was signed and stored. */
  sold: [];
  /** The store was written in this number of ms, for this request if for any. */
  wrote: [by: Caller | undefined, ms: number];
}

type Run = Exclude<Effect, { kind: "reply" }>;

const BUG = "a bug in the service ends it; its next start settles the sale at work with the card";

export class Fiscalizer extends EventEmitter<FiscalizerEvents> {
  readonly auditTurns: AuditTurns;
  private state: State = START;
  private readonly sales: SaleSteps;
  private readonly effects: Effects;
  private lastKey = 0;
  private readyFor: Caller | undefined;
  /** Makes sure that a report is confirmed only once. */
  private readonly confirming = new Mutex();
  /** Callers that wait until a condition no longer holds. */
  private waiters: { readonly holds: () => boolean; readonly resolve: () => void }[] = [];

  constructor(private readonly parts: FiscalizerParts) {
    super();
    this.sales = new SaleSteps(parts);
    this.effects = new Effects(parts, this.sales);
    this.auditTurns = new AuditTurns(parts.secureElement, (event) => this.ask(event));
  }

  /** Checks everything that must hold before the body is read. @throws FiscalError */
  async gate(by?: Caller): Promise<FiscalEnvironment> {
    return requireReadyToSign(await requireCard(this.parts.secureElement, by), this.parts);
  }

  /**
   * Fiscalizes a sale. A repeat of a stored sale does not wait for other sales.
   * @param hungUp whether the POS has disconnected; if it has, a sale without a written intent is not signed
   * @param by the request that log, metrics and traffic log name
   * @throws FiscalError; SaleNotReady if too many sales wait; LedgerError
   */
  async fiscalize(sale: PostedSale, hungUp?: HungUp, by?: Caller): Promise<Fiscalized> {
    const { requestId, invoice } = sale;
    const requestHash = hashOf(invoice);
    // A sale that begins at once is looked up when it begins.
    const waits = requestId !== undefined && !this.beginsAtOnce;
    const earlier = waits ? await this.parts.ledger.byRequestId(requestId) : undefined;
    if (earlier && earlier.state !== "intent") return this.replay(earlier, invoice, requestHash);
    const { queueLength } = this.parts.settings;
    if (this.waiting.length >= queueLength) {
      throw this.waits(requestId) || earlier ? SaleNotReady.unfinished() : SaleNotReady.tooMany(queueLength);
    }
    const posted: WaitingSale = { requestHash, by, ...sale };
    const reply = await this.ask(({ key, resolve }) => {
      const left = hungUp?.(() => this.dispatch({ kind: "left", key })) ?? false;
      const isTraining = invoice.invoiceType === "Training";
      return { kind: "posted", sale: { key, resolve, posted, requestId, isTraining, left } };
    });
    if (reply.kind === "stored") return this.replay(reply.entry, invoice, requestHash);
    if (reply.kind !== "answer") throw replyError(reply, this.parts.secureElement.state, requestId !== undefined);
    const { answer, intent } = reply.sold;
    this.emit("sold");
    return { answer, replayed: false, ...presentationOf(intent, this.parts.settings) };
  }

  /**
   * Returns the stored entry of a RequestId; undefined if the RequestId is unknown.
   * @throws SaleNotReady if the sale waits, is at work or is in doubt; LedgerError
   */
  async find(requestId: string, by?: Caller): Promise<Entry | undefined> {
    const waited = this.waits(requestId);
    const entry = await this.parts.ledger.byRequestId(requestId);
    if (entry && entry.state !== "intent") return entry;
    if (this.state.unwrittenFor === requestId) return this.findUnwritten(requestId);
    // The sale may have ended while the ledger was read.
    if (waited || this.waits(requestId)) throw SaleNotReady.unfinished();
    if (!entry) return undefined;
    this.cardReady(by);
    throw SaleNotReady.inDoubt(SETTLING_ADVICE[wayOut(this.state.card, entry.uid)]);
  }

  /**
   * Returns the stored answer to a repeat; undefined if the RequestId is unknown. @param read reads the invoice
   * @throws as {@link find}; FiscalError if the body differs or there is no answer
   */
  async repeated(requestId: string, read: () => Invoice, by?: Caller): Promise<Fiscalized | undefined> {
    const entry = await this.find(requestId, by);
    return entry && this.replay(entry, read());
  }

  /**
   * Returns the stored entry of a card's last invoice; undefined if there is none.
   * @throws SaleNotReady while the outcome of a later sale is unknown; LedgerError
   */
  async last(uid: string): Promise<Entry | undefined> {
    const { ledger } = this.parts;
    if ((await ledger.openIntents(uid)).length > 0) throw SaleNotReady.lastUnknown();
    return ledger.last(uid);
  }

  private get waiting(): readonly QueuedSale[] {
    const { ahead, queue } = this.state;
    return ahead ? [ahead, ...queue] : queue;
  }

  private waits(requestId: string | undefined): boolean {
    const { sale } = this.state;
    return requestId !== undefined && [sale, ...this.waiting].some((one) => one?.requestId === requestId);
  }

  /** Finds a signed sale that is only in memory. @throws FiscalError 1999 as long as the sale cannot be written */
  private async findUnwritten(requestId: string): Promise<Entry | undefined> {
    const { health, ledger } = this.parts;
    const problem = await health.problem();
    if (problem) throw storeRefusal(ledgerError(problem.fault, problem.folder), "signed", true);
    return ledger.byRequestId(requestId);
  }

  /** Whether the protocol is at work: with a sale, a comparison, a decision, an audit or a write. */
  get busy(): boolean {
    return this.state.doing.kind !== "nothing";
  }

  /** Whether a sale that is posted now waits for no other work, not even for a question to a card that may hang. */
  private get beginsAtOnce(): boolean {
    const { card, unwritten } = this.state;
    const { state } = this.parts.secureElement;
    const session = card && isSettled(card) ? card.session : undefined;
    return !this.busy && unwritten.length === 0 && state.kind === "ready" && state.session === session;
  }

  /** Number of sales that wait for the card or are at work. */
  get queued(): number {
    return this.waiting.length + (this.state.sale ? 1 : 0);
  }

  /** Settles sales in doubt and compares card and ledger after a right PIN. Does not wait for sales. */
  async recover(by?: Caller): Promise<void> {
    this.cardReady(by);
    await this.while(() => isComparing(this.state));
  }

  private cardReady(by?: Caller): void {
    const { state } = this.parts.secureElement;
    if (state.kind !== "ready" || state.pin !== "verified") return;
    this.readyFor = by;
    this.dispatch({ kind: "card-ready", uid: state.identity.uid, session: state.session });
  }

  /**
   * Takes a person's decision whether the card has signed a sale. If the card is in the reader, the service asks it
   * first.
   * @returns false if no such sale is in doubt
   * @throws FiscalError 1999 if the ledger fails
   */
  async decide(entry: Pick<Entry, "id" | "uid">, signed: boolean): Promise<boolean> {
    const { id, uid } = entry;
    this.cardReady();
    const reply = await this.ask((asker) => ({ kind: "decided", decision: { ...asker, id, uid, signed } }));
    if (reply.kind === "decided" || reply.kind === "nothing-to-decide") return reply.kind === "decided";
    throw replyError(reply, this.parts.secureElement.state, true);
  }

  /** @throws LedgerError */
  async doubts(): Promise<Doubts> {
    const { ledger, secureElement } = this.parts;
    const before = this.state;
    const [open, reports] = await Promise.all([ledger.openIntents(), ledger.reports()]);
    // Use the states before and after reading the ledger, because the protocol may have advanced meanwhile.
    const soon = new Set([before, this.state].flatMap(settledSoon));
    const sales = open
      .filter((entry) => !soon.has(entry.id) && !this.isBeingWritten(entry))
      .map((entry) => ({ entry, wayOut: wayOut(this.state.card, entry.uid, secureElement.state) }));
    return { sales, unwritten: this.unwritten, reports };
  }

  /** Number of receipts that only the memory has. */
  get unwritten(): number {
    return this.state.unwritten.filter(({ kind }) => kind === "complete").length;
  }

  /** Whether an entry is an intent that was just written and that the protocol does not know yet. */
  private isBeingWritten({ requestId, requestHash }: Entry): boolean {
    const { doing, sale, ahead } = this.state;
    const written = doing.kind === "beginning" ? sale : ahead;
    return written?.posted.requestHash === requestHash && written.requestId === (requestId ?? undefined);
  }

  /** @returns false if one of the reports is not open; the ledger then confirms none of them @throws LedgerError */
  confirm(ids: ReadonlySet<number>): Promise<boolean> {
    const { ledger, clock } = this.parts;
    return this.confirming.run(async () => {
      const open = new Set((await ledger.reports()).map(({ id }) => id));
      if (![...ids].every((id) => open.has(id))) return false;
      await ledger.commit([...ids].map((id) => ({ kind: "confirm", id, at: clock.now() })));
      return true;
    });
  }

  /** Records that a card has executed a directive, which may let it sign again. @throws LedgerError */
  cardAccepted(uid: string): Promise<unknown> {
    return this.parts.ledger.commit([{ kind: "accepted", uid }]);
  }

  /** Tries again to write the signed sales that are in memory only. @throws Error if that still fails */
  async flush(): Promise<void> {
    if (this.state.unwritten.length === 0) return;
    this.dispatch({ kind: "write-unwritten" });
    await this.while(() => this.busy);
    if (this.state.unwritten.length > 0)
      throw new Error("a signed sale is in memory only: the store cannot be written");
  }

  private async while(holds: () => boolean): Promise<void> {
    if (holds()) await new Promise<void>((resolve) => this.waiters.push({ holds, resolve }));
  }

  /** @throws FiscalError if the body differs or there is no answer */
  private replay(entry: Entry, invoice: Invoice, hash = hashOf(invoice)): Fiscalized {
    requireSameRequest(entry, invoice, hash);
    return this.answerOf(entry);
  }

  /** @throws FiscalError if there is no answer */
  answerOf(entry: Entry): Fiscalized {
    const answer = finalAnswer(entry);
    return { answer, replayed: true, ...presentationOf(contentOf(entry)?.intent, this.parts.settings) };
  }

  private ask(event: (asker: Asker) => Event): Promise<Reply> {
    const key = ++this.lastKey;
    return new Promise((resolve) => this.dispatch(event({ key, resolve })));
  }

  /** The request for which the card works: that of the sale at work, or else the request that found the card ready. */
  private get caller(): Caller | undefined {
    const { sale } = this.state;
    return sale ? sale.posted.by : this.readyFor;
  }

  private dispatch(event: Event): void {
    const [state, effects] = step(this.state, event);
    this.state = state;
    const goesOn = effects.some(({ kind }) => kind !== "reply");
    for (const effect of effects) {
      if (effect.kind === "reply") {
        const { to, reply } = effect;
        // Give the card its next command before the reply, so that the card signs while the service sends the answer.
        if (goesOn) setImmediate(() => to.resolve(reply));
        else to.resolve(reply);
      } else {
        this.perform(effect, this.caller).catch((error: unknown) => {
          this.parts.log.fatal({ err: error }, BUG);
          // Nothing catches this error, so it ends the process.
          throw error;
        });
      }
    }
    if (this.waiters.length === 0) return;
    const over = this.waiters.filter(({ holds }) => !holds());
    this.waiters = this.waiters.filter((waiter) => !over.includes(waiter));
    for (const { resolve } of over) resolve();
  }

  private async perform(effect: Run, by: Caller | undefined): Promise<void> {
    const began = systemTimer.now();
    const result = await this.resultOf(effect, by);
    // The beginning of a sale writes only an intent.
    if (effect.kind === "write" || result.kind === "intent-written" || result.kind === "intent-failed") {
      this.emit("wrote", by, systemTimer.now() - began);
    }
    this.dispatch(result);
  }

  /** An unexpected error becomes the event that keeps the sale safe. */
  private async resultOf(effect: Run, by: Caller | undefined): Promise<Event> {
    try {
      switch (effect.kind) {
        case "begin":
          return await this.sales.begin(effect, by);
        case "look-up":
          return await this.sales.lookUp(effect);
        case "sign":
          return await this.sales.sign(effect, by);
        case "write":
          return await this.sales.store(effect);
        default:
          return await this.effects.perform(effect, by);
      }
    } catch (error) {
      const why = this.parts.health.note(error);
      return eventOfException(effect, { why, reason: messageOf(why), ofLedger: why instanceof LedgerError });
    }
  }
}
