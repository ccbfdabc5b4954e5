/** Cards under a control interface, whichever service uses them: a world's cards, or published ones. */
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
  /** Audits go to the card directly if the world has no authority. */
  readonly audits: Pick<DirectAudits, "audit" | "start" | "end" | "directive">;
  readonly pinState: CardRecord["pin"];
  readonly faults: Faults;
  /** Inserts the card that was in last, or another one. */
  insert(name?: string): Promise<void>;
  plug(): Promise<void>;
  /** The card in the reader was locked or unlocked: its PIN session ends. */
  lockChanged(): Promise<void>;
  /** Called when the card's sum or counter were set: the authority then takes them as the card's starting point. */
  amountsSet?(): void;
  /** Programs that use the card forget what it has refused. */
  refresh(): Promise<void>;
  /** Counter of the card's last invoice in the store, if a store belongs to the card. */
  lastCounter(uid: string): number | undefined;
  /** Resets to the start. @param toFirst instead of the last `given` */
  reset(toFirst?: boolean): Promise<void>;
  load(given: Given): Promise<void>;
}
