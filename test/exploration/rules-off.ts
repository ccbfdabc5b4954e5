/** For each rule a small world in which the exploration must find what the rule prevents. */
import type { Rule } from "../../src/fiscalizer/protocol/rules.js";
import { A, AMOUNTS, ahead, B, LAST, REFUND, sameHeader } from "./configurations.js";
import type { Invariant } from "./violation.js";
import type { Configuration } from "./world.js";

export interface RuleOff {
  readonly finds: Invariant;
  readonly world: Omit<Configuration, "name">;
}

export const RULES_OFF: Readonly<Record<Rule, RuleOff>> = {
  intentFirst: { finds: "signedOnce", world: { ...LAST, tills: [A], may: { posts: [2], kills: 1 } } },
  storeFirst: { finds: "answer", world: { ...LAST, tills: [A], may: { posts: [1] } } },
  oneDoubt: {
    finds: "oneDoubt",
    world: { ...LAST, tills: [A, B], cardFaults: ["signs and fails", "away"], may: { posts: [1, 1], cardFaults: 3 } },
  },
  compareOnce: { finds: "signedOnce", world: { ...LAST, tills: [A], may: { posts: [2], restores: 1 } } },
  lookUpInTurn: { finds: "signedOnce", world: { ...LAST, tills: [A], may: { posts: [2], hangUps: 1 } } },
  proven: {
    finds: "answer",
    world: { ...LAST, tills: [A], cardFaults: ["damaged"], may: { posts: [1], cardFaults: 1 } },
  },
  askAgain: {
    finds: "final",
    world: { ...LAST, tills: [A], cardFaults: ["damaged"], may: { posts: [1], cardFaults: 2 } },
  },
  sameHeader: {
    finds: "answer",
    world: { ...LAST, tills: [A], cardFaults: ["fails"], may: { posts: [1], cardFaults: 1, strangers: 1 } },
  },
  notStored: {
    finds: "accounted",
    world: { ...LAST, tills: sameHeader(A, B), cardFaults: ["fails"], may: { posts: [1, 1], cardFaults: 1 } },
  },
  gapLoses: {
    finds: "signedOnce",
    world: { ...LAST, tills: [A], may: { posts: [2], kills: 1, strangers: 1 } },
  },
  gapReported: { finds: "accounted", world: { ...LAST, tills: [A], may: { posts: [1], strangers: 1 } } },
  backReported: {
    finds: "reported",
    world: { ...LAST, tills: [A], others: ["older"], before: ahead, may: { posts: [1], swaps: 1 } },
  },
  swapReported: {
    finds: "reported",
    world: { ...LAST, tills: [A], others: ["twin"], may: { posts: [1], swaps: 1 } },
  },
  heldFirst: {
    finds: "accounted",
    world: { ...LAST, tills: [A, B], may: { posts: [1, 1], diskFaults: 1, kills: 1 } },
  },
  refusedGoes: {
    finds: "deadEnd",
    world: { ...LAST, tills: [A], cardFaults: ["refuses"], may: { posts: [1], cardFaults: 1 } },
  },
  leftNotSigned: { finds: "left", world: { ...LAST, tills: [A], may: { posts: [1], hangUps: 1 } } },
  amountsBefore: { finds: "deadEnd", world: { ...AMOUNTS, tills: [A], cardFaults: [], may: { posts: [1], kills: 1 } } },
  auditWaits: {
    finds: "signedOnce",
    world: {
      ...AMOUNTS,
      tills: [A, B, { ...A, requestId: "order-3", amount: 30 }],
      cardFaults: ["signs and fails", "no amounts"],
      may: { posts: [1, 1, 2], cardFaults: 2, audits: 1, proofs: 1 },
    },
  },
  coversAtStart: { finds: "covered", world: { ...LAST, tills: [A], may: { posts: [1], audits: 1, proofs: 1 } } },
  proofMarked: {
    finds: "deadEnd",
    world: { ...LAST, tills: [A], may: { posts: [1], audits: 1, proofs: 2, kills: 1 } },
  },
  proofTaken: { finds: "covered", world: { ...LAST, tills: [A], may: { posts: [1], audits: 1, proofs: 1 } } },
  countingOnly: { finds: "signedOnce", world: { ...AMOUNTS, tills: [REFUND], may: { posts: [2], kills: 1 } } },
};
