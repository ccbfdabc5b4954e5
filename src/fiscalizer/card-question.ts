/** A question that several callers ask the card: one exchange answers all of them, and no caller waits long for a card that hangs. */
import type { Timer } from "../clock.js";
import type { AmountStatus, Caller, NotReached, SecureElement } from "../secure-element/secure-element.js";
import { waitAtMost } from "../wait-at-most.js";

/** ms that a caller waits for a card that is at work; status answers within a second. */
const PATIENCE = 400;

type Outcome<T> = ({ readonly outcome: "ok" } & T) | { readonly outcome: "no-command" } | NotReached;

export interface Known<T> {
  readonly value: T;
  /** s since the card said so. */
  readonly age: number;
}

/** What status and console ask a card. */
export class CardQuestions {
  readonly amounts: CardQuestion<AmountStatus>;
  readonly pinTriesLeft: CardQuestion<{ readonly pinTriesLeft: number }>;

  constructor(secureElement: SecureElement, timer: Timer) {
    this.amounts = new CardQuestion(secureElement, timer, (by) => secureElement.amountStatus(undefined, by));
    this.pinTriesLeft = new CardQuestion(secureElement, timer, (by) => secureElement.pinTriesLeft(by));
  }
}

export class CardQuestion<T> {
  private asking: Promise<void> | undefined;
  private last: { readonly value: T; readonly uid: string; readonly at: number } | undefined;

  constructor(
    private readonly secureElement: SecureElement,
    private readonly timer: Timer,
    private readonly ask: (by: Caller | undefined) => Promise<Outcome<T>>,
  ) {}

  /** What the card in the reader says, or said last; undefined if it has said nothing yet. */
  async answer(by?: Caller): Promise<Known<T> | undefined> {
    this.asking ??= this.askCard(by);
    await this.within(this.asking);
    const { last } = this;
    if (last === undefined || last.uid !== this.uid) return undefined;
    return { value: last.value, age: Math.floor((this.timer.now() - last.at) / 1000) };
  }

  private get uid(): string | undefined {
    const { state } = this.secureElement;
    return state.card === "ready" ? state.identity.uid : undefined;
  }

  private async askCard(by: Caller | undefined): Promise<void> {
    try {
      const answer = await this.ask(by);
      const { uid } = this;
      // What a card said holds on while it cannot be reached.
      if (uid === undefined) return;
      this.last = answer.outcome === "ok" ? { value: answer, uid, at: this.timer.now() } : undefined;
    } finally {
      this.asking = undefined;
    }
  }

  /** Until the card has answered or patience is over; a card that is known to hang gets none. */
  private within(asking: Promise<void>): Promise<void> {
    const { state } = this.secureElement;
    return waitAtMost("silent" in state && state.silent ? 0 : PATIENCE, asking);
  }
}
