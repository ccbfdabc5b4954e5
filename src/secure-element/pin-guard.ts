/**
 * Prevents a program that sends wrong PINs from locking the card. A refused PIN is not sent to the card again until the
 * card was removed or reset. Another PIN has to wait, and only one PIN waits at a time. An accepted PIN passes at once. Only a person
 * may use the last attempt.
 */
import { createHmac } from "node:crypto";
import type { Timer } from "../base/clock.js";
import type { Random } from "../base/random.js";
import { type Caller, PIN_FORM, type PinOutcome, type SecureElement } from "./secure-element.js";

/** Another PIN is already waiting, so this PIN was not sent. */
export interface PinBusy {
  readonly kind: "busy";
  /** s */
  readonly retryAfter: number;
}

/** One attempt is left, and a program sent this PIN: it was not sent to the card. */
export interface LastAttempt {
  readonly kind: "last-attempt";
}

export type GuardedOutcome = PinOutcome | PinBusy | LastAttempt;

export interface PinSender {
  /** Aborted when the caller disconnects; a waiting PIN is then not sent. */
  readonly gone: AbortSignal;
  /** Whether a person typed the PIN into the console. */
  readonly person: boolean;
  readonly by?: Caller;
}

export type VerifyPin = (pin: string, sender: PinSender) => Promise<GuardedOutcome>;

/** How many PINs each card has refused since it accepted one. The count survives a restart and a removed card. */
export interface RefusalCount {
  of(uid: string): number;
  set(uid: string, refusals: number): void;
}

/** ms after the first of consecutive refusals; each further one doubles the wait. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 4000;
const KEY_BYTES = 32;
/** Attempts of a card that does not say how many are left: the smallest number that is reported (protocol facts, "PIN"). */
const FEWEST_ATTEMPTS = 3;

interface Attempt {
  readonly mark: string;
  readonly person: boolean;
  /** Number of callers that wait for its outcome. */
  callers: number;
  readonly abandoned: AbortController;
  outcome: Promise<PinOutcome | LastAttempt>;
}

export class PinGuard {
  /** Keyed hashes of PINs: without the key they do not reveal a PIN. Hashes and key stay in memory. */
  private readonly refused = new Set<string>();
  private accepted: string | undefined;
  private readonly key: Uint8Array;
  private refusalsInARow = 0;
  private lastRefusal = 0;
  private atCard: Attempt | undefined;
  private waiting: Attempt | undefined;
  private asking: Promise<PinOutcome> | undefined;
  /** Aborted when the card is removed or reset. */
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
    if (state.card !== "ready") return { kind: state.card, reason: state.reason };
    // A locked card and a malformed PIN cost no attempt.
    if (state.pin === "locked" || !PIN_FORM.test(pin)) return this.card.verifyPin(pin, by);
    const { uid } = state.identity;
    const mark = createHmac("sha256", this.key).update(`${uid} ${pin}`).digest("base64");
    if (this.refused.has(mark)) {
      const outcome = await this.ask(by);
      // The question to the card shows whether it was reset; after a reset, the PIN may be sent.
      return this.refused.has(mark) ? outcome : this.verify(pin, sender);
    }
    if (mark === this.accepted) return this.send(pin, mark, uid, by);
    const same = [this.atCard, this.waiting].find((attempt) => attempt?.mark === mark && attempt.person === person);
    if (same) return this.join(same, gone);
    if (this.waiting) return { kind: "busy", retryAfter: Math.max(1, Math.ceil(this.wait() / 1000)) };
    return this.join(this.begin(pin, mark, uid, sender), gone);
  };

  private async cardState(by: Caller | undefined) {
    return this.card.state.card === "ready" ? this.card.state : this.card.refresh(by);
  }

  private forget(): void {
    this.refused.clear();
    this.accepted = undefined;
    this.refusalsInARow = 0;
    this.stay.abort();
    this.stay = new AbortController();
  }

  /** Answers for a refused PIN without an attempt, after asking the card whether it is still there. */
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
    // Not every card reports its attempts; every card reports its amounts.
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

  private async run(
    attempt: Attempt,
    pin: string,
    uid: string,
    by: Caller | undefined,
  ): Promise<PinOutcome | LastAttempt> {
    if (this.atCard || this.wait() > 0) {
      this.waiting = attempt;
      await this.turn(attempt);
      if (this.waiting === attempt) this.waiting = undefined;
      if (attempt.abandoned.signal.aborted) return { kind: "unreachable", reason: "the caller has hung up" };
    }
    this.atCard = attempt;
    try {
      const state = await this.cardState(by);
      if (state.card !== "ready") return { kind: state.card, reason: state.reason };
      // The PIN was meant for the card that was there when it arrived.
      if (state.identity.uid !== uid) return { kind: "no-card", reason: `${uid} is no longer in the reader` };
      const obstacle = attempt.person ? undefined : await this.obstacleForPrograms(uid, by);
      return obstacle ?? (await this.send(pin, attempt.mark, uid, by));
    } finally {
      this.atCard = undefined;
    }
  }

  /** A program must not use the last attempt: after it only the authority can help. */
  private async obstacleForPrograms(
    uid: string,
    by: Caller | undefined,
  ): Promise<PinOutcome | LastAttempt | undefined> {
    const tries = await this.card.pinTriesLeft(by);
    if (tries.kind === "ok") return tries.pinTriesLeft === 1 ? { kind: "last-attempt" } : undefined;
    if (tries.kind !== "no-command") return tries;
    return this.refusals.of(uid) >= FEWEST_ATTEMPTS - 1 ? { kind: "last-attempt" } : undefined;
  }

  /** Waits for the PIN that the card is checking, and for the pause after refusals. */
  private async turn({ abandoned }: Attempt): Promise<void> {
    await this.atCard?.outcome.catch(() => undefined);
    const ms = this.wait();
    if (ms > 0) await this.timer.sleep(ms, AbortSignal.any([abandoned.signal, this.stay.signal]));
  }

  /** ms until another PIN may be sent. */
  private wait(): number {
    if (this.refusalsInARow === 0) return 0;
    const whole = Math.min(FIRST_WAIT_MS * 2 ** (this.refusalsInARow - 1), LONGEST_WAIT_MS);
    return Math.min(Math.max(whole - (this.timer.now() - this.lastRefusal), 0), whole);
  }

  private async send(pin: string, mark: string, uid: string, by: Caller | undefined): Promise<PinOutcome> {
    const outcome = await this.card.verifyPin(pin, by);
    if (outcome.kind === "verified") {
      this.refusals.set(uid, 0);
      this.accepted = mark;
      this.refusalsInARow = 0;
    } else if (outcome.kind === "wrong-pin") {
      if (this.accepted === mark) this.accepted = undefined;
      this.refused.add(mark);
      this.refusals.set(uid, this.refusals.of(uid) + 1);
      this.refusalsInARow += 1;
      this.lastRefusal = this.timer.now();
    }
    return outcome;
  }

  private join(attempt: Attempt, gone: AbortSignal): Promise<PinOutcome | LastAttempt> {
    attempt.callers += 1;
    if (gone.aborted) this.leave(attempt);
    else gone.addEventListener("abort", () => this.leave(attempt), { once: true });
    return attempt.outcome;
  }

  /** A caller that disconnected gets no answer, so its waiting PIN is dropped: it must not cost an attempt. */
  private leave(attempt: Attempt): void {
    attempt.callers -= 1;
    if (attempt.callers > 0) return;
    if (this.waiting === attempt) this.waiting = undefined;
    attempt.abandoned.abort();
  }
}
