/**
 * The life of a sale between POS, queue, ledger and card, as data. `step.ts` moves it on. Nothing here does
 * input or output, reads a clock or waits: the interpreter runs the effects and reports each result as one event.
 *
 * The way through this folder: `State`, `Event` and `Effect` here; then `step.ts`, which sends each event to its function;
 * `sale.ts` for a sale that goes well; `comparison.ts` and `settle.ts` for one that does not. `rules.ts` names what must hold.
 */
import type { Rule } from "./rules.js";

/** A POS that wants a receipt. The invoice itself stays with the interpreter. */
export interface Sale {
  /** Names the request of the POS. */
  readonly key: number;
  readonly requestId: string | undefined;
  /** A Training receipt: its counter may settle a sale in doubt on a card that cannot repeat its last invoice. */
  readonly isTraining: boolean;
  /** The POS has hung up. */
  readonly left: boolean;
}

/** What the card signed since the last audit, and its limit; scaled by 10 000. */
export interface Amounts {
  readonly sum: bigint;
  readonly limit: bigint;
}

/** Header of a sale that is damaged in the ledger: it fits no signature. */
export const DAMAGED = "";

/** A sale whose intent is in the ledger. */
export interface Open {
  /** In the ledger. */
  readonly id: number;
  readonly requestId: string | undefined;
  /** The 57 bytes that the card signs, in hexadecimal; the time in them makes them one invoice's. */
  readonly header: string;
  /** Type of invoice and of transaction: whether it adds to the card's sum depends on both. */
  readonly kind: string;
  readonly amount: bigint;
  /** Read before the card was asked; only of a card that cannot repeat its last invoice. */
  readonly before: Amounts | undefined;
}

/** What the card said when it signed. */
export interface Signature {
  readonly totalCounter: number;
  readonly header: string;
  /** The whole answer in hexadecimal. */
  readonly bytes: string;
  /** Whether the card's certificate proves header and counters. */
  readonly proven: boolean;
}

/** What the ledger knows of a card. */
export interface CardFacts {
  readonly uid: string;
  /** Names the key pair of the card in the reader; undefined if it was just pulled. Two cards never have the same. */
  readonly key: string | undefined;
  /** Names the key pair of the card that the ledger knows under this UID; undefined for a card that is new to it. */
  readonly knownKey: string | undefined;
  /** The total counter that the ledger expects on the card. */
  readonly lastCounter: number;
  /** Answer of the card that the ledger has for that counter, and that its certificate proves. */
  readonly lastBytes: string | undefined;
  /** Answer that the ledger has for it instead, which nothing proves, though its 57 bytes are the sale's. */
  readonly lastUnproven?: string | undefined;
  /** Kinds that were seen to add to the sum. */
  readonly counting: readonly string[];
  /** In doubt, oldest first. More than one: in a store of an earlier version, or with a Training receipt. */
  readonly open: readonly Open[];
}

/** A card in one session: from its insertion, a reset or the start to its end. */
export interface Card extends CardFacts {
  readonly session: number;
  /** Whether card and ledger were compared in this session, as far as the card can. */
  readonly compared: boolean;
  /**
   * `last`: the card repeats its last invoice. `amounts`: it does not have that command; sum and limit decide.
   * `odd`: it has the command and answers nonsense. It is asked again before each sale.
   */
  readonly tells: "last" | "amounts" | "odd" | undefined;
  /** The last sale that was signed with its amounts read: the next one shows whether its kind counts. */
  readonly watched: { readonly kind: string; readonly expected: Amounts } | undefined;
}

/** What the ledger is to write, in one commit. */
export type Write =
  | { readonly write: "complete"; readonly id: number; readonly signature: Signature }
  /** `totalCounter`: the one that is due; nothing proves the one in the signature. */
  | {
      readonly write: "unproven";
      readonly uid: string;
      readonly id: number;
      readonly totalCounter: number;
      readonly signature: Signature;
    }
  | { readonly write: "abandon"; readonly id: number }
  | { readonly write: "lose"; readonly id: number; readonly totalCounter: number | undefined }
  /** Nothing where the ledger has these very bytes: a card may come back whose counter was thought to be gone. */
  | { readonly write: "adopt"; readonly uid: string; readonly signature: Signature }
  | {
      readonly write: "card";
      readonly uid: string;
      readonly key: string | undefined;
      readonly lastCounter: number;
      readonly counting: readonly string[];
    }
  | {
      readonly write: "report";
      readonly uid: string;
      readonly kind: "behind" | "back" | "swapped" | "lost" | "unproven" | "decided";
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly requestId: string | undefined;
    };

/**
 * What the tax authority's audit wants of a card. It waits for its turn as a sale does, and no sale is signed meanwhile.
 * - `start`: Start Audit. The audit covers what the ledger has at that moment.
 * - `end`: End Audit with a proof. `asked`: a proof was put to the card before, and its answer is not known.
 */
