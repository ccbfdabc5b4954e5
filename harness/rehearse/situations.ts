/** The situations that a POS must survive. A person sets up each with one click, or `--drive` all of them. */
import type { WorldStep } from "../../emulator/world/step-types.js";

export interface Situation {
  readonly id: string;
  /** What happens in the situation, for people. */
  readonly text: string;
  /** What a person does in the POS in this situation. */
  readonly todo: string;
  /** Ids of the rules that the situation can show. */
  readonly rules: readonly string[];
  readonly steps: readonly WorldStep[];
  /** How the POS gets out of the situation: with a receipt, or with a refused invoice. */
  readonly ends: "receipt" | "refusal";
}

export const SITUATIONS: readonly Situation[] = [
  {
    id: "lose-answer",
    text: "The answer to the next sale gets lost; the card signs it.",
    todo: "Sell once, and wait until the POS has the receipt.",
    rules: ["FORB-001-LOST"],
    steps: [{ faults: [{ on: "answer", nth: 1, kind: "connectionDropped" }] }],
    ends: "receipt",
  },
  {
    id: "refuse-sale",
    text: "The next sale is refused because the disk is full; nothing is signed.",
    todo: "Sell once. The POS must not print. Let it finish the sale.",
    rules: ["FORB-001-ERROR"],
    steps: [{ faults: [{ on: "storeIntent", nth: 1, kind: "diskFull" }] }],
    ends: "receipt",
  },
  {
    id: "card-fails",
    text: "The card fails at the next sale (2220).",
    todo: "Sell once. The POS must not print. Let it finish the sale.",
    rules: ["FORB-001-ERROR"],
    steps: [{ faults: [{ on: "sign", nth: 1, kind: "statusWord", statusWord: "6999" }] }],
    ends: "receipt",
  },
  {
    id: "slow-answer",
    text: "The answer to the next sale takes 10 seconds.",
    todo: "Sell once. The POS must wait, or repeat the sale with the same RequestId.",
    rules: ["FORB-001-LOST"],
    steps: [{ faults: [{ on: "answer", nth: 1, kind: "latency", duration: "10s" }] }],
    ends: "receipt",
  },
  {
    id: "pull-card",
    text: "The card is pulled out of the reader.",
    todo: "Sell once. The POS must say that the card is missing, and must not print.",
    rules: ["OPS-002-PIN"],
    steps: [{ card: "remove" }],
    ends: "refusal",
  },
  {
    id: "insert-card",
    text: "The card is inserted again; its PIN is needed.",
    todo: "Enter the PIN when the POS asks for it, and finish the sale.",
    rules: ["OPS-002-PIN", "FORB-001-ERROR"],
    steps: [{ card: "insert" }],
    ends: "receipt",
  },
  {
    id: "change-labels",
    text: "The tax labels change: the authority sends others.",
    todo: "Sell once. The POS must read the labels again (status), and must not send an old one.",
    rules: ["TAX-001"],
    steps: [{ authority: { configure: "cyrillic" } }, { authority: "talk" }],
    ends: "receipt",
  },
  {
    id: "restart-service",
    text: "The service ends as in a power cut, and starts again.",
    todo: "Sell once. Enter the PIN if the POS asks for it.",
    rules: ["OPS-002-PIN"],
    steps: [{ service: "kill" }],
    ends: "receipt",
  },
];
