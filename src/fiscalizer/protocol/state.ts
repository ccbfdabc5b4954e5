/**
 * The life of a sale between POS, queue, ledger and card, as data. `step.ts` computes the next state. No code in this
 * folder does input or output, reads a clock or waits: `sale-steps.ts` and `effects.ts` run the effects, and report each
 * result as an event.
 *
 * Read this folder in this order: `State`, `Event` and `Effect` in this file; `step.ts`, which sends each event to its
 * function; `sale.ts` for a sale that goes well; `comparison.ts` and `settle.ts` for a sale that does not. The rules
 * that must hold are in `test/exploration/rules.ts`. The test of the rules breaks each of them in turn.
 */
import type { Amounts } from "../../fiscal/limit.js";
import type { Intent } from "../../ledger/intent.js";
import type { Entry } from "../../ledger/ledger.js";
import type { WaitingSale } from "../make-intent.js";
import type { WayOut } from "./way-out.js";

/** A POS, a person or the service itself, who waits for a reply. */
export interface Asker {
  /** Number that identifies the question. */
  readonly key: number;
  /** Takes the reply. The protocol never calls it. */
  readonly resolve: (reply: Reply) => void;
}

export interface QueuedSale extends Asker {
  /** What the POS has posted. The protocol hands it on, and does not look into it. */
  readonly posted: WaitingSale;
  readonly requestId: string | undefined;
  /** The counter of a Training receipt may settle a sale in doubt if the card cannot repeat its last invoice. */
  readonly isTraining: boolean;
  /** Whether the POS has hung up. */
  readonly left: boolean;
  /** Whether the sale is tried once more, because another applet was selected when the card was asked to sign. */
  readonly secondTry?: true;
}

/** Header of a sale that is damaged in the ledger. This header fits no signature. */
export const DAMAGED = "";

/** A sale whose intent is in the ledger. */
export interface OpenIntent {
  readonly id: number;
  readonly requestId: string | undefined;
  /** What the receipt needs besides the card's signature; undefined if the entry is damaged. */
  readonly intent: Intent | undefined;
  /** The 57 bytes that the card signs, in hexadecimal. They contain the time in ms, and are rarely the same twice. */
  readonly header: string;
  /** Type of invoice and of transaction: both decide whether the sale adds to the card's sum. */
  readonly kind: string;
  readonly amount: bigint;
  /** Amounts that were read before the card was asked to sign; undefined if the card can repeat its last invoice. */
  readonly before: Amounts | undefined;
}

/** A sale whose receipt is in the ledger. */
export interface SoldSale {
  readonly id: number;
  /** The answer as JSON, without the QR code. */
  readonly answer: string;
  readonly intent: Intent | undefined;
}

/** The card's answer to a request to sign. */
export interface Signature {
  readonly totalCounter: number;
  readonly header: string;
  /** The whole answer in hexadecimal. */
  readonly bytes: string;
  /** Whether the card's certificate proves header and counters. */
  readonly proven: boolean;
}

/** The ledger's knowledge of a card. */
export interface CardFacts {
  readonly uid: string;
  /** Name of the key pair of the card in the reader; undefined if the card was just removed. */
  readonly key: string | undefined;
  /** Name of the key pair that the ledger has under this UID; undefined for a new card. */
  readonly knownKey: string | undefined;
  /** The total counter that the ledger expects on the card. */
  readonly lastCounter: number;
  /** The proven answer that the ledger has for that counter. */
  readonly lastBytes: string | undefined;
  /** The unproven answer that the ledger has for that counter instead. It has the same 57 bytes as the sale. */
  readonly lastUnproven?: string | undefined;
  /** Kinds of invoices that add to the card's sum, as far as the service has observed. */
  readonly counting: readonly string[];
  /** Whether the store was restored, and the card has not said its counter since. */
  readonly restored?: boolean;
  /** Sales in doubt, oldest first. There is more than one only if a Training receipt is in doubt too. */
  readonly open: readonly OpenIntent[];
}

/** A card in one session. A session begins with the card's insertion, a reset or the start of the service. */
export interface Card extends CardFacts {
  readonly session: number;
  /** Whether card and ledger were compared in this session, as far as the card's commands allow. */
  readonly compared: boolean;
  /**
   * State of the command that repeats the last invoice. `works`: the card has answered it. `missing`: the card does not
   * have it; sum and limit decide. `odd`: the card answers nonsense, and the service asks again before each sale.
   */
  readonly lastInvoiceCommand: "works" | "missing" | "odd" | undefined;
  /**
   * The last sale that was signed after the card's amounts were read. The amounts before the next sale show whether the
   * kind of this sale counts.
   */
  readonly watched: { readonly kind: string; readonly expected: Amounts } | undefined;
}

