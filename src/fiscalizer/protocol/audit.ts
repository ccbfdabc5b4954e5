/** One step of the tax authority's audit (protocol facts, section 8): Start Audit, or End Audit with a proof. */
import { obstacleText } from "./audit-obstacles.js";
import { compare } from "./comparison.js";
import { cardOf, finish, type Step } from "./finish.js";
import type { AuditTurn, AuditWrite, Event, ProofOutcome, Reply, State } from "./state.js";

type NotAudited = Extract<Reply, { kind: "not-audited" }>;
type Started = Extract<Event, { kind: "audit-started" }>;

/**
 * Begins a turn. Compares card and ledger before an audit, because an audit changes the sum, and the sum may be the
 * only thing that shows whether a sale in doubt was signed.
 */
export function beginTurn(state: State, turn: AuditTurn): Step {
  // A use of the PKI applet's key changes nothing that the ledger knows, so it needs no comparison.
  return turn.kind === "key" ? askCard(state, turn) : compare(state, turn);
}

export function askForAudit(state: State, turn: AuditTurn): Step {
  const { compared, open } = cardOf(state);
  if (!compared) return notAudited(state, "card", obstacleText("not-compared"));
  if (open.length > 0) return notAudited(state, "blocked", obstacleText("doubt"));
  return askCard(state, turn);
}

function askCard(state: State, turn: AuditTurn): Step {
  if (turn.kind === "key") return [{ ...state, doing: { kind: "using-key" } }, [{ kind: "use-key", task: turn.task }]];
  if (turn.kind === "start") {
    const { uid, session } = turn;
    return [{ ...state, doing: { kind: "starting-audit" } }, [{ kind: "start-audit", uid, session }]];
  }
  const write: AuditWrite = { kind: "proof-sent", id: turn.audit, proofSent: true };
  return [{ ...state, doing: { kind: "marking-proof" } }, [{ kind: "write-audit", write }]];
}

/** Records the started audit. The card has signed nothing since the start, so it covers up to the newest entry. */
export function auditStarted(state: State, { request, amounts, newest }: Started): Step {
  const { uid } = turnOf(state);
  return writeAudit(state, { kind: "started", uid, request, amounts, covers: newest }, { kind: "audited" });
}

/** Sends the proof to the card. The disk already has the record that a proof is sent. */
export function putProof(state: State): Step {
  const { uid, session, proof } = endingOf(state);
  return [{ ...state, doing: { kind: "ending-audit" } }, [{ kind: "end-audit", proof, uid, session }]];
}

export function proofAnswered(state: State, answer: ProofOutcome): Step {
  const { audit: id, proofSent } = endingOf(state);
  const refused = (why: NotAudited["why"], reason: string, write: AuditWrite): Step =>
    writeAudit(state, write, { kind: "not-audited", why, reason });
  const forgetProof: AuditWrite = { kind: "proof-sent", id, proofSent: false };
  switch (answer.kind) {
    case "accepted":
      return ended(state, id);
    case "bad-proof":
      return refused("bad-proof", "the card refused the proof", forgetProof);
    case "no-audit-open":
      // Only an accepted proof closes an audit, so the card has accepted the earlier proof, whose answer was lost.
      if (proofSent) return ended(state, id);
      return refused("no-audit-open", "the card does not know this audit", { kind: "closed", id, outcome: "void" });
    case "not-sent":
      return proofSent ? notAudited(state, "card", answer.reason) : refused("card", answer.reason, forgetProof);
    case "unknown":
      return notAudited(state, "card", answer.reason);
  }
}

/** Records the end of an audit. Drops `watched`, because the audit has changed the sum. */
function ended(state: State, id: number): Step {
  const { card } = state;
  const stateAfter: State = { ...state, card: card && { ...card, watched: undefined } };
  return writeAudit(stateAfter, { kind: "closed", id, outcome: "ended" }, { kind: "audited" });
}

function writeAudit(state: State, write: AuditWrite, reply: Reply): Step {
  return [{ ...state, doing: { kind: "writing-audit", reply } }, [{ kind: "write-audit", write }]];
}

export function notAudited(state: State, why: NotAudited["why"], reason: string): Step {
  return finish(state, { kind: "not-audited", why, reason });
}

/** @throws Error on a bug in the protocol */
function turnOf({ audit }: State): AuditTurn {
  if (!audit) throw new Error("the protocol has no audit");
  return audit;
}

function endingOf(state: State): Extract<AuditTurn, { kind: "end" }> {
  const turn = turnOf(state);
  if (turn.kind !== "end") throw new Error("no audit is ended");
  return turn;
}
