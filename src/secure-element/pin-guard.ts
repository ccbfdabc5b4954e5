/**
 * Prevents a program that sends wrong PINs from locking the card. The guard does not send a refused PIN again until the
 * card was removed or reset. A PIN counts as refused before the card gets it, and stays so after an answer that says
 * nothing, unless the card reports that no attempt was lost. After a refusal, and while the card checks a PIN, a
 * different PIN waits; only one PIN waits at a time. The guard sends the PIN that the card accepted last at once. Only a
 * person may use the last attempt.
 */
import { createHmac } from "node:crypto";
import type { Timer } from "../base/clock.js";
import type { Random } from "../base/random.js";
import { type Caller, PIN_FORM, type PinOutcome, type SecureElement } from "./secure-element.js";

export type GuardedOutcome =
  | PinOutcome
  /** The PIN was not sent to the card, because one attempt is left and a program, not a person, sent the PIN. */
  | { readonly kind: "last-attempt" }
  /** The PIN was not sent, because another PIN is already waiting; the caller may send it after these seconds. */
  | { readonly kind: "busy"; readonly retryAfter: number };

export interface PinSender {
  /** Signal that is aborted when the caller disconnects. A PIN that waits only for this caller is then not sent. */
  readonly gone: AbortSignal;
  readonly person: boolean;
  readonly by?: Caller;
}

export type VerifyPin = (pin: string, sender: PinSender) => Promise<GuardedOutcome>;

/** Number of PINs that each card has refused since it last accepted one, also before a restart or a removal. */
export interface RefusalCount {
  of(uid: string): number;
  set(uid: string, refusals: number): void;
}

/** ms to wait after the first of consecutive refusals. Each further one doubles the wait, up to `LONGEST_WAIT_MS`. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 4000;
const KEY_BYTES = 32;
/** Assumed attempts of a card that does not report them: the smallest known number (protocol facts, "PIN"). */
const FEWEST_ATTEMPTS = 3;

interface Attempt {
  readonly mark: string;
  readonly person: boolean;
  callers: number;
  readonly abandoned: AbortController;
  outcome: Promise<GuardedOutcome>;
}

interface RefusedPin {
  /** Why it is not known whether the PIN is wrong; undefined if the card has said that it is. */
  readonly unclear: string | undefined;
  /** Number of attempts before the card got the PIN; undefined if the card does not report it. */
  readonly triesBefore: number | undefined;
}

export class PinGuard {
  /** The refused PINs by keyed hashes, which do not reveal a PIN without the key. Hashes and key stay in memory. */
  private readonly refused = new Map<string, RefusedPin>();
  private accepted: { readonly mark: string; readonly triesBefore: number | undefined } | undefined;
  /** The accepted PIN on its way to the card again. */
  private repeated: { readonly mark: string; readonly outcome: Promise<PinOutcome> } | undefined;
  private readonly key: Uint8Array;
  private refusalsInARow = 0;
  private lastRefusal = 0;
  private atCard: Attempt | undefined;
  private waiting: Attempt | undefined;
  private asking: Promise<PinOutcome> | undefined;
  /** Signal that is aborted when the card is removed or reset. */
  private stay = new AbortController();

  constructor(
    private readonly card: SecureElement,
    private readonly timer: Timer,
    random: Random,
    private readonly refusals: RefusalCount,
  ) {
    this.key = random.bytes(KEY_BYTES);
    card.on("left", () => this.forget());
  }

  readonly verify: VerifyPin = async (pin, sender) => {
    const { gone, person, by } = sender;
    const state = await this.cardState(by);
    if (state.kind !== "ready") return { kind: state.kind, reason: state.reason };
    // With a locked card or a malformed PIN, `verifyPin` costs no attempt.
    if (state.pin === "locked" || !PIN_FORM.test(pin)) return this.card.verifyPin(pin, by);
    const { uid } = state.identity;
    const mark = createHmac("sha256", this.key).update(`${uid} ${pin}`).digest("base64");
    if (this.refused.has(mark)) return (await this.refusal(mark, by)) ?? this.verify(pin, sender);
    if (mark === this.accepted?.mark) return this.repeat(pin, mark, uid, by);
    const same = [this.atCard, this.waiting].find((attempt) => attempt?.mark === mark && attempt.person === person);
    if (same) return this.join(same, gone);
    if (this.waiting) return { kind: "busy", retryAfter: Math.max(1, Math.ceil(this.wait() / 1000)) };
    return this.join(this.begin(pin, mark, uid, sender), gone);
  };