/** A change that the ledger must write. All changes of an effect are in one commit. */
export type Write =
  | {
      readonly kind: "complete";
      readonly id: number;
      readonly intent: Intent | undefined;
      readonly signature: Signature;
    }
  /** `totalCounter` is the counter that the ledger expects, because the counter in the signature is unproven. */
  | {
      readonly kind: "unproven";
      readonly uid: string;
      readonly id: number;
      readonly totalCounter: number;
      readonly signature: Signature;
    }
  | { readonly kind: "abandon"; readonly id: number }
  | { readonly kind: "lose"; readonly id: number; readonly totalCounter: number | undefined }
  /** Adopts a receipt, unless the ledger has it. */
  | { readonly kind: "adopt"; readonly uid: string; readonly signature: Signature }
  | ({ readonly kind: "card" } & Pick<CardFacts, "uid" | "key" | "lastCounter" | "counting">)
  | {
      readonly kind: "report";
      readonly uid: string;
      readonly reportKind: "behind" | "back" | "swapped" | "lost" | "unproven" | "decided";
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly requestId: string | undefined;
    };

/**
 * A step of the tax authority's audit. The step waits for its turn like a sale, and no sale is signed during the turn.
 * - `key`: `task` uses the PKI applet's key for the connection to the authority. `salesFirst` is the number of waiting
 *   sales that may still go before this turn, because a sale must not wait for a token.
 * - `start`: Start Audit. The audit covers what the ledger has at that moment.
 * - `end`: End Audit with a proof of 256 bytes. `proofSent`: a proof was sent to the card before, and the card's answer
 *   is unknown.
 */
export type AuditStep =
  | { readonly kind: "key"; readonly salesFirst: number; readonly task: () => unknown }
  | { readonly kind: "start" }
  | { readonly kind: "end"; readonly audit: number; readonly proofSent: boolean; readonly proof: Uint8Array };

export type AuditTurn = AuditStep & Asker & { readonly uid: string; readonly session: number };

export type AuditWrite =
  | {
      readonly kind: "started";
      readonly uid: string;
      /** The card's answer to Start Audit, in hexadecimal. */
      readonly request: string;
      readonly amounts: Amounts;
      /** Id of the newest entry that the audit covers. */
      readonly covers: number;
    }
  /** `proofSent` is true before a proof is sent to the card, and false after the card has refused the proof. */
  | { readonly kind: "proof-sent"; readonly id: number; readonly proofSent: boolean }
  /** `ended`: the card accepted the proof. `void`: the card does not know this audit; the service starts a new one. */
  | { readonly kind: "closed"; readonly id: number; readonly outcome: "ended" | "void" };

export type ProofOutcome =
  | { readonly kind: "accepted" }
  | { readonly kind: "bad-proof" }
  | { readonly kind: "no-audit-open" }
  /** The proof was never sent to the card. */
  | { readonly kind: "not-sent"; readonly reason: string }
  /** The exchange broke off: the card may have accepted the proof. */
  | { readonly kind: "unknown"; readonly reason: string };

/** The work whose result the protocol waits for. It does one thing at a time: at most one signature is in doubt. */
export type Doing =
  | { readonly kind: "nothing" }
  /** Checks whether the sale may begin, and writes its intent. */
  | { readonly kind: "beginning" }
  | { readonly kind: "writing-unwritten" }
  | { readonly kind: "reading-card"; readonly session: number }
  /** `previous` is an unproven answer that the card gave before. `attempt` counts from 1. */
  | { readonly kind: "reading-last-invoice"; readonly previous: Signature | undefined; readonly attempt: number }
  | { readonly kind: "reading-amounts" }
  | { readonly kind: "writing-settled"; readonly after: Card; readonly writes: readonly Write[] }
  /** Card and ledger were compared, so the sale or the audit continues. */
  | { readonly kind: "compared" }
  /** The sale cannot begin, but may have an entry. `failed`: the comparison or the writes before the sale failed. */
  | { readonly kind: "looking-up"; readonly failed: { readonly why: unknown } | undefined }
  | { readonly kind: "signing"; readonly open: OpenIntent }
  | {
      readonly kind: "writing-answer";
      readonly open: OpenIntent;
      readonly after: Card;
      readonly writes: readonly Write[];
    }
  /** `again`: the sale goes back to the front of the queue. */
  | { readonly kind: "withdrawing"; readonly open: OpenIntent; readonly reply: Reply | "again" }
  /** Checks whether the sale is still in doubt. */
  | { readonly kind: "deciding"; readonly decision: Decision }
  | { readonly kind: "writing-decision"; readonly decision: Decision }
  | { readonly kind: "using-key" }
  | { readonly kind: "starting-audit" }
  | { readonly kind: "marking-proof" }
  | { readonly kind: "ending-audit" }
  /** Sends `reply` when the write is done. */
  | { readonly kind: "writing-audit"; readonly reply: Reply };

