/** The emulated cards by name. The current card is the card in the reader, or the last card that was in it. */
import { UserError } from "../../src/base/user-error.js";
import type { EmulatedCard } from "./emulated-card.js";

/** Name of the card that `given.card` describes. It is the current card at the start. */
export const MAIN_CARD = "main";

export class NamedCards {
  private currentName = MAIN_CARD;

  constructor(private readonly cards: ReadonlyMap<string, EmulatedCard>) {}

  get names(): string[] {
    return [...this.cards.keys()];
  }

  get all(): Iterable<EmulatedCard> {
    return this.cards.values();
  }

  get current(): string {
    return this.currentName;
  }

  /** Returns a card by its name. @throws UserError if there is no card of that name */
  named(name: string): EmulatedCard {
    const card = this.cards.get(name);
    if (!card) throw new UserError(`there is no card ${name}; the cards are ${this.names.join(", ")}`);
    return card;
  }

  /** Makes a card the current one. @throws UserError if there is no card of that name */
  select(name: string): EmulatedCard {
    const card = this.named(name);
    this.currentName = name;
    return card;
  }

  withUid(uid: string): EmulatedCard | undefined {
    return [...this.cards.values()].find(({ profile }) => profile.uid === uid);
  }

  flush(): void {
    for (const { memory } of this.all) memory.flush();
  }
}
