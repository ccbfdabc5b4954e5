/** What must never happen, by name. */
export const INVARIANTS = {
  oneThing: "One thing is under way at a time, and its result fits.",
  accounted: "At rest each signature has exactly one stored answer, or is openly reported, in doubt or held.",
  signedOnce: "No RequestId is signed twice.",
  answer: "An answer is durable, proven, of this sale, and the same each time.",
  truth: "A POS that hears that nothing was signed hears the truth.",
  waits: "At rest no POS waits.",
  ends: "Undisturbed, everything comes to its end.",
  oneDoubt: "No sale is put to the card while another one is in doubt; a Training receipt may be.",
  deadEnd: "Whatever happened: once it is over, sales go on, and nothing stays in doubt.",
  left: "A POS that hung up before its intent was durable is not signed.",
  final: "A sale is given up only when the card cannot tell it any more.",
  reported: "A counter that went back is reported.",
} as const;

export type Invariant = keyof typeof INVARIANTS;

export class Violation extends Error {
  constructor(
    readonly invariant: Invariant,
    message: string,
    /** What was done to find it, after the world in which it was looked for. */
    readonly way: readonly string[] = [],
  ) {
    super(message);
  }

  /** An error of the machine itself is one too. */
  static of(error: unknown, way: readonly string[] = []): Violation {
    if (error instanceof Violation) return new Violation(error.invariant, error.message, [...way, ...error.way]);
    return new Violation("oneThing", error instanceof Error ? error.message : String(error), way);
  }
}

export function must(holds: boolean, invariant: Invariant, message: string): asserts holds {
  if (!holds) throw new Violation(invariant, message);
}
