/** The emulated cards by name. One of them is current: it is in the reader, or was the last one in it. */
import type { EmulatedCard } from "./emulated-card.js";

/** The card that `given.card` describes. It is current at the start. */
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

  /** Name of the current card. */
  get current(): string {
    return this.currentName;
  }

  /** @throws RangeError if there is no card of that name */
  named(name: string): EmulatedCard {
    const card = this.cards.get(name);
    if (!card) throw new RangeError(`there is no card ${name}; the cards are ${this.names.join(", ")}`);
    return card;
  }

  /** Makes a card the current one, for a reader to take. @throws RangeError if there is no card of that name */
  select(name: string): EmulatedCard {
    const card = this.named(name);
    this.currentName = name;
    return card;
  }

  /** The first card with this UID: two cards may have the same one. */
  withUid(uid: string): EmulatedCard | undefined {
    return [...this.cards.values()].find(({ profile }) => profile.uid === uid);
  }

  /** Everything that the cards have signed is durable when this returns. */
  flush(): void {
    for (const { memory } of this.all) memory.flush();
  }
}
