/** Faults: what can go wrong, when and how. Scenario files and the control interface use these names. */
import { CARD_OPERATION_NAMES, type CardOperation } from "../../src/secure-element/apdu/instructions.js";

/** Names of operations of the store. Each name means all commits of the ledger that contain a change of that kind. */
const STORE_OPERATIONS = ["storeIntent", "storeAnswer", "storeOutcome", "storeCard", "storeReport"] as const;

export type StoreOperation = (typeof STORE_OPERATIONS)[number];

/** Operations that are not card commands: connecting, the commits, the answer to a sale. */
const OTHER_OPERATIONS = ["connect", ...STORE_OPERATIONS, "answer"] as const;

/** Name of an operation. `ins:` with a hexadecimal number, such as `ins:42`, names any instruction of the card. */
export type Operation = CardOperation | (typeof OTHER_OPERATIONS)[number] | `ins:${string}`;

export const OPERATIONS: readonly string[] = [...CARD_OPERATION_NAMES, ...OTHER_OPERATIONS];

/** `card publish` has no clock and no service: other programs use the card. */
export function worksOnPublishedCard({ on, kind }: Fault): boolean {
  return (on.startsWith("ins:") || CARD_OPERATION_NAMES.some((name) => name === on)) && kind !== "clockJump";
}

export const FAULT_PLACES = {
  card: { names: CARD_OPERATION_NAMES, described: "operations of the card" },
  connect: { names: ["connect"], described: "`connect`" },
  store: { names: STORE_OPERATIONS, described: "operations that begin with `store`" },
  answer: { names: ["answer"], described: "`answer`" },
} as const satisfies Record<string, { readonly names: readonly string[]; readonly described: string }>;

export type FaultPlace = keyof typeof FAULT_PLACES;

/** What a kind of fault does. @typeParam P a place @typeParam N a field that only some kinds have */
export interface FaultRule<P, N> {
  readonly meaning: string;
  /** The places where the fault has an effect. A fault without effect must not be reported as struck. */
  readonly strikes: readonly P[];
  readonly fields?: readonly N[];
  readonly required?: readonly N[];
}

export type FaultKindRule = FaultRule<FaultPlace, FaultField>;

export const FAULT_FIELDS = ["duration", "upTo", "statusWord", "bit"] as const;
export type FaultField = (typeof FAULT_FIELDS)[number];

const EVERYWHERE: readonly FaultPlace[] = ["card", "connect", "store", "answer"];

export const FAULT_KINDS = {
  latency: {
    meaning:
      "the operation takes `duration`, or a random time between `duration` and `upTo`; without both, as long as on a real card. On `answer`, the whole answer waits",
    strikes: EVERYWHERE,
    fields: ["duration", "upTo"],
  },
  statusWord: {
    meaning: "the card answers `statusWord` without executing the command",
    strikes: ["card"],
    fields: ["statusWord"],
    required: ["statusWord"],
  },
  staleStatusWord: {
    meaning: "the card executes the command and answers `statusWord`, like a card that repeats an old answer",
    strikes: ["card"],
    fields: ["statusWord"],
    required: ["statusWord"],
  },
  garbage: { meaning: "the card executes the command and answers with random bytes", strikes: ["card"] },
  bitFlip: {
    meaning:
      "the card executes the command, and one bit of its answer is wrong: number `bit`, counted from 0. If the answer has fewer bits, counting continues from its beginning. The status word is part of the answer",
    strikes: ["card"],
    fields: ["bit"],
    required: ["bit"],
  },
  short: {
    meaning:
      "the card executes the command and its answer breaks off; on `answer`, the connection breaks in the middle of the body, although Content-Length announced all of it",
    strikes: ["card", "answer"],
  },
  noAnswer: { meaning: "the card executes the command and never answers", strikes: ["card", "connect"] },
  removedBefore: { meaning: "the card is pulled out before it executes the command", strikes: ["card", "connect"] },
  removedAfter: {
    meaning: "the card is pulled out after it has executed the command, before its answer arrives",
    strikes: ["card", "connect"],
  },
  readerLost: { meaning: "the reader is unplugged", strikes: ["card", "connect"] },
  connectionDropped: {
    meaning: "the connection to the till breaks before any of the answer is sent",
    strikes: ["answer"],
  },
  trickle: {
    meaning: "the answer's bytes arrive a few at a time, all within `duration`",
    strikes: ["answer"],
    fields: ["duration"],
    required: ["duration"],
  },
  diskFull: { meaning: "the disk is full", strikes: ["store"] },
  diskReadOnly: { meaning: "the disk is read-only", strikes: ["store"] },
  diskError: { meaning: "the disk fails to write", strikes: ["store"] },
  clockJump: {
    meaning: "the clock jumps by `duration`, backwards with a minus",
    strikes: EVERYWHERE,
    fields: ["duration"],
    required: ["duration"],
  },
} as const satisfies Record<string, FaultKindRule>;

export type FaultKind = keyof typeof FAULT_KINDS;

export interface Fault {
  readonly on: Operation;
  readonly kind: FaultKind;
  /** Strikes only the n-th operation since the fault was set. Default: the fault strikes every operation. */
  readonly nth?: number;
  /** Fields of the request that causes the operation; each a value, a part of an object, or a matcher. Default: any request. */
  readonly where?: FaultWhere;
  /** Probability with which the fault strikes, from 0 to 1; the seed decides. Default: the fault always strikes. */
  readonly probability?: number;
  /** Duration, such as `40s`, `500ms` or `1h30m`. */
  readonly duration?: string;
  readonly upTo?: string;
  /** Status word, four hexadecimal digits. */
  readonly statusWord?: string;
  /** Number of the bit, from 0, most significant first. */
  readonly bit?: number;
}

/** `invoice` is the posted invoice in the interface's own spelling; `repeat`: whether its RequestId came before. */
export type FaultWhere = Partial<Record<"method" | "path" | "requestId" | "body" | "invoice" | "repeat", unknown>>;

/** Describes for people what a request must have: `invoice items name TEST-2210, repeat false`. */
export function whereText(where: unknown): string {
  if (typeof where !== "object" || where === null) return String(where);
  const parts = Object.entries(where).map(([name, value]) =>
    [/^[$\d]/.test(name) ? [] : name, whereText(value)].flat().join(" "),
  );
  return parts.join(", ");
}

/** A fault that is set, with its counts. @typeParam F a fault of the emulator or of the proxy */
export type SetOf<F> = F & {
  readonly id: number;
  /** How many matching operations there were since the fault was set. */
  readonly seen: number;
  readonly struck: number;
};

export type SetFault = SetOf<Fault>;
