/** For each rule a change of the source that breaks it, and a small world in which the exploration must then find what the rule prevents. */
import { join } from "node:path";
import { build } from "vite";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { A, AMOUNTS, ahead, B, C, LAST, REFUND, sameHeader } from "./configurations.js";
import type { Rule } from "./rules.js";
import type { Invariant } from "./violation.js";
import type { Configuration, Protocol } from "./world.js";

export interface RuleOff {
  readonly finds: Invariant;
  readonly world: Omit<Configuration, "name">;
  /**
   * A file of src/fiscalizer/protocol, a text that occurs once in it, and the text that replaces it. The ledger keeps
   * `intentFirst`, and the service `lookUpInTurn` too, so the model breaks these.
   */
  readonly changes: readonly (readonly [file: string, text: string, replacement: string])[];
}

export const RULES_OFF: Readonly<Record<Rule, RuleOff>> = {
  intentFirst: {
    changes: [],
    finds: "signedOnce",
    world: { ...LAST, tills: [A], may: { posts: [2], kills: 1 } },
  },
  storeFirst: {
    changes: [
      [
        "sale.ts",
        "return withNext(writing, card, writes);",
        'return [{ ...writing, sale: undefined }, [{ kind: "reply", to: saleOf(state), reply: { kind: "answer", sold: { id: open.id, answer: signature.bytes } } }, { kind: "write", writes }]];',
      ],
    ],
    finds: "answer",
    world: { ...LAST, tills: [A], may: { posts: [1] } },
  },
  oneDoubt: {
    changes: [["sale.ts", "if (doubt && !settlesByTraining)", "if (false)"]],
    finds: "oneDoubt",
    world: { ...LAST, tills: [A, B], cardFaults: ["signs and fails", "away"], may: { posts: [1, 1], cardFaults: 3 } },
  },
  compareOnce: {
    changes: [
      [
        "comparison.ts",
        "return readLastInvoice({ ...state, card }, undefined);",
        "return card.open.length === 0 ? compared({ ...state, card: { ...card, compared: true } }) : readLastInvoice({ ...state, card }, undefined);",
      ],
    ],
    finds: "signedOnce",
    world: { ...LAST, tills: [A], may: { posts: [2], restores: 1 } },
  },
  lookUpInTurn: { changes: [], finds: "signedOnce", world: { ...LAST, tills: [A], may: { posts: [2], hangUps: 1 } } },
  proven: {
    changes: [
      ["sale.ts", "if (!isProof)", "if (false)"],
      ["settle.ts", 'answer.kind === "signature" && !answer.signature.proven', "false"],
      ["settle.ts", "if (signature.proven)", "if (true)"],
      ["settle.ts", "&& answer.signature.proven", ""],
    ],
    finds: "answer",
    world: { ...LAST, tills: [A], cardFaults: ["damaged"], may: { posts: [1], cardFaults: 1 } },
  },
  intentHeader: {
    changes: [["sale.ts", "signature.header === open.header", "true"]],
    finds: "accounted",
    world: { ...LAST, tills: [A, B, C], cardFaults: ["stale"], may: { posts: [1, 1, 1], cardFaults: 1 } },
  },
  askAgain: {
    changes: [["settle.ts", "reading.previous?.bytes === signature.bytes", "true"]],
    finds: "final",
    world: { ...LAST, tills: [A], cardFaults: ["damaged"], may: { posts: [1], cardFaults: 2 } },
  },
  sameHeader: {
    changes: [["settle.ts", "({ header }) => header === signature.header", "() => true"]],
    finds: "answer",
    world: { ...LAST, tills: [A], cardFaults: ["fails"], may: { posts: [1], cardFaults: 1, strangers: 1 } },
  },
  notStored: {
    changes: [
      ["settle.ts", "if (inDoubtSale && bytes !== lastBytes)", "if (inDoubtSale)"],
      ["sale.ts", "signature.bytes !== cardOf(state).lastBytes", "true"],
    ],
    finds: "accounted",
    world: { ...LAST, tills: sameHeader(A, B), cardFaults: ["fails"], may: { posts: [1, 1], cardFaults: 1 } },
  },
  gapLoses: {
    changes: [
      [
        "settlement.ts",
        "export function giveUpOpen(card: Card, from: number | undefined): Settled {",
        "export function giveUpOpen(card: Card, from: number | undefined): Settled { return withdrawOpen(card);",
      ],
    ],
    finds: "signedOnce",
    world: { ...LAST, tills: [A], may: { posts: [2], kills: 1, strangers: 1 } },
  },
  gapReported: {
    changes: [
      ["settle.ts", 'report(card, "behind", card.lastCounter + 1, totalCounter),', ""],
      ["settle.ts", "if (skipped > 0 && !explained)", "if (false)"],
    ],
    finds: "accounted",
    world: { ...LAST, tills: [A], may: { posts: [1], strangers: 1 } },
  },
  backReported: {
    changes: [
      ["settle.ts", '[report(card, "back", card.lastCounter, totalCounter)]', "[]"],
      ["settle.ts", "if (skipped < 0)", "if (false)"],
    ],
    finds: "reported",
    world: { ...LAST, tills: [A], others: ["older"], before: ahead, may: { posts: [1], swaps: 1 } },
  },
  swapReported: {
    changes: [["settle.ts", "const isSecond = key !== undefined", "const isSecond = false && key !== undefined"]],
    finds: "reported",
    world: { ...LAST, tills: [A], others: ["twin"], may: { posts: [1], swaps: 1 } },
  },
  heldFirst: {
    changes: [["sale.ts", "unwritten: writes", "unwritten: []"]],
    finds: "accounted",
    world: { ...LAST, tills: [A, B], may: { posts: [1, 1], diskFaults: 1, kills: 1 } },
  },
  refusalChecked: {
    changes: [["sale.ts", 'byCard && (lastInvoiceCommand === "works" || unsure)', "false"]],
    finds: "truth",
    world: { ...LAST, tills: [A], cardFaults: ["signs and refuses"], may: { posts: [2], cardFaults: 1 } },
  },
  refusedGoes: {
    changes: [
      [
        "sale.ts",
        'return [{ ...state, doing: { kind: "withdrawing", open, reply } }, [{ kind: "write", writes: [write] }]];',
        'return withdrawn(state, { kind: "withdrawing", open, reply }, { kind: "written" });',
      ],
    ],
    finds: "deadEnd",
    world: { ...AMOUNTS, tills: [A], cardFaults: ["refuses"], may: { posts: [1], cardFaults: 1 } },
  },
  leftNotSigned: {
    changes: [
      ["sale.ts", 'if (sale.left) return finish(state, { kind: "left" });', ""],
      ["sale.ts", 'if (left) return withdraw(state, open, { kind: "left" });', ""],
    ],
    finds: "left",
    world: { ...LAST, tills: [A], may: { posts: [1], hangUps: 1 } },
  },
  amountsBefore: {
    changes: [["sale.ts", 'card?.lastInvoiceCommand !== "works"', "false"]],
    finds: "deadEnd",
    world: { ...AMOUNTS, tills: [A], cardFaults: [], may: { posts: [1], kills: 1 } },
  },
  auditWaits: {
    changes: [["audit.ts", 'return turn.kind === "key" ?', "return true ?"]],
    finds: "signedOnce",
    world: {
      ...AMOUNTS,
      tills: [A, B, C],
      cardFaults: ["signs and fails", "no amounts"],
      may: { posts: [1, 1, 2], cardFaults: 2, audits: 1, proofs: 1 },
    },
  },
  coversAtStart: {
    changes: [["audit.ts", "covers: newest }", "covers: Number.MAX_SAFE_INTEGER }"]],
    finds: "covered",
    world: { ...LAST, tills: [A], may: { posts: [1], audits: 1, proofs: 1 } },
  },
  proofMarked: {
    changes: [
      [
        "audit.ts",
        'return [{ ...state, doing: { kind: "marking-proof" } }, [{ kind: "write-audit", write }]];',
        "return putProof(state);",
      ],
    ],
    finds: "deadEnd",
    world: { ...LAST, tills: [A], may: { posts: [1], audits: 1, proofs: 2, kills: 1 } },
  },
  proofTaken: {
    changes: [["audit.ts", 'case "bad-proof":', 'case "bad-proof": return ended(state, id);']],
    finds: "covered",
    world: { ...LAST, tills: [A], may: { posts: [1], audits: 1, proofs: 1 } },
  },
  countingOnly: {
    changes: [["amounts.ts", "card.counting.includes(inDoubtSale.kind)", "true"]],
    finds: "signedOnce",
    world: { ...AMOUNTS, tills: [REFUND], may: { posts: [2], kills: 1 } },
  },
};

