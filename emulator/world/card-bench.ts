/** Cards under a control interface, whichever service uses them: a world's cards, or published ones. */
import type { BytesOutcome } from "../../src/secure-element/secure-element.js";
import type { EmulatedCard } from "../card/emulated-card.js";
import type { EmulatedReader } from "../card/emulated-reader.js";
import type { Faults } from "../faults/faults.js";
import type { DirectiveAction } from "../pki/audit.js";
import type { AuditOutcome } from "../tax-authority/direct-audits.js";
import type { CardRecord } from "./card-types.js";
import type { Given } from "./given.js";

export interface CardBench {
  readonly reader: Pick<EmulatedReader, "slot" | "remove" | "reset" | "unplug">;
  /** The card in the reader. */
  readonly card: EmulatedCard | undefined;
  /** Name of the card in the reader, or of the last one in it. */
  readonly cardName: string;
  readonly cardNames: readonly string[];
  readonly pinState: CardRecord["pin"];
  readonly faults: Faults;
  /** @throws RangeError if there is no card of that name */
  cardNamed(name: string): EmulatedCard;
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
  audit(): Promise<AuditOutcome>;
  startAudit(): Promise<BytesOutcome>;
  endAudit(): Promise<AuditOutcome>;
  directive(action: DirectiveAction): Promise<BytesOutcome>;
  /** Resets to the start. @param toFirst instead of the last `given` */
  reset(toFirst?: boolean): Promise<void>;
  load(given: Given): Promise<void>;
}