  private async cardState(by: Caller | undefined) {
    return this.card.state.kind === "ready" ? this.card.state : this.card.refresh(by);
  }

  private forget(): void {
    this.refused.clear();
    this.accepted = undefined;
    this.refusalsInARow = 0;
    this.stay.abort();
    this.stay = new AbortController();
  }

  /** The outcome for a refused PIN; undefined if it may be sent: after a reset, or if the card lost no attempt. */
  private async refusal(mark: string, by: Caller | undefined): Promise<PinOutcome | undefined> {
    const outcome = await this.ask(by);
    // `ask` shows whether the card was reset, because a reset empties `refused`.
    const refusal = this.refused.get(mark);
    if (refusal?.unclear === undefined || outcome.kind !== "wrong-pin") return refusal && outcome;
    const { unclear: reason, triesBefore = Number.POSITIVE_INFINITY } = refusal;
    if ((outcome.pinTriesLeft ?? 0) < triesBefore) return { kind: "unreachable", reason, unclear: true };
    this.refused.delete(mark);
    this.refusalsInARow = Math.max(0, this.refusalsInARow - 1);
    return undefined;
  }

  /** Asks the card a question that costs no attempt, because the card may have been removed or reset. */
  private ask(by: Caller | undefined): Promise<PinOutcome> {
    this.asking ??= this.askCard(by).finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async askCard(by: Caller | undefined): Promise<PinOutcome> {
    const tries = await this.card.pinTriesLeft(by);
    if (tries.kind === "ok") {
      const { pinTriesLeft } = tries;
      return pinTriesLeft === 0 ? { kind: "locked" } : { kind: "wrong-pin", pinTriesLeft };
    }
    if (tries.kind !== "no-command") return tries;
    // Not every card reports its attempts, so ask for the amounts, which every card reports.
    const amounts = await this.card.amountStatus(undefined, by);
    return amounts.kind === "ok" ? { kind: "wrong-pin" } : amounts;
  }

  private begin(pin: string, mark: string, uid: string, { person, by }: PinSender): Attempt {
    const attempt: Attempt = {
      mark,
      person,
      callers: 0,
      abandoned: new AbortController(),
      outcome: Promise.resolve({ kind: "unreachable", reason: "not sent" }),
    };
    attempt.outcome = this.run(attempt, pin, uid, by);
    return attempt;
  }

  private async run(attempt: Attempt, pin: string, uid: string, by: Caller | undefined): Promise<GuardedOutcome> {
    if (this.atCard || this.wait() > 0) {
      this.waiting = attempt;
      await this.turn(attempt);
      if (this.waiting === attempt) this.waiting = undefined;
      if (attempt.abandoned.signal.aborted) return { kind: "unreachable", reason: "the caller has hung up" };
    }
    this.atCard = attempt;
    try {
      const state = await this.cardState(by);
      if (state.kind !== "ready") return { kind: state.kind, reason: state.reason };
      // The caller meant the card that was in the reader when the PIN arrived. Another card must not get this PIN.
      if (state.identity.uid !== uid) return { kind: "no-card", reason: `${uid} is no longer in the reader` };
      // A person and a program may have sent the same PIN.
      const refusal = this.refused.has(attempt.mark) ? await this.refusal(attempt.mark, by) : undefined;
      if (refusal) return refusal;
      const tries = await this.card.pinTriesLeft(by);
      if (tries.kind !== "ok" && tries.kind !== "no-command") return tries;
      const triesLeft = tries.kind === "ok" ? tries.pinTriesLeft : undefined;
      // A program must not use the last attempt: if that PIN is wrong, only the authority can help.
      const isLast = triesLeft === undefined ? this.refusals.of(uid) >= FEWEST_ATTEMPTS - 1 : triesLeft === 1;
      if (isLast && !attempt.person) return { kind: "last-attempt" };
      return await this.send(pin, attempt.mark, uid, triesLeft, by);
    } finally {
      this.atCard = undefined;
    }
  }

  /** Waits until the card has checked the PIN before this one, and until the pause after refusals is over. */
  private async turn({ abandoned }: Attempt): Promise<void> {
    await this.atCard?.outcome.catch(() => undefined);
    const ms = this.wait();
    if (ms > 0) await this.timer.sleep(ms, AbortSignal.any([abandoned.signal, this.stay.signal]));
  }

  /** Returns the ms until the guard may send another PIN. */
  private wait(): number {
    if (this.refusalsInARow === 0) return 0;
    const whole = Math.min(FIRST_WAIT_MS * 2 ** (this.refusalsInARow - 1), LONGEST_WAIT_MS);
    return Math.min(Math.max(whole - (this.timer.now() - this.lastRefusal), 0), whole);
  }

  /** Sends the accepted PIN once for all callers that send it at the same time: the card may know another by now. */
  private repeat(pin: string, mark: string, uid: string, by: Caller | undefined): Promise<PinOutcome> {
    if (this.repeated?.mark === mark) return this.repeated.outcome;
    const outcome = this.send(pin, mark, uid, this.accepted?.triesBefore, by).finally(() => {
      if (this.repeated?.outcome === outcome) this.repeated = undefined;
    });
    this.repeated = { mark, outcome };
    return outcome;
  }

  private async send(
    pin: string,
    mark: string,
    uid: string,
    triesBefore: number | undefined,
    by: Caller | undefined,
  ): Promise<PinOutcome> {
    const before = this.refusals.of(uid);
    // Count the PIN as refused before the card gets it, because the service may end meanwhile. A card that reports its
    // attempts needs no count, and a PIN that it has accepted costs no write.
    if (triesBefore === undefined && mark !== this.accepted?.mark) this.refusals.set(uid, before + 1);
    const outcome = await this.card.verifyPin(pin, by);
    if (outcome.kind === "verified") {
      this.refusals.set(uid, 0);
      this.accepted = { mark, triesBefore };
      this.refusalsInARow = 0;
      return outcome;
    }
    const unclear = "reason" in outcome && outcome.unclear ? outcome.reason : undefined;
    if (unclear === undefined && outcome.kind !== "wrong-pin") {
      this.refusals.set(uid, before);
      return outcome;
    }
    if (unclear === undefined && this.accepted?.mark === mark) this.accepted = undefined;
    // A PIN that was on its way when the card was pulled out may be sent again.
    if (outcome.kind !== "no-card") this.refused.set(mark, { unclear, triesBefore });
    const oneIsLeft = triesBefore === undefined && outcome.kind === "wrong-pin" && outcome.pinTriesLeft === 1;
    this.refusals.set(uid, oneIsLeft ? Math.max(before + 1, FEWEST_ATTEMPTS - 1) : before + 1);
    this.refusalsInARow += 1;
    this.lastRefusal = this.timer.now();
    return outcome;
  }

  private join(attempt: Attempt, gone: AbortSignal): Promise<GuardedOutcome> {
    attempt.callers += 1;
    if (gone.aborted) this.leave(attempt);
    else gone.addEventListener("abort", () => this.leave(attempt), { once: true });
    return attempt.outcome;
  }

  /** Drops a waiting PIN when its last caller has disconnected: a PIN must not cost an attempt for no caller. */
  private leave(attempt: Attempt): void {
    attempt.callers -= 1;
    if (attempt.callers > 0) return;
    if (this.waiting === attempt) this.waiting = undefined;
    attempt.abandoned.abort();
  }
}
