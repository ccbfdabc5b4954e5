/** The tax authority's audit in the model: what may happen, how the card answers, and what must hold. */
import type { AuditTurn, Effect, ProofOutcome } from "../../src/fiscalizer/protocol/state.js";
import { faults, isThere, ledgerAfter, THROWS, thrown } from "./answers.js";
import { amountsOf, endAudit, startAudit } from "./card.js";
import { answered, dispatch } from "./dispatch.js";
import type { Move } from "./explore.js";
import { openAudit } from "./ledger.js";
import { must } from "./violation.js";
import { wordsOfAudit } from "./words.js";
import { asker, cardIn, type Setting, spend, type World, withPast } from "./world.js";

type OfAudit = Extract<Effect, { kind: "start-audit" | "end-audit" | "write-audit" }>;
type AtCard = Exclude<OfAudit, { kind: "write-audit" }>;

const AUDIT = 2_000;
const WRONG = "wrong";
/** The model itself keeps what the proof is for, and what the key does. */
const PROOF = new Uint8Array();
const task = () => undefined;
const GONE = "the card is not there any more";

/** The service takes one step after the other. */
function isUnderWay({ machine }: World): boolean {
  return machine.audit !== undefined || machine.audits.length > 0;
}

export function auditsIn(setting: Setting, world: World): readonly Move<World>[] {
  const { may, pin } = world;
  if (isUnderWay(world)) return [];
  const keys = may.keys > 0 ? [useKey(setting, spend(world, "keys"))] : [];
  return [...keys, ...(pin ? startsAndProofs(setting, world) : [])];
}

function turnIn(world: World) {
  return { ...asker(AUDIT), uid: cardIn(world).uid, session: world.session };
}

function useKey(setting: Setting, world: World): Move<World> {
  const turn = { ...turnIn(world), kind: "key", salesFirst: 1, task } as const;
  return { words: "a token is needed", to: () => dispatch(setting, world, { kind: "audit", audit: turn }) };
}

function startsAndProofs(setting: Setting, world: World): readonly Move<World>[] {
  const { may } = world;
  const starts = may.audits > 0 ? [start(setting, spend(world, "audits"))] : [];
  if (may.proofs === 0) return starts;
  const proofs = [true, false].map((isRight) => prove(setting, spend(world, "proofs"), isRight));
  return [...starts, ...proofs.filter((move) => move !== undefined)];
}

function start(setting: Setting, world: World): Move<World> {
  const turn = { ...turnIn(world), kind: "start" } as const;
  return { words: "an audit begins", to: () => dispatch(setting, world, { kind: "audit", audit: turn }) };
}

/** The authority sends a proof for the audit in the ledger. */
function prove(setting: Setting, world: World, isRight: boolean): Move<World> | undefined {
  const index = openAudit(world.ledger, cardIn(world).uid);
  const audit = world.ledger.audits[index ?? -1];
  if (index === undefined || !audit) return undefined;
  const { proofSent } = audit;
  const turn: AuditTurn = { ...turnIn(world), kind: "end", audit: index, proofSent, proof: PROOF };
  return {
    words: isRight ? "the proof of audit comes" : "a wrong proof of audit comes",
    to: () => dispatch(setting, { ...world, proof: isRight ? audit.request : WRONG }, { kind: "audit", audit: turn }),
  };
}

export function answersToAudit(setting: Setting, world: World, effect: OfAudit): readonly Move<World>[] {
  if (effect.kind === "write-audit") return [write(setting, world, effect)];
  const after = cardAfterAudit(world, effect);
  if (!after) return [{ words: GONE, to: () => broken(setting, world, effect, GONE, "not-sent") }];
  const struck = spend(world, "cardFaults");
  return [
    { words: after.words, to: () => after.answer(setting, after.world) },
    ...faults(setting, world, "fails", "signs and fails", "throws").map((fault): Move<World> => {
      if (fault === "throws") {
        const to = () => thrown(setting, spend(after.world, "cardFaults"), effect);
        return { words: `${after.words}, ${THROWS}`, to };
      }
      const from = fault === "fails" ? struck : spend(after.world, "cardFaults");
      const words = fault === "fails" ? "the card breaks off before it" : `${after.words}, and its answer is lost`;
      return { words, to: () => broken(setting, from, effect, "the card broke off", "unknown") };
    }),
  ];
}