/** The work in progress, for one kind of work. */
export type While<T extends Doing["kind"]> = Extract<Doing, { kind: T }>;

export interface State {
  readonly doing: Doing;
  readonly sale: QueuedSale | undefined;
  /** Set once the card may have signed `sale`: the id of its intent, why we do not know, the card's refusal if any. */
  readonly inDoubt:
    | { readonly id: number; readonly reason: string; readonly refusal?: Refusal | undefined }
    | undefined;
  /** The sales that wait. The sale that came first is served first. */
  readonly queue: readonly QueuedSale[];
  /** The next sale, while its intent may be written in one commit with the answer of the sale before it. */
  readonly ahead: QueuedSale | undefined;
  readonly card: Card | undefined;
  /** A card's session that must be compared with the ledger as soon as the current work has ended. */
  readonly toCompare: { readonly uid: string; readonly session: number } | undefined;
  /** A person's decisions that wait for their turn. */
  readonly decisions: readonly Decision[];
  /** Steps of an audit that wait for their turn. */
  readonly audits: readonly AuditTurn[];
  /** The step of an audit at work. */
  readonly audit: AuditTurn | undefined;
  /** Writes that failed. The protocol tries these writes again before any other work. */
  readonly unwritten: readonly Write[];
  /** RequestId of the signed sale among them. */
  readonly unwrittenFor: string | undefined;
}

/** A person's decision whether the card has signed a sale in doubt. A card in the reader is asked first. */
export interface Decision extends Asker {
  /** UID of the card that was asked to sign the sale. */
  readonly uid: string;
  readonly id: number;
  readonly signed: boolean;
}

/** The card's refusal of a sale. `why` is the reply to the POS if the card has not signed. */
export interface Refusal {
  readonly why: unknown;
}

/** The state of the sale for which the ledger failed. `not-looked-up`: this request signed nothing; an earlier one may have. */
export type Fate = "not-signed" | "signed" | "not-looked-up" | "unknown";

export type Reply =
  /** The sale is signed and stored. */
  | { readonly kind: "answer"; readonly sold: SoldSale }
  /** The ledger has a final entry with this RequestId: an answer, or the reason why there is none. */
  | { readonly kind: "stored"; readonly entry: Entry }
  /** The card counted this sale, or may have counted it, but there will be no receipt. */
  | { readonly kind: "no-receipt"; readonly state: "lost" | "unproven"; readonly totalCounter: number | undefined }
  /** The gates, the invoice or the card refused, and nothing was signed. */
  | { readonly kind: "refused"; readonly why: unknown }
  /** The POS hung up before the card was asked to sign. */
  | { readonly kind: "left" }
  /** The card has not signed the sale. `reason` says why, for example because the exchange broke off. */
  | { readonly kind: "not-signed"; readonly reason: string }
  /** The card may have signed this sale. `refused`: it has refused the sale, but that may be an old answer. */
  | { readonly kind: "in-doubt"; readonly reason: string; readonly wayOut: WayOut; readonly refused?: boolean }
  /** Another sale is in doubt. A signature now would hide whether the card has signed that sale. */
  | { readonly kind: "blocked"; readonly by: OpenIntent; readonly wayOut: WayOut }
  /** The ledger failed. `signed`: the card has signed this sale, and the service holds the sale in memory. */
  | { readonly kind: "ledger-failed"; readonly why: unknown; readonly fate: Fate }
  | { readonly kind: "decided" }
  /** The sale to decide is not in doubt. */
  | { readonly kind: "nothing-to-decide" }
  /** The card has started the audit or accepted the proof, and the ledger has recorded this. */
  | { readonly kind: "audited" }
  | { readonly kind: "key-used" }
  /** The audit did not start or did not end. `why` and `reason` give the cause. */
  | {
      readonly kind: "not-audited";
      readonly why: "blocked" | "bad-proof" | "no-audit-open" | "card";
      readonly reason: string;
    };

