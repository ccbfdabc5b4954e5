/** Shares one exchange with the card among several callers, and limits how long they wait for a hanging card. */
import type { Timer } from "../base/clock.js";
import { waitAtMost } from "../base/wait-at-most.js";
import type { Amounts } from "../fiscal/limit.js";
import { type Caller, type NotReached, readyUid, type SecureElement } from "../secure-element/secure-element.js";

/** ms that a caller waits for a busy card, so that the status is answered within a second. */
const CARD_ANSWER_LIMIT_MS = 400;

type QuestionOutcome<T> = ({ readonly kind: "ok" } & T) | { readonly kind: "no-command" } | NotReached;

interface Known<T> {
  readonly value: T;
  /** Age of the answer in seconds. */
  readonly age: number;
}

export class CardQuestions {
  readonly amounts: CardQuestion<Amounts>;
  readonly pinTriesLeft: CardQuestion<{ readonly pinTriesLeft: number }>;

  private session: { readonly number: number; readonly at: number } | undefined;

  constructor(
    secureElement: SecureElement,
    private readonly timer: Timer,
  ) {
    secureElement.on("changed", (state) => {
      if (state.kind !== "ready") this.session = undefined;
      else if (this.session?.number !== state.session) this.session = { number: state.session, at: timer.now() };
    });
    this.amounts = new CardQuestion(secureElement, timer, (by) => secureElement.amountStatus(undefined, by));
    this.pinTriesLeft = new CardQuestion(secureElement, timer, (by) => secureElement.pinTriesLeft(by));
  }

  /** Seconds since the card was read: the age of the values of a card that has answered no question yet. */
  age(): number {
    return this.session ? ageOf(this.session, this.timer) : 0;
  }
}

/** The age in seconds. It is never below 0, although a clock may go back. */
function ageOf({ at }: { readonly at: number }, timer: Timer): number {
  return Math.max(0, Math.floor((timer.now() - at) / 1000));
}

class CardQuestion<T> {
  private asking: Promise<void> | undefined;
  private last: { readonly value: T; readonly uid: string; readonly at: number } | undefined;

  constructor(
    private readonly secureElement: SecureElement,
    private readonly timer: Timer,
    private readonly ask: (by: Caller | undefined) => Promise<QuestionOutcome<T>>,
  ) {}

  /** The card's current or last answer; undefined if this card has not answered yet, or has refused the question. */
  async answer(by?: Caller): Promise<Known<T> | undefined> {
    this.asking ??= this.askCard(by);
    await this.within(this.asking);
    const { last } = this;
    if (last === undefined || last.uid !== readyUid(this.secureElement.state)) return undefined;
    return { value: last.value, age: ageOf(last, this.timer) };
  }

  private async askCard(by: Caller | undefined): Promise<void> {
    try {
      const answer = await this.ask(by);
      const uid = readyUid(this.secureElement.state);
      // Keep the last answer while the card cannot be reached.
      if (uid === undefined) return;
      this.last = answer.kind === "ok" ? { value: answer, uid, at: this.timer.now() } : undefined;
    } finally {
      this.asking = undefined;
    }
  }

  /** Waits for the card's answer up to a limit. If the card is known to hang, it does not wait. */
  private within(asking: Promise<void>): Promise<void> {
    const { state } = this.secureElement;
    const works = state.kind === "ready" && (state.silent || state.signingSince !== undefined);
    return waitAtMost(works ? 0 : CARD_ANSWER_LIMIT_MS, asking);
  }
}
