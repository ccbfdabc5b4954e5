/**
 * Keeps a program that sends wrong PINs from locking the card. A PIN that the card has refused is not sent to it again
 * until the card was removed or reset. Another PIN waits, and only one at a time. What the card has accepted passes at once.
 */
import { createHmac } from "node:crypto";
import type { Timer } from "../clock.js";
import type { Random } from "../random.js";
import { type Caller, PIN_FORM, type PinOutcome, type SecureElement } from "./secure-element.js";

/** Another PIN waits already, so this one was not sent. */
export interface PinBusy {
  readonly outcome: "busy";
  /** s */
  readonly retryAfter: number;
}

/** @param gone aborted when the caller has hung up; a PIN that waits is then not sent */
export type VerifyPin = (pin: string, gone: AbortSignal, by?: Caller) => Promise<PinOutcome | PinBusy>;

/** ms, after the first refusal in a row; each further one doubles the wait. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 4000;
const KEY_BYTES = 32;

interface Attempt {
  readonly mark: string;
  /** Those who wait for its outcome. */
  callers: number;
  readonly abandoned: AbortController;
  outcome: Promise<PinOutcome>;
}

export class PinGuard {
  /** Keyed hashes of PINs: without the key they do not reveal a PIN. Both stay in memory. */
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
  ) {
    this.key = random.bytes(KEY_BYTES);
    card.on("left", () => this.forget());
  }

  readonly verify: VerifyPin = async (pin, gone, by) => {
    const state = await this.cardState(by);
    if (state.card !== "ready") return { outcome: state.card, reason: state.reason };
    // These cost no try.
    if (state.pin === "locked" || !PIN_FORM.test(pin)) return this.card.verifyPin(pin, by);
    const { uid } = state.identity;
    const mark = createHmac("sha256", this.key).update(`${uid} ${pin}`).digest("base64");
    if (this.refused.has(mark)) {
      const outcome = await this.ask(by);
      // A reset is noticed when the card is asked, and then the PIN is a new one.
      return this.refused.has(mark) ? outcome : this.verify(pin, gone, by);
    }
    if (mark === this.accepted) return this.send(pin, mark, by);
    const same = [this.atCard, this.waiting].find((attempt) => attempt?.mark === mark);
    if (same) return this.join(same, gone);
    if (this.waiting) return { outcome: "busy", retryAfter: Math.max(1, Math.ceil(this.wait() / 1000)) };
    return this.join(this.begin(pin, mark, uid, by), gone);
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

  /** The refused PIN's answer: still true for the card that is there, and without a try. */
  private ask(by: Caller | undefined): Promise<PinOutcome> {
    this.asking ??= this.askCard(by).finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async askCard(by: Caller | undefined): Promise<PinOutcome> {
    const tries = await this.card.pinTriesLeft(by);
    if (tries.outcome === "ok") {
      const { pinTriesLeft } = tries;
      return pinTriesLeft === 0 ? { outcome: "locked" } : { outcome: "wrong-pin", pinTriesLeft };
    }
    if (tries.outcome !== "no-command") return tries;
    // Not every card says its attempts; every card says its amounts.
    const amounts = await this.card.amountStatus(undefined, by);
    return amounts.outcome === "ok" ? { outcome: "wrong-pin" } : amounts;
  }

  private begin(pin: string, mark: string, uid: string, by: Caller | undefined): Attempt {
    const attempt: Attempt = {
      mark,
      callers: 0,
      abandoned: new AbortController(),
      outcome: Promise.resolve({ outcome: "unreachable", reason: "not sent" }),
    };
    attempt.outcome = this.run(attempt, pin, uid, by);
    return attempt;
  }

  private async run(attempt: Attempt, pin: string, uid: string, by: Caller | undefined): Promise<PinOutcome> {
    if (this.atCard || this.wait() > 0) {
      this.waiting = attempt;
      await this.turn(attempt);
      if (this.waiting === attempt) this.waiting = undefined;
      if (attempt.abandoned.signal.aborted) return { outcome: "unreachable", reason: "the caller has hung up" };
    }
    this.atCard = attempt;
    try {
      const state = await this.cardState(by);
      if (state.card !== "ready") return { outcome: state.card, reason: state.reason };
      // The PIN was meant for the card that was there when it came.
      if (state.identity.uid !== uid) return { outcome: "no-card", reason: `${uid} is not in the reader any more` };
      return await this.send(pin, attempt.mark, by);
    } finally {
      this.atCard = undefined;
    }
  }

  /** After the PIN that is at the card, and the wait that follows refusals. */
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

  private async send(pin: string, mark: string, by: Caller | undefined): Promise<PinOutcome> {
    const outcome = await this.card.verifyPin(pin, by);
    if (outcome.outcome === "verified") {
      this.accepted = mark;
      this.refusalsInARow = 0;
    } else if (outcome.outcome === "wrong-pin") {
      if (this.accepted === mark) this.accepted = undefined;
      this.refused.add(mark);
      this.refusalsInARow += 1;
      this.lastRefusal = this.timer.now();
    }
    return outcome;
  }

  private join(attempt: Attempt, gone: AbortSignal): Promise<PinOutcome> {
    attempt.callers += 1;
    if (gone.aborted) this.leave(attempt);
    else gone.addEventListener("abort", () => this.leave(attempt), { once: true });
    return attempt.outcome;
  }

  /** Who hung up learns nothing any more, and a program that hangs up early must not cost tries. */
  private leave(attempt: Attempt): void {
    attempt.callers -= 1;
    if (attempt.callers > 0) return;
    if (this.waiting === attempt) this.waiting = undefined;
    attempt.abandoned.abort();
  }
}
