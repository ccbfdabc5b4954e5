/** What must never happen, by name. */
export const INVARIANTS = {
  oneThing: "One operation runs at a time, and its result belongs to it.",
  accounted: "At rest, each signature has exactly one stored answer, or it is reported, in doubt or held in memory.",
  signedOnce: "No RequestId is signed twice.",
  answer: "An answer is durable, proven, of this sale, and the same each time.",
  truth: "A POS that gets the reply `not signed` can rely on it.",
  waits: "At rest, no POS waits.",
  ends: "Without further trouble, everything that was begun ends.",
  oneDoubt: "While a sale is in doubt, only a Training receipt is put to that card.",
  deadEnd: "After all trouble, sales go on and no sale stays in doubt.",
  left: "A POS that hung up before its intent was durable is not signed.",
  final: "A sale is given up only if the card cannot repeat its signature any more.",
  reported: "A counter that went back is reported.",
  covered: "A sale counts as audited only if the card has taken a proof that covers it.",
} as const;

export type Invariant = keyof typeof INVARIANTS;

export class Violation extends Error {
  constructor(
    readonly invariant: Invariant,
    message: string,
    /** The moves that led to it from the start. */
    readonly way: readonly string[] = [],
  ) {
    super(message);
  }

  /** An error of the machine itself counts as one. */
  static of(error: unknown, way: readonly string[] = []): Violation {
    if (error instanceof Violation) return new Violation(error.invariant, error.message, [...way, ...error.way]);
    return new Violation("oneThing", error instanceof Error ? error.message : String(error), way);
  }
}

export function must(holds: boolean, invariant: Invariant, message: string): asserts holds {
  if (!holds) throw new Violation(invariant, message);
}
