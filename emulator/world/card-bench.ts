/** The cards that a control interface and the kit change: those of a world, or published ones. */

import { parseScaled, toDecimalText } from "../../src/fiscal/money.js";
import { CallError } from "../../src/http/call-errors.js";
import type { CardState } from "../card/card-state.js";
import type { EmulatedCard } from "../card/emulated-card.js";
import type { EmulatedReader } from "../card/emulated-reader.js";
import type { NamedCards } from "../card/named-cards.js";
import { PAIR_LETTERS } from "../card/pair-letters.js";
import type { CardProfile } from "../card/profile.js";
import type { Faults } from "../faults/fault-list.js";
import type { DirectAudits } from "../tax-authority/direct-audits.js";
import type { CardPatch, CardRecord } from "./card-types.js";

export interface CardBench {
  readonly reader: Pick<EmulatedReader, "slot" | "remove" | "reset" | "unplug">;
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
  /** Makes the service forget that the card refused something. Missing if the services run in other processes. */
  refresh?(): Promise<void>;
  /** Returns the counter of the card's last invoice in the store. Missing if the stores are of other processes. */
  lastCounter?(uid: string): number | undefined;
}

export function cardRecord(bench: CardBench): CardRecord {
  const { profile, memory } = bench.cards.named(bench.cards.current);
  const state = memory.load();
  const pairs = PAIR_LETTERS.map((letters, i) => [letters, state.pairCounters[i] ?? 0] as const);
  return {
    reader: bench.reader.slot === "no-reader" ? "unplugged" : "plugged",
    inserted: bench.card !== undefined,
    name: bench.cards.current,
    uid: profile.uid,
    taxpayer: { ...profile.taxpayer },
    pin: bench.pinState,
    pinTriesLeft: state.pinTriesLeft,
    counters: { total: state.totalCounter, ...Object.fromEntries(pairs) },
    sum: toDecimalText(state.sum),
    limit: toDecimalText(state.limit),
    disabled: state.disabled,
    appletVersion: profile.appletVersion,
    cards: bench.cards.names,
  };
}

/** Changes the card. @throws CallError if the patch contradicts itself or sets the total counter back */
export async function patchCard(bench: CardBench, patch: CardPatch): Promise<void> {
  const card = bench.cards.named(bench.cards.current);
  if (patch.locked !== undefined && patch.pinTriesLeft !== undefined && patch.locked !== (patch.pinTriesLeft === 0)) {
    throw new CallError(400, "locked and pinTriesLeft contradict each other");
  }
  const stored = bench.lastCounter?.(card.profile.uid) ?? 0;
  if ((patch.counters?.total ?? stored) < stored) {
    // With a lower counter, the store would get the same invoice numbers again. Real counters never go back.
    const advice = ["use POST /control/reset or POST /control/given to start with an empty store"];
    throw new CallError(400, `The store has this card's invoices up to ${stored}: the counter cannot go back`, advice);
  }
  const wasLocked = card.memory.load().pinTriesLeft === 0;
  await card.alter((state) => patched(state, patch, card.profile));
  const isLocked = card.memory.load().pinTriesLeft === 0;
  if (bench.card && wasLocked !== isLocked) await bench.lockChanged();
  if (patch.sum !== undefined || patch.counters?.total !== undefined) bench.amountsSet?.();
  if (patch.disabled !== undefined || patch.counters !== undefined) await bench.refresh?.();
}

function patched(state: CardState, patch: CardPatch, { pinTries }: CardProfile): CardState {
  const { pinTriesLeft = triesOf(patch.locked, state, pinTries), disabled, sum, limit, counters = {} } = patch;
  return {
    ...state,
    pinTriesLeft,
    disabled: disabled ?? state.disabled,
    sum: sum === undefined ? state.sum : parseScaled(sum),
    limit: limit === undefined ? state.limit : parseScaled(limit),
    ...counted(counters.total, state),
    pairCounters: PAIR_LETTERS.map((letters, i) => counters[letters] ?? state.pairCounters[i] ?? 0),
    // A new sum ends an open audit, because the proof of that audit would subtract the old sum.
    auditNonce: sum === undefined ? state.auditNonce : null,
  };
}

/** With a new total counter, the card cannot repeat an earlier answer: that has another counter. */
function counted(total: number | undefined, { totalCounter }: CardState): Partial<CardState> {
  return total === undefined || total === totalCounter
    ? {}
    : { totalCounter: total, startCounter: total, lastAnswer: null };
}

function triesOf(locked: boolean | undefined, { pinTriesLeft }: CardState, pinTries: number): number {
  if (locked === true) return 0;
  return locked === false && pinTriesLeft === 0 ? pinTries : pinTriesLeft;
}