export type AuditTurn = {
  readonly key: number;
  readonly uid: string;
  readonly session: number;
} & (
  | { readonly turn: "start" }
  | { readonly turn: "end"; readonly audit: number; readonly covers: number; readonly asked: boolean }
);

/** What the ledger is to write of an audit. */
export type AuditWrite =
  | {
      readonly write: "started";
      readonly uid: string;
      /** What the card answered, in hexadecimal. */
      readonly request: string;
      readonly amounts: Amounts;
      /** Id of the newest entry that it covers. */
      readonly covers: number;
    }
  /** Before a proof is put to the card; false once the card has refused it. */
  | { readonly write: "asked"; readonly audit: number; readonly asked: boolean }
  /** `ended`: the card took the proof. `void`: the card knows nothing of this audit; it is started again. */
  | { readonly write: "closed"; readonly audit: number; readonly outcome: "ended" | "void"; readonly covers: number };

/** What the card said to a proof. */
export type ProofOutcome =
  | { readonly outcome: "accepted" }
  | { readonly outcome: "bad-proof" }
  | { readonly outcome: "no-audit-open" }
  /** It was never put to the card. */
  | { readonly outcome: "not-asked"; readonly reason: string }
  /** The exchange broke off: the card may have taken it. */
  | { readonly outcome: "unknown"; readonly reason: string };

/** What the protocol waits for; one thing at a time, so that at most one signature is ever in doubt. */
export type Doing =
  | { readonly doing: "nothing" }
  /** The gates: card, configuration, PIN. */
  | { readonly doing: "gates" }
  | { readonly doing: "writing-held" }
  | { readonly doing: "reading-card"; readonly session: number }
  /** @see Card.tells. `seen`: an unproven answer that the card gave before. */
  | { readonly doing: "asking-last"; readonly seen: Signature | undefined; readonly asked: number }
  | { readonly doing: "asking-amounts" }
  | { readonly doing: "writing-settled"; readonly after: Card; readonly writes: readonly Write[] }
  /** The sale may go on. */
  | { readonly doing: "compared" }
  /** `failed`: the ledger does not take what must come before the sale, but may still say what it has of it. */
  | { readonly doing: "looking-up"; readonly failed: { readonly why: unknown } | undefined }
  | { readonly doing: "asking-amounts-before" }
  | { readonly doing: "writing-intent" }
  | { readonly doing: "signing"; readonly open: Open }
  | { readonly doing: "writing-answer"; readonly open: Open; readonly after: Card; readonly writes: readonly Write[] }
  | { readonly doing: "withdrawing"; readonly open: Open; readonly reply: Reply }
  /** Whether the sale is still in doubt. */
  | { readonly doing: "deciding"; readonly decision: Decision }
  | { readonly doing: "writing-decision"; readonly key: number }
  | { readonly doing: "starting-audit" }
  | { readonly doing: "marking-proof" }
  | { readonly doing: "ending-audit" }
  /** The reply once it is written. */
  | { readonly doing: "writing-audit"; readonly reply: Reply };

export interface State {
  readonly doing: Doing;
  /** The sale that is being worked on. */
  readonly sale: Sale | undefined;
  /** The sale's own intent, once the card may have been asked. */
  readonly asked: { readonly id: number; readonly reason: string } | undefined;
  /** First come, first served. */
  readonly queue: readonly Sale[];
  /** The next sale, while its intent may be written in one commit with the answer before it. */
  readonly ahead: Sale | undefined;
  readonly card: Card | undefined;
  /** A card session whose card is to be compared with the ledger as soon as nothing else is under way. */
  readonly toCompare: { readonly uid: string; readonly session: number } | undefined;
  /** A person's decisions that wait for their turn. */
  readonly decisions: readonly Decision[];
  /** Steps of an audit that wait for their turn. */
  readonly audits: readonly AuditTurn[];
  /** The one that is being worked on. */
  readonly audit: AuditTurn | undefined;
  /** Facts that the ledger did not take: they come before anything else. */
  readonly held: readonly Write[];
  /** RequestId of the signed sale among them. */
  readonly heldFor: string | undefined;
  /** Switched off by an exploration, to see what it prevents. */
  readonly off: Rule | undefined;
}

/** A person says whether the card has signed a sale in doubt. The card is asked first, where it is there. */
export interface Decision {
  readonly key: number;
  /** Of the card that was asked. */
  readonly uid: string;
  readonly id: number;
  readonly signed: boolean;
}

