/** Steps of one sale: begin, signature, answer. */
import { isSettled, readLastInvoice } from "./comparison.js";
import { answerIn, cardOf, finish, hungUp, type Step, saleOf } from "./finish.js";
import { afterSigned } from "./settle.js";
import type { Card, Event, Fate, OpenIntent, Refusal, Reply, Signature, State, While, Write } from "./state.js";
import { wayOut } from "./way-out.js";

type EntryFound = Extract<Event, { kind: "looked-up" }>["entry"];
type NotSigned = Extract<Event, { kind: "not-signed" }>;
type Written = Extract<Event, { kind: "written" | "ledger-failed" }>;

/** Begins the sale at work. Asks for a comparison first if the card needs one. */
export function begin(state: State): Step {
  return beginWith(state, state.card && isSettled(state.card) ? state.card : undefined, false);
}

/** Begins the sale at work after the comparison of its turn. */
export function beginCompared(state: State): Step {
  // A repeat gets its answer even if no sale may begin.
  return obstacle(state) ? lookUp(state) : beginWith(state, cardOf(state), true);
}

function beginWith(state: State, card: Card | undefined, inTurn: boolean): Step {
  const sale = saleOf(state);
  if (sale.left) return finish(state, { kind: "left" });
  const on = card && { uid: card.uid, session: card.session };
  const amounts = card?.lastInvoiceCommand !== "works";
  return [{ ...state, doing: { kind: "beginning" } }, [{ kind: "begin", sale, on, inTurn, amounts }]];
}

/** Why the sale at work may not begin with the card that was compared. */
function obstacle(state: State): Reply | undefined {
  const card = cardOf(state);
  const [doubt] = card.open;
  const way = wayOut(card);
  const settlesByTraining = saleOf(state).isTraining && way === "training";
  if (!card.compared) return { kind: "not-signed", reason: "it could not be asked for its last invoice" };
  if (doubt && !settlesByTraining) return { kind: "blocked", by: doubt, wayOut: way };
  return undefined;
}

function lookUp(state: State, failed?: While<"looking-up">["failed"]): Step {
  const sale = saleOf(state);
  return [{ ...state, doing: { kind: "looking-up", failed } }, [{ kind: "look-up", sale }]];
}

export function lookedUp(state: State, entry: EntryFound, failed: While<"looking-up">["failed"]): Step {
  if (entry && entry.state !== "intent") return finish(state, { kind: "stored", entry });
  if (failed) return finish(state, ledgerFailed(failed.why, fateOf(state, entry)));
  if (!entry) return finish(state, obstacle(state));
  const reason = "the card has not said what became of it";
  return finish(state, { kind: "in-doubt", reason, wayOut: wayOut(state.card) });
}

function fateOf({ unwrittenFor, sale }: State, entry: EntryFound): Fate {
  if (sale?.requestId !== undefined && sale.requestId === unwrittenFor) return "signed";
  return entry ? "unknown" : "not-signed";
}

export function intentWritten(state: State, open: OpenIntent): Step {
  const { key, left } = saleOf(state);
  if (left) return withdraw(state, open, { kind: "left" });
  const { uid } = cardOf(state);
  return [{ ...state, doing: { kind: "signing", open } }, [{ kind: "sign", key, open, uid }]];
}

export function signed(state: State, open: OpenIntent, signature: Signature): Step {
  // Two sales may have the same 57 bytes. If the card repeats its last answer, it has not signed this sale.
  const isNew = signature.bytes !== cardOf(state).lastBytes;
  const isProof = signature.proven && signature.header === open.header && isNew;
  if (!isProof) {
    return inDoubt(state, open, "the card's signature does not prove what it was asked to sign", {
      damaged: signature,
    });
  }
  const { card, writes } = afterSigned(cardOf(state), open, signature);
  const writing: State = { ...state, doing: { kind: "writing-answer", open, after: card, writes } };
  return withNext(writing, card, writes);
}

/**
 * Writes the answer. Writes the intent of the next sale in the same commit if that sale is the next work: nothing else
 * waits, and no sale is in doubt. A card that cannot repeat its last invoice must report its amounts before each
 * intent, so sales with such a card never share a commit.
 */
