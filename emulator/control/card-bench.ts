/** Cards that the control interface drives, whichever service uses them: a world's own, or any through PC/SC. */
import type { BytesOutcome } from "../../src/secure-element/secure-element.js";
import type { EmulatedCard } from "../card/emulated-card.js";
import type { EmulatedReader } from "../card/emulated-reader.js";
import type { Faults } from "../faults/faults.js";
import type { DirectiveAction } from "../tax-authority/audit.js";
import type { AuditOutcome } from "../tax-authority/direct-audits.js";
import type { Given } from "../world/given.js";
import type { CardRecord } from "./card-types.js";

export interface CardBench {
  readonly reader: Pick<EmulatedReader, "slot" | "remove" | "reset" | "unplug">;
  /** The card in the reader. */
  readonly card: EmulatedCard | undefined;
  /** Name of the card that is in the reader, or was the last one in it. */
  readonly cardName: string;
  readonly cardNames: readonly string[];
  readonly pinState: CardRecord["pin"];
  readonly faults: Faults;
  /** @throws RangeError where there is no card of that name */
  cardNamed(name: string): EmulatedCard;
  /** The card that was in last, or another one in its place. */
  insert(name?: string): Promise<void>;
  plug(): Promise<void>;
  /** The card in the reader was locked or unlocked: its PIN session ends. */
  lockChanged(): Promise<void>;
  /** Sum or counter of the card were set: an authority that is there takes them for how the card stands now. */
  amountsSet?(): void;
  /** Programs that use the card forget what it has refused. */
  refresh(): Promise<void>;
  /** Counter of the last invoice of a card in a store that belongs to it. */
  lastCounter(uid: string): number | undefined;
  audit(): Promise<AuditOutcome>;
  startAudit(): Promise<BytesOutcome>;
  endAudit(): Promise<AuditOutcome>;
  directive(action: DirectiveAction): Promise<BytesOutcome>;
  /** Back to the start. @param toFirst not to the last `given` */
  reset(toFirst?: boolean): Promise<void>;
  load(given: Given): Promise<void>;
}
