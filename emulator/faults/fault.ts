/** What can go wrong, when and how: the words of scenario files and of the control interface. */
import { INS } from "../../src/secure-element/apdu/instructions.js";

/** Operations of the card by their instruction. */
const CARD_OPERATIONS = {
  select: INS.SELECT,
  certificate: INS.EXPORT_CERTIFICATE,
  taxAuthorityKey: INS.EXPORT_TAX_AUTHORITY_KEY,
  version: INS.VERSION,
  verifyPin: INS.VERIFY_PIN,
  exportInternalData: INS.EXPORT_INTERNAL_DATA,
  sign: INS.SIGN_INVOICE,
  amountStatus: INS.AMOUNT_STATUS,
  lastSigned: INS.LAST_SIGNED_INVOICE,
  pinTriesLeft: INS.PIN_TRIES_LEFT,
  endAudit: INS.END_AUDIT,
  startAudit: INS.START_AUDIT,
  directive: INS.DIRECTIVE,
} as const;

export type CardOperation = keyof typeof CARD_OPERATIONS;

export const CARD_OPERATION_NAMES = Object.keys(CARD_OPERATIONS) as CardOperation[];

/** Commits of the ledger with a change of a kind. */
const STORE_OPERATIONS = ["storeIntent", "storeAnswer", "storeOutcome", "storeCard", "storeReport"] as const;

export type StoreOperation = (typeof STORE_OPERATIONS)[number];

/** Operations outside of the card: connecting to it, the commits, the answer to the till. */
const OTHER_OPERATIONS = ["connect", ...STORE_OPERATIONS, "answer"] as const;

/** `ins:42` is any instruction by its hexadecimal number. */
export type Operation = CardOperation | (typeof OTHER_OPERATIONS)[number] | `ins:${string}`;

export const OPERATIONS: readonly string[] = [...CARD_OPERATION_NAMES, ...OTHER_OPERATIONS];

/** The name of an instruction, for faults and for the journal. */
export function operationOf(ins: number): Operation {
  const known = CARD_OPERATION_NAMES.find((name) => CARD_OPERATIONS[name] === ins);
  return known ?? `ins:${ins.toString(16).toUpperCase().padStart(2, "0")}`;
}

/** Whether it strikes a card that is used without the emulator's service: it has no clock, and others connect to it. */
export function isOfCard({ on, kind }: Fault): boolean {
  return (on.startsWith("ins:") || CARD_OPERATION_NAMES.some((name) => name === on)) && kind !== "clockJump";
}

export const FAULT_KINDS = {
  latency: "the operation takes `ms`, or a time between `ms` and `upTo`, or, with neither, as long as a real card",
  statusWord: "the card answers `statusWord` and does nothing",
  garbage: "the card does it and answers with random bytes",
  short: "the card does it and its answer breaks off",
  noAnswer: "the card does it and never answers",
  removedBefore: "the card is pulled out before it does it",
  removedAfter: "the card is pulled out after it has done it, before its answer arrives",
  readerLost: "the reader is unplugged",
  connectionDropped: "the connection to the till breaks before the answer is sent; on `answer` only",
  diskFull: "the disk is full; on the operations that begin with `store` only",
  diskReadOnly: "the disk is read-only; on the operations that begin with `store` only",
  diskError: "the disk does not take what is written; on the operations that begin with `store` only",
  clockJump: "the clock jumps by `ms`, backwards where negative",
} as const;

export type FaultKind = keyof typeof FAULT_KINDS;

export interface Fault {
  readonly on: Operation;
  readonly kind: FaultKind;
  /** Only the n-th time from when the fault was added; every time where absent. */
  readonly nth?: number;
  /** 0 to 1, from the seed; always where absent. */
  readonly probability?: number;
  readonly ms?: number;
  readonly upTo?: number;
  /** Four hexadecimal digits. */
  readonly statusWord?: string;
}

export const FAULT_SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["on", "kind"],
  properties: {
    on: {
      type: "string",
      anyOf: [{ enum: OPERATIONS }, { pattern: "^ins:[0-9A-F]{2}$" }],
      description: `what goes wrong: ${OPERATIONS.join(", ")}, or ins: and an instruction in hexadecimal`,
    },
    kind: {
      enum: Object.keys(FAULT_KINDS),
      description: Object.entries(FAULT_KINDS)
        .map(([kind, meaning]) => `${kind}: ${meaning}`)
        .join("; "),
    },
    nth: { type: "integer", minimum: 1, description: "only the n-th time; every time where absent" },
    probability: { type: "number", minimum: 0, maximum: 1, description: "from the seed; always where absent" },
    ms: { type: "integer", description: "milliseconds of latency or of a clock jump" },
    upTo: { type: "integer", minimum: 0, description: "upper end of a range of latency, ms" },
    statusWord: { type: "string", pattern: "^[0-9A-F]{4}$", description: "for the kind statusWord" },
  },
  allOf: [
    requires("statusWord", ["statusWord"]),
    requires("clockJump", ["ms"]),
    only("connectionDropped", ["answer"]),
    only("diskFull", STORE_OPERATIONS),
    only("diskReadOnly", STORE_OPERATIONS),
    only("diskError", STORE_OPERATIONS),
  ],
} as const;

function requires(kind: FaultKind, fields: readonly string[]) {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: ofKind(kind), then: { required: fields } };
}

function only(kind: FaultKind, operations: readonly string[]) {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: ofKind(kind), then: { properties: { on: { enum: operations } } } };
}

/** Where no kind is said at all, that alone is wrong. */
function ofKind(kind: FaultKind) {
  return { required: ["kind"], properties: { kind: { const: kind } } };
}