const PROTOCOL = join(PACKAGE_ROOT, "src", "fiscalizer", "protocol");

/** The protocol of the sale without one of its rules. @throws Error if a text to change is not in its file exactly once */
export async function protocolWithout(rule: Rule): Promise<Protocol> {
  const { changes } = RULES_OFF[rule];
  const open = new Set(changes);
  const change = (source: string, id: string) => {
    let changed = source;
    for (const one of changes) {
      const [file, text, replacement] = one;
      if (id !== join(PROTOCOL, file)) continue;
      if (changed.split(text).length !== 2) throw new Error(`${file} does not have this text once: ${text}`);
      changed = changed.replace(text, () => replacement);
      open.delete(one);
    }
    return changed;
  };
  const built = await build({
    configFile: false,
    logLevel: "error",
    build: { write: false, minify: false, lib: { entry: join(PROTOCOL, "step.ts"), formats: ["es"] } },
    plugins: [{ name: "break-a-rule", enforce: "pre", transform: change }],
  });
  const [output] = [built].flat();
  if (!output || !("output" in output)) throw new Error("nothing was built");
  if (open.size > 0) throw new Error(`${rule}: the protocol has no ${[...open].map(([file]) => file).join(", ")}`);
  const { step } = (await import(`data:text/javascript,${encodeURIComponent(output.output[0].code)}`)) as Pick<
    Protocol,
    "step"
  >;
  return { step, broken: rule };
}