function withNext(writing: State, after: Card, writes: readonly Write[]): Step {
  const { toCompare, decisions, audits } = writing;
  const [ahead, ...queue] = writing.queue;
  const isFree = !toCompare && decisions.length === 0 && audits.length === 0;
  const isSettled = after.compared && after.lastInvoiceCommand === "works" && after.open.length === 0;
  if (!ahead || !isFree || !isSettled) return [writing, [{ kind: "write", writes }]];
  const { uid, session } = after;
  return [{ ...writing, ahead, queue }, [{ kind: "write", writes, ahead: { sale: ahead, uid, session } }]];
}

export function answerWritten(state: State, { open, after, writes }: While<"writing-answer">, event: Written): Step {
  const [stored, replies] =
    event.kind === "written"
      ? finish({ ...state, card: after }, answerIn(event))
      : finish(
          { ...state, card: after, unwritten: writes, unwrittenFor: open.requestId },
          ledgerFailed(event.why, "signed"),
        );
  const { ahead } = stored;
  const [next, effects] =
    event.kind === "written" && event.ahead && ahead
      ? intentWritten({ ...stored, ahead: undefined, sale: ahead }, event.ahead)
      : backInQueue(stored);
  return [next, [...replies, ...effects]];
}

/** Puts the next sale back into the queue, because its intent was not written. */
function backInQueue(state: State): Step {
  const { ahead } = state;
  if (!ahead) return [state, []];
  const queued: State = { ...state, ahead: undefined, queue: [ahead, ...state.queue] };
  return ahead.left ? hungUp(queued, ahead.key) : [queued, []];
}

/**
 * Withdraws a sale that was not signed because another applet was selected. The sale takes its turn once more, in a new
 * session of the card. Another program may have signed meanwhile, so the service compares card and ledger first.
 */
export function appletLost(state: State, open: OpenIntent): Step {
  if (saleOf(state).secondTry) return withdraw(state, open, { kind: "not-signed", reason: "another program uses it" });
  return withdraw(state, open, "again");
}

/** Handles a sale that the card may have signed: asks the card for its last invoice at once. */
export function inDoubt(
  state: State,
  open: OpenIntent,
  reason: string,
  { damaged, refusal }: { readonly damaged?: Signature; readonly refusal?: Refusal } = {},
): Step {
  const before = cardOf(state);
  const card: Card = { ...before, open: [...before.open, open] };
  return readLastInvoice({ ...state, card, inDoubt: { id: open.id, reason, refusal } }, damaged);
}

/**
 * Handles a refusal. A card or its driver may answer with the refusal of an earlier command although the card has
 * signed, so a card that can repeat its last invoice is asked first.
 */
export function refused(state: State, open: OpenIntent, { why, byCard, unsure }: NotSigned): Step {
  const { lastInvoiceCommand } = cardOf(state);
  return byCard && (lastInvoiceCommand === "works" || unsure)
    ? inDoubt(state, open, "the card refused it, which may be an old answer", { refusal: { why } })
    : withdraw(state, open, { kind: "refused", why });
}

/** Withdraws the intent of a sale that the card has not signed. */
function withdraw(state: State, open: OpenIntent, reply: Reply | "again"): Step {
  const write: Write = { kind: "abandon", id: open.id };
  return [{ ...state, doing: { kind: "withdrawing", open, reply } }, [{ kind: "write", writes: [write] }]];
}

export function withdrawn(state: State, { open, reply }: While<"withdrawing">, event: Written): Step {
  // If the write failed, remember that the card has not signed this sale.
  const unwritten: State["unwritten"] = event.kind === "written" ? state.unwritten : [{ kind: "abandon", id: open.id }];
  if (reply !== "again") return finish({ ...state, unwritten }, reply);
  return backToQueue({ ...state, unwritten, sale: { ...saleOf(state), secondTry: true } });
}

/** Puts the sale at work back to the front of the queue. */
export function backToQueue(state: State): Step {
  return backInQueue({ ...finish(state)[0], ahead: saleOf(state) });
}

/** Ends the current work because the ledger cannot be read or written. */
export function failed(state: State, why: unknown): Step {
  const { sale, doing } = state;
  if (!sale || state.inDoubt) return finish(state, ledgerFailed(why));
  if (doing.kind !== "looking-up") return lookUp(state, { why });
  return finish(state, ledgerFailed(why, doing.failed ? "not-looked-up" : "unknown"));
}

/** @param fate `unknown`: we do not know whether the card has signed */
export function ledgerFailed(why: unknown, fate: Fate = "unknown"): Reply {
  return { kind: "ledger-failed", why, fate };
}
