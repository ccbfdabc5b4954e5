/** Chooses the next work: writes that failed, a card to compare, a person's decision, an audit, sales. */
import { beginTurn } from "./audit.js";
import { compare } from "./comparison.js";
import { finish, type Step } from "./finish.js";
import { begin, failed, ledgerFailed } from "./sale.js";
import { cardWrite, report } from "./settlement.js";
import type { AuditTurn, CardFacts, Decision, OpenIntent, State, Write } from "./state.js";

/**
 * Begins the next work that waits, in this order: writes that failed, a card to compare, a person's decision, an audit,
 * sales. Some sales go before a use of the card's key. @returns undefined if no work waits
 */
export function next(state: State): Step | undefined {
  const { toCompare, unwritten } = state;
  const [decision, ...decisions] = state.decisions;
  const [audit, ...audits] = state.audits;
  const [sale, ...queue] = state.queue;
  if (unwritten.length > 0 && (toCompare || decision || audit || sale)) return writeUnwritten(state);
  if (toCompare) return compare({ ...state, toCompare: undefined }, toCompare);
  if (decision) {
    const deciding: State = { ...state, decisions, doing: { kind: "deciding", decision } };
    return [deciding, [{ kind: "read-card", uid: decision.uid }]];
  }
  const waits = audit && sale && afterOneSale(audit);
  if (audit && !waits) return beginTurn({ ...state, audits, audit }, audit);
  if (!sale) return undefined;
  return begin({ ...state, queue, sale, audits: waits ? [waits, ...audits] : audits });
}

/** Returns the turn after one more sale went before it. @returns undefined if the turn comes before the next sale */
function afterOneSale(turn: AuditTurn): AuditTurn | undefined {
  if (turn.kind !== "key" || turn.salesFirst === 0) return undefined;
  return { ...turn, salesFirst: turn.salesFirst - 1 };
}

export function writeUnwritten(state: State): Step {
  return [{ ...state, doing: { kind: "writing-unwritten" } }, [{ kind: "write", writes: state.unwritten }]];
}

/** Ends the next work with an error, because the writes failed again and must come first. */
export function stillUnwritten(state: State, why: unknown): Step {
  const [decision, ...decisions] = state.decisions;
  const [audit, ...audits] = state.audits;
  const [sale, ...queue] = state.queue;
  if (state.toCompare) return finish({ ...state, toCompare: undefined });
  if (decision) return finish({ ...state, decisions, doing: { kind: "deciding", decision } }, ledgerFailed(why));
  if (audit) return finish({ ...state, audits, audit }, ledgerFailed(why));
  return failed({ ...state, queue, sale }, why);
}

/** Carries out a person's decision. @param card what the ledger knows about the card */
export function decide(state: State, decision: Decision, card: CardFacts): Step {
  const sale = card.open.find(({ id }) => id === decision.id);
  if (!sale) return finish(state, { kind: "nothing-to-decide" });
  const writes = writesOfDecision(card, sale, decision.signed);
  return [{ ...state, doing: { kind: "writing-decision", decision } }, [{ kind: "write", writes }]];
}

function writesOfDecision(card: CardFacts, { id, requestId }: OpenIntent, signed: boolean): readonly Write[] {
  if (!signed) return [{ kind: "abandon", id }, report(card, "decided", undefined, undefined, requestId)];
  const lastCounter = card.lastCounter + 1;
  return [
    { kind: "lose", id, totalCounter: lastCounter },
    cardWrite({ ...card, key: card.knownKey, lastCounter }),
    report(card, "decided", lastCounter, lastCounter, requestId),
  ];
}
