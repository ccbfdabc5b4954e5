/**
 * The cards that a control interface changes: the cards of a world, or published cards, which services elsewhere use.
 */
import type { EmulatedCard } from "../card/emulated-card.js";
import type { EmulatedReader } from "../card/emulated-reader.js";
import type { NamedCards } from "../card/named-cards.js";
import type { Faults } from "../faults/faults.js";
import type { DirectAudits } from "../tax-authority/direct-audits.js";
import type { CardRecord } from "./card-types.js";
import type { Given } from "./given.js";

export interface CardBench {
  readonly reader: Pick<EmulatedReader, "slot" | "remove" | "reset" | "unplug">;
  /** The card in the reader. */
  readonly card: EmulatedCard | undefined;
  readonly cards: NamedCards;
  /** Performs audits and directives. They go to the card directly if the world has no authority. */
  readonly audits: Pick<DirectAudits, "audit" | "start" | "end" | "directive">;
  readonly pinState: CardRecord["pin"];
  readonly faults: Faults;
  /** Inserts a card. Default of `name`: the last card that was in the reader. */
  insert(name?: string): Promise<void>;
  plug(): Promise<void>;
  /** Called when the card in the reader was locked or unlocked. Ends the card's PIN session. */
  lockChanged(): Promise<void>;
  /** Called when the card's sum or counter was set. The authority then uses both as the card's starting amounts. */
  amountsSet?(): void;
  /** Makes the programs that use the card forget that the card refused something. */
  refresh(): Promise<void>;
  /** Returns the counter of the card's last invoice in the store; undefined if no store belongs to the card. */
  lastCounter(uid: string): number | undefined;
  /** Starts the last `given` again. @param toFirst starts the first `given` instead */
  reset(toFirst?: boolean): Promise<void>;
  load(given: Given): Promise<void>;
}
