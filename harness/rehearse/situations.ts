/** The situations that a POS must survive. A person sets up each with one click, or `--drive` all of them. */
import type { WorldStep } from "../../emulator/world/step-types.js";
import { textsOf } from "./texts.js";

interface UntoldSituation {
  readonly id: string;
  /** Ids of the rules that the situation can show. */
  readonly rules: readonly string[];
  readonly steps: readonly WorldStep[];
  /** How the POS gets out of the situation: with a receipt, or with a refused invoice. */
  readonly ends: "receipt" | "refusal";
}

const UNTOLD: readonly UntoldSituation[] = [
  {
    id: "lose-answer",
    rules: ["FORB-001-LOST"],
    steps: [{ faults: [{ on: "answer", nth: 1, kind: "connectionDropped" }] }],
    ends: "receipt",
  },
  {
    id: "refuse-sale",
    rules: ["FORB-001-ERROR"],
    steps: [{ faults: [{ on: "storeIntent", nth: 1, kind: "diskFull" }] }],
    ends: "receipt",
  },
  {
    id: "card-fails",
    rules: ["FORB-001-ERROR"],
    steps: [{ faults: [{ on: "sign", nth: 1, kind: "statusWord", statusWord: "6999" }] }],
    ends: "receipt",
  },
  {
    id: "slow-answer",
    rules: ["FORB-001-LOST"],
    steps: [{ faults: [{ on: "answer", nth: 1, kind: "latency", duration: "10s" }] }],
    ends: "receipt",
  },
  {
    id: "pull-card",
    rules: ["OPS-002-PIN"],
    steps: [{ card: "remove" }],
    ends: "refusal",
  },
  {
    id: "insert-card",
    rules: ["OPS-002-PIN", "FORB-001-ERROR"],
    steps: [{ card: "insert" }],
    ends: "receipt",
  },
  {
    id: "change-labels",
    rules: ["TAX-001"],
    steps: [{ authority: "new-labels" }],
    ends: "receipt",
  },
  {
    id: "restart-service",
    rules: ["OPS-002-PIN"],
    steps: [{ service: "kill" }],
    ends: "receipt",
  },
];

/** Each situation with what happens in it, and with what a person does then in the POS. */
export const SITUATIONS = UNTOLD.map((situation) => ({ ...situation, ...textsOf(situation.id, "english") }));
export type Situation = (typeof SITUATIONS)[number];