/** What the POS, or the person, gets. */
export type Reply =
  /** Signed, and stored. */
  | { readonly reply: "answer"; readonly id: number }
  /** The ledger has an entry of this RequestId that is final: its answer, or why there is none. */
  | { readonly reply: "stored" }
  /** The card counted it, or may have, and there will be no receipt of it. */
  | { readonly reply: "no-receipt"; readonly state: "lost" | "unproven"; readonly totalCounter: number | undefined }
  /** The gates, the invoice or the card refused, and nothing was signed. */
  | { readonly reply: "refused"; readonly why: unknown }
  /** The POS hung up before its intent was written. */
  | { readonly reply: "left" }
  /** The exchange with the card broke off before it signed. */
  | { readonly reply: "not-signed"; readonly reason: string }
  /** The card may have signed this sale. */
  | { readonly reply: "in-doubt"; readonly reason: string; readonly tells: Card["tells"] }
  /** Another sale is in doubt, and signing now would hide what became of it. */
  | { readonly reply: "blocked"; readonly by: Open; readonly tells: Card["tells"] }
  /** The ledger failed. `signed`: the card has signed this very sale, and it is held in memory. */
  | { readonly reply: "ledger-failed"; readonly why: unknown; readonly fate: "not-signed" | "signed" | "unknown" }
  | { readonly reply: "decided" }
  /** No such sale is in doubt. */
  | { readonly reply: "nothing-to-decide" }
  /** The card has started the audit, or taken the proof, and the ledger knows it. */
  | { readonly reply: "audited" }
  /** The card did not; nothing has changed. */
  | {
      readonly reply: "not-audited";
      readonly why: "blocked" | "bad-proof" | "no-audit-open" | "card";
      readonly reason: string;
    };

/** All but `reply` are answered by exactly one event. */
export type Effect =
  | { readonly effect: "pass-gates"; readonly key: number }
  | { readonly effect: "read-card"; readonly uid: string }
  | { readonly effect: "ask-last"; readonly uid: string }
  | { readonly effect: "ask-amounts"; readonly uid: string }
  | { readonly effect: "look-up"; readonly key: number }
  /** Refused where another card is there by now. */
  | {
      readonly effect: "write-intent";
      readonly key: number;
      readonly uid: string;
      readonly before: Amounts | undefined;
    }
  | { readonly effect: "sign"; readonly key: number; readonly id: number; readonly uid: string }
  /** `ahead`: the intent of that sale goes along in the same commit, if it can be made for this card in this session. */
  | {
      readonly effect: "write";
      readonly writes: readonly Write[];
      readonly ahead?: { readonly key: number; readonly uid: string; readonly session: number } | undefined;
    }
  /** With sum and limit, and the newest entry of the ledger. */
  | { readonly effect: "start-audit"; readonly uid: string; readonly session: number }
  | { readonly effect: "end-audit"; readonly key: number; readonly uid: string; readonly session: number }
  | { readonly effect: "write-audit"; readonly write: AuditWrite }
  | { readonly effect: "reply"; readonly key: number; readonly reply: Reply };

/** What the card says of its last invoice. */
export type Told =
  | { readonly told: "signature"; readonly signature: Signature }
  | { readonly told: "nothing-signed" }
  /** The card does not have the command. */
  | { readonly told: "no-command" }
  | { readonly told: "odd"; readonly reason: string }
  /** No card, another card, no PIN. */
  | { readonly told: "not-reached"; readonly reason: string };

export type Event =
  | { readonly event: "posted"; readonly sale: Sale }
  | { readonly event: "left"; readonly key: number }
  /** A right PIN, or somebody who asks for a sale in doubt. */
  | { readonly event: "card-ready"; readonly uid: string; readonly session: number }
  | { readonly event: "decided"; readonly decision: Decision }
  | { readonly event: "audit"; readonly audit: AuditTurn }
  /** `newest`: id of the newest entry that the ledger has of this card. */
  | { readonly event: "audit-started"; readonly request: string; readonly amounts: Amounts; readonly newest: number }
  | { readonly event: "audit-not-started"; readonly reason: string }
  | { readonly event: "proof-answered"; readonly answer: ProofOutcome }
  /** The disk may have room again. */
  | { readonly event: "write-held" }
  | { readonly event: "gates-passed"; readonly uid: string; readonly session: number }
  | { readonly event: "refused"; readonly why: unknown }
  | ({ readonly event: "card-read" } & CardFacts)
  | { readonly event: "last-told"; readonly told: Told }
  /** Undefined where the card did not say. */
  | { readonly event: "amounts-told"; readonly amounts: Amounts | undefined }
  | { readonly event: "looked-up"; readonly found: "nothing" | "open" | "final" }
  | { readonly event: "intent-written"; readonly open: Open }
  /** `ahead`: the intent that went along. */
  | { readonly event: "written"; readonly ahead?: Open | undefined }
  | { readonly event: "ledger-failed"; readonly why: unknown }
  | { readonly event: "signed"; readonly signature: Signature }
  /** The card has said no, or was never reached: it has not signed. */
  | { readonly event: "not-signed"; readonly why: unknown }
  /** The exchange broke off: the card may have signed. */
  | { readonly event: "unknown"; readonly reason: string };

export const START: State = {
  doing: { doing: "nothing" },
  sale: undefined,
  asked: undefined,
  queue: [],
  ahead: undefined,
  card: undefined,
  toCompare: undefined,
  decisions: [],
  audits: [],
  audit: undefined,
  held: [],
  heldFor: undefined,
  off: undefined,
};
