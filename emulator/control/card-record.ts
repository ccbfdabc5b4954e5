/** The card as the control interface shows and changes it. Amounts are decimal text, as in a profile. */
import { parseScaled, toDecimalText } from "../../src/fiscal/money.js";
import type { CardState } from "../card/card-state.js";
import { type CardProfile, PAIR_LETTERS, type PairLetters } from "../card/profile.js";
import type { CardBench } from "./card-bench.js";
import { ControlError } from "./errors.js";

export interface CardPatch {
  readonly pinTriesLeft?: number;
  readonly locked?: boolean;
  readonly disabled?: boolean;
  readonly sum?: string;
  readonly limit?: string;
  readonly counters?: { readonly total?: number } & { readonly [P in PairLetters]?: number };
}

export interface CardRecord {
  readonly reader: "plugged" | "unplugged";
  /** Whether the card is in the reader; otherwise it was the last one in it. */
  readonly inserted: boolean;
  readonly name: string;
  readonly uid: string;
  readonly taxpayer: Readonly<Record<string, string>>;
  /** What the service knows of the PIN, or why it has no card; of a published card what the card knows. */
  readonly pin: "required" | "verified" | "locked" | "no-card" | "unreachable" | "unsupported";
  readonly triesLeft: number;
  /** `total`, and each pair of types by its letters, such as NS. */
  readonly counters: Readonly<Record<string, number>>;
  /** Decimal text, signed since the last audit. */
  readonly sum: string;
  /** Decimal text, the sum that needs an audit. */
  readonly limit: string;
  readonly disabled: boolean;
  readonly appletVersion: string;
  /** Names of all cards of this world. */
  readonly cards: readonly string[];
}

export function cardRecord(bench: CardBench): CardRecord {
  const { profile, memory } = bench.cardNamed(bench.cardName);
  const state = memory.load();
  const pairs = PAIR_LETTERS.map((letters, i) => [letters, state.pairCounters[i] ?? 0] as const);
  return {
    reader: bench.reader.slot === "no-reader" ? "unplugged" : "plugged",
    inserted: bench.card !== undefined,
    name: bench.cardName,
    uid: profile.uid,
    taxpayer: { ...profile.taxpayer },
    pin: bench.pinState,
    triesLeft: state.pinTriesLeft,
    counters: { total: state.totalCounter, ...Object.fromEntries(pairs) },
    sum: toDecimalText(state.sum),
    limit: toDecimalText(state.limit),
    disabled: state.disabled,
    appletVersion: profile.appletVersion,
    cards: bench.cardNames,
  };
}

/** @throws ControlError where the patch contradicts itself */
export async function patchCard(bench: CardBench, patch: CardPatch): Promise<void> {
  const card = bench.cardNamed(bench.cardName);
  if (patch.locked !== undefined && patch.pinTriesLeft !== undefined && patch.locked !== (patch.pinTriesLeft === 0)) {
    throw new ControlError(400, "locked and pinTriesLeft contradict each other");
  }
  const stored = bench.lastCounter(card.profile.uid) ?? 0;
  if ((patch.counters?.total ?? stored) < stored) {
    // Numbers would come twice, and no card can tell of an invoice before its last.
    const advice = ["POST /control/reset and POST /control/given begin with an empty store"];
    throw new ControlError(400, `The store has invoices up to ${stored} of this card: no card counts back`, advice);
  }
  const wasLocked = card.memory.load().pinTriesLeft === 0;
  await card.alter((state) => patched(state, patch, card.profile));
  const isLocked = card.memory.load().pinTriesLeft === 0;
  if (bench.card && wasLocked !== isLocked) await bench.lockChanged();
  if (patch.sum !== undefined || patch.counters?.total !== undefined) bench.amountsSet?.();
  if (patch.disabled !== undefined || patch.counters !== undefined) await bench.refresh();
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
    // The proof of an audit that is open takes the old sum away from the new one.
    auditNonce: sum === undefined ? state.auditNonce : null,
  };
}

/** Another counter is another history: what the card has signed before, it cannot tell any more. */
function counted(total: number | undefined, { totalCounter }: CardState): Partial<CardState> {
  return total === undefined || total === totalCounter
    ? {}
    : { totalCounter: total, startCounter: total, lastAnswer: null };
}

function triesOf(locked: boolean | undefined, { pinTriesLeft }: CardState, pinTries: number): number {
  if (locked === true) return 0;
  return locked === false && pinTriesLeft === 0 ? pinTries : pinTriesLeft;
}
