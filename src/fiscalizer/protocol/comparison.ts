/** Compares card and ledger and settles sales in doubt, before each sale and after a sale that broke off. */
import { answerIn, cardOf, finish, type Step } from "./finish.js";
import { type Reading, settleByLastInvoice } from "./settle.js";
import { cardWrite, type Settled } from "./settlement.js";
import type { Card, CardFacts, Event, LastInvoiceAnswer, Signature, State, Write } from "./state.js";
import { wayOut } from "./way-out.js";

/** Maximum number of attempts with a card that gives a different unproven answer each time. */
const MOST_ATTEMPTS = 3;

const COMPARING = [
  "writing-unwritten",
  "reading-card",
  "reading-last-invoice",
  "reading-amounts",
  "writing-settled",
] as const;

/** Whether card and ledger are being compared, or will be as soon as the current work has ended. */
export function isComparing({ doing, toCompare }: State): boolean {
  return toCompare !== undefined || COMPARING.some((kind) => kind === doing.kind);
}

/** Whether the card needs no comparison before the next sale of its session. */
export function isSettled({ compared, lastInvoiceCommand, open }: Card): boolean {
  return compared && lastInvoiceCommand !== "odd" && open.length === 0;
}

/** Starts the comparison, unless card and ledger were compared in this session and no sale is in doubt. */
export function compare(state: State, { uid, session }: { readonly uid: string; readonly session: number }): Step {
  const { card } = state;
  if (card?.uid === uid && card.session === session && isSettled(card)) return compared(state);
  return [{ ...state, doing: { kind: "reading-card", session } }, [{ kind: "read-card", uid }]];
}

function compared(state: State): Step {
  return state.sale || state.audit ? [{ ...state, doing: { kind: "compared" } }, []] : finish(state);
}

export function cardRead(state: State, session: number, facts: CardFacts): Step {
  const before = state.card?.uid === facts.uid && state.card.session === session ? state.card : undefined;
  const { lastInvoiceCommand, watched } = before ?? {};
  const card: Card = { ...facts, session, compared: before?.compared ?? false, lastInvoiceCommand, watched };
  return readLastInvoice({ ...state, card }, undefined);
}

/** Asks for the last invoice. @param previous an unproven answer that the card has just given */
export function readLastInvoice(state: State, previous: Signature | undefined, attempt = 1): Step {
  const { uid } = cardOf(state);
  return [
    { ...state, doing: { kind: "reading-last-invoice", previous, attempt } },
    [{ kind: "read-last-invoice", uid }],
  ];
}

export function lastInvoiceRead(state: State, reading: Reading, answer: LastInvoiceAnswer): Step {
  const after = settleByLastInvoice(cardOf(state), answer, reading);
  switch (after.kind) {
    case "settled":
      return writeSettled(state, after);
    case "read-amounts": {
      const { uid } = after.card;
      return [{ ...state, card: after.card, doing: { kind: "reading-amounts" } }, [{ kind: "read-amounts", uid }]];
    }
    case "read-again":
      return reading.attempt < MOST_ATTEMPTS
        ? readLastInvoice(state, after.previous, reading.attempt + 1)
        : lastInvoiceRead(state, reading, { kind: "odd", reason: "a different answer each time" });
  }
}

export function writeSettled(state: State, { card, writes: needed }: Settled): Step {
  // After a restore, also record that the card has said its counter.
  const isNews = card.restored === true && card.lastInvoiceCommand === "works";
  const writes = isNews && !needed.some(({ kind }) => kind === "card") ? [...needed, cardWrite(card)] : needed;
  if (writes.length === 0) return settled({ ...state, card }, writes, { kind: "written" });
  return [{ ...state, doing: { kind: "writing-settled", after: card, writes } }, [{ kind: "write", writes }]];
}

/** Continues after a comparison. It took place before a sale, or because the exchange of a sale broke off. */
export function settled(state: State, writes: readonly Write[], written: Extract<Event, { kind: "written" }>): Step {
  const { inDoubt } = state;
  if (!inDoubt) return compared(state);
  const { id, reason, refusal } = inDoubt;
  const own = writes.find((write) => "id" in write && write.id === id);
  switch (own?.kind) {
    case "complete":
      return finish(state, answerIn(written));
    case "abandon":
      return finish(state, refusal ? { kind: "refused", ...refusal } : { kind: "not-signed", reason });
    case "lose":
      return finish(state, { kind: "no-receipt", state: "lost", totalCounter: own.totalCounter });
    case "unproven":
      return finish(state, { kind: "no-receipt", state: "unproven", totalCounter: own.totalCounter });
    default:
      return finish(state, { kind: "in-doubt", reason, wayOut: wayOut(state.card), refused: refusal !== undefined });
  }
}