/** An action that the protocol asks for. Exactly one event reports the result of each effect except `reply`. */
export type Effect =
  /**
   * Checks card and PIN, looks up the RequestId, checks everything else that a sale needs, and writes the intent. `on`:
   * the session in which card and ledger were compared; undefined if they must be compared first. `inTurn`: they were
   * compared in this turn, so that any session of that card is right. `amounts`: sum and limit belong into the intent.
   */
  | {
      readonly kind: "begin";
      readonly sale: QueuedSale;
      readonly on: { readonly uid: string; readonly session: number } | undefined;
      readonly inTurn: boolean;
      readonly amounts: boolean;
    }
  | { readonly kind: "read-card"; readonly uid: string }
  | { readonly kind: "read-last-invoice"; readonly uid: string }
  | { readonly kind: "read-amounts"; readonly uid: string }
  | { readonly kind: "look-up"; readonly sale: QueuedSale }
  | { readonly kind: "sign"; readonly key: number; readonly open: OpenIntent; readonly uid: string }
  /** `ahead` is a sale whose intent is written in the same commit, if the intent fits this card in this session. */
  | {
      readonly kind: "write";
      readonly writes: readonly Write[];
      readonly ahead?: { readonly sale: QueuedSale; readonly uid: string; readonly session: number } | undefined;
    }
  /** Uses the card's key. Afterwards the secure element applet is selected again, in another session of the card. */
  | { readonly kind: "use-key"; readonly task: () => unknown }
  /** Starts an audit. Also reads sum, limit and the ledger's newest entry. */
  | { readonly kind: "start-audit"; readonly uid: string; readonly session: number }
  | { readonly kind: "end-audit"; readonly proof: Uint8Array; readonly uid: string; readonly session: number }
  | { readonly kind: "write-audit"; readonly write: AuditWrite }
  | { readonly kind: "reply"; readonly to: Asker; readonly reply: Reply };

export type LastInvoiceAnswer =
  | { readonly kind: "signature"; readonly signature: Signature }
  | { readonly kind: "nothing-signed" }
  | { readonly kind: "no-command" }
  | { readonly kind: "odd"; readonly reason: string }
  /** The card could not answer: there is no card, another card is in the reader, or the PIN was not verified. */
  | { readonly kind: "not-reached"; readonly reason: string };

export type Event =
  | { readonly kind: "posted"; readonly sale: QueuedSale }
  | { readonly kind: "left"; readonly key: number }
  /** The PIN was verified, or a POS asked for a sale in doubt. */
  | { readonly kind: "card-ready"; readonly uid: string; readonly session: number }
  | { readonly kind: "decided"; readonly decision: Decision }
  | { readonly kind: "audit"; readonly audit: AuditTurn }
  /** The task with the card's key has ended or failed. */
  | { readonly kind: "key-used" }
  /** `newest` is the id of the newest entry that the ledger has of this card. */
  | { readonly kind: "audit-started"; readonly request: string; readonly amounts: Amounts; readonly newest: number }
  | { readonly kind: "audit-not-started"; readonly reason: string }
  | { readonly kind: "proof-answered"; readonly answer: ProofOutcome }
  /** Tries the writes that failed again: the disk may have space by now. */
  | { readonly kind: "write-unwritten" }
  /** Card and ledger must be compared before the sale begins. */
  | { readonly kind: "to-compare"; readonly uid: string; readonly session: number }
  | { readonly kind: "refused"; readonly why: unknown }
  | { readonly kind: "card-read"; readonly card: CardFacts }
  | { readonly kind: "last-invoice-read"; readonly answer: LastInvoiceAnswer }
  /** `amounts` is undefined if the card did not report them. */
  | { readonly kind: "amounts-read"; readonly amounts: Amounts | undefined }
  /** `entry` is the ledger's entry with the RequestId, if there is one. */
  | { readonly kind: "looked-up"; readonly entry: Entry | undefined }
  | { readonly kind: "intent-written"; readonly open: OpenIntent }
  /** The ledger has no entry of the sale, and failed before it had the intent. */
  | { readonly kind: "intent-failed"; readonly why: unknown }
  /** `sold` is the sale whose receipt was written, `ahead` the intent of the next sale if it was in the same commit. */
  | { readonly kind: "written"; readonly sold?: SoldSale | undefined; readonly ahead?: OpenIntent | undefined }
  | { readonly kind: "ledger-failed"; readonly why: unknown }
  | { readonly kind: "signed"; readonly signature: Signature }
  /**
   * The card was never reached, or it refused. `byCard`: the refusal may be the answer to an earlier command.
   * `unsure`: no document names the refusal, so that a card without its last invoice must show it by its sum.
   */
  | { readonly kind: "not-signed"; readonly why: unknown; readonly byCard: boolean; readonly unsure?: boolean }
  /** Another applet answered, so the card has not signed. Another program may have used the card. */
  | { readonly kind: "applet-lost" }
  /** The exchange broke off, so the card may have signed. */
  | { readonly kind: "unknown"; readonly reason: string };

export const START: State = {
  doing: { kind: "nothing" },
  sale: undefined,
  inDoubt: undefined,
  queue: [],
  ahead: undefined,
  card: undefined,
  toCompare: undefined,
  decisions: [],
  audits: [],
  audit: undefined,
  unwritten: [],
  unwrittenFor: undefined,
};