/** @param kind `unknown` if the card may have acted */
function broken(setting: Setting, world: World, effect: AtCard, reason: string, kind: "not-sent" | "unknown"): World {
  return effect.kind === "start-audit"
    ? answered(setting, world, { kind: "audit-not-started", reason })
    : answered(setting, world, { kind: "proof-answered", answer: { kind, reason } });
}

interface AfterAudit {
  readonly words: string;
  readonly world: World;
  readonly answer: (setting: Setting, world: World) => World;
}

/** The card after the command; undefined when it is gone. */
export function cardAfterAudit(world: World, { kind: effect, uid }: AtCard): AfterAudit | undefined {
  if (!isThere(world, uid)) return undefined;
  return effect === "start-audit" ? afterStart(world) : afterProof(world);
}

function afterStart(world: World): AfterAudit {
  const card = startAudit(cardIn(world));
  const { request } = card.audit;
  return {
    words: "the card starts an audit",
    world: { ...world, cards: world.cards.with(world.inserted, card) },
    answer: (setting, from) => {
      const newest = from.ledger.entries.length;
      return answered(setting, from, { kind: "audit-started", request, amounts: amountsOf(card), newest });
    },
  };
}

function afterProof(world: World): AfterAudit {
  const { proof } = world;
  const { audit, name } = cardIn(world);
  const outcome = !audit ? "no-audit-open" : proof === audit.request ? "accepted" : "bad-proof";
  const answer: ProofOutcome = { kind: outcome };
  const proven = { ...world.past.proven, [`${name} ${proof}`]: audit?.counter ?? 0 };
  const taken: World = { ...world, cards: world.cards.with(world.inserted, endAudit(cardIn(world))) };
  return {
    words: { accepted: "the card takes the proof", "bad-proof": "the card refuses it", "no-audit-open": NO_AUDIT }[
      outcome
    ],
    world: outcome === "accepted" ? withPast(taken, { proven }) : world,
    answer: (setting, from) => answered(setting, { ...from, proof: undefined }, { kind: "proof-answered", answer }),
  };
}

const NO_AUDIT = "the card knows of no audit";

function write(setting: Setting, world: World, effect: Extract<OfAudit, { kind: "write-audit" }>): Move<World> {
  const to = (): World => {
    if (effect.write.kind === "closed" && effect.write.outcome === "ended") requireCovered(world, effect.write.id);
    return answered(setting, { ...world, ledger: ledgerAfter(setting, world, effect) }, { kind: "written" });
  };
  return { words: wordsOfAudit(effect.write), to };
}

/** Checks the entries that are dropped as proven. */
function requireCovered({ ledger, past }: World, audit: number): void {
  const record = ledger.audits[audit];
  const dropped = ledger.entries
    .slice(0, record?.covers)
    .filter(({ uid, state }) => uid === record?.uid && state === "complete");
  for (const { bytes, requestId } of dropped) {
    const made = past.signed.find((signature) => signature.bytes === bytes);
    const provenTo = past.proven[`${made?.card} ${record?.request}`] ?? 0;
    must(
      made !== undefined && made.counter <= provenTo,
      "covered",
      `${requestId} counts as audited, and no proof covers it`,
    );
  }
}

/** When everything else is over, an open audit comes to its end. */
export function nextOfAudit(setting: Setting, world: World): Move<World> | undefined {
  const { uid, audit: atCard } = cardIn(world);
  const index = openAudit(world.ledger, uid);
  const audit = world.ledger.audits[index ?? -1];
  if (!audit) return undefined;
  const mayEnd = atCard?.request === audit.request || audit.proofSent || atCard === undefined;
  return mayEnd ? prove(setting, world, true) : start(setting, world);
}

/** An audit must not be given up after the card accepted its proof. */
export function requireNoneGivenUp({ ledger, past, ...world }: World): void {
  const { name, uid } = cardIn({ ledger, past, ...world });
  const given = ledger.audits.find(
    (audit) => audit.uid === uid && audit.outcome === "void" && past.proven[`${name} ${audit.request}`] !== undefined,
  );
  must(given === undefined, "deadEnd", "an audit is given up, and the card has taken its proof");
}
