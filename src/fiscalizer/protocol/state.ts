/**
 * The life of a sale between POS, queue, ledger and card, as data. `step.ts` moves it on. Nothing here does
 * input or output, reads a clock or waits: `effects.ts` runs the effects and reports each result as one event.
 *
 * The way through this folder: `State`, `Event` and `Effect` here; then `step.ts`, which sends each event to its function;
 * `sale.ts` for a sale that goes well; `comparison.ts` and `settle.ts` for one that does not. The rules that must hold are in
 * `test/exploration/rules.ts`: its test breaks each of them in turn.
 */
/** A POS that wants a receipt. The invoice itself stays with the fiscalizer. */
export interface Sale {
  /** Names the request of the POS. */
  readonly key: number;
  readonly requestId: string | undefined;
  /** A Training receipt: its counter may settle a sale in doubt on a card that cannot repeat its last invoice. */
  readonly isTraining: boolean;
  /** The POS has hung up. */
  readonly left: boolean;
  /** Another program had selected another applet when the card was asked to sign: the sale is tried once more. */
  readonly secondTry?: true;
}

/** What the card signed since the last audit, and its limit; scaled by 10,000. */
export interface Amounts {
  readonly sum: bigint;
  readonly limit: bigint;
}

/** Header of a sale that is damaged in the ledger: it fits no signature. */
export const DAMAGED = "";

/** A sale whose intent is in the ledger. */
export interface OpenIntent {
  /** Id of the entry in the ledger. */
  readonly id: number;
  readonly requestId: string | undefined;
  /** The 57 bytes that the card signs, in hexadecimal. They contain the time in ms, so two invoices rarely have the same bytes. */
  readonly header: string;
  /** Type of invoice and of transaction: both decide whether the sale adds to the card's sum. */
  readonly kind: string;
  readonly amount: bigint;
  /** Read before the card was asked; only of a card that cannot repeat its last invoice. */
  readonly before: Amounts | undefined;
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
  /** Name of the key pair of the card in the reader; undefined if the card was just removed. Names are unique per card. */
  readonly key: string | undefined;
  /** Name of the key pair that the ledger has under this UID; undefined for a new card. */
  readonly knownKey: string | undefined;
  /** The total counter that the ledger expects on the card. */
  readonly lastCounter: number;
  /** The proven answer that the ledger has for that counter. */
  readonly lastBytes: string | undefined;
  /** The unproven answer that the ledger has for that counter instead, with the same 57 bytes as the sale. */
  readonly lastUnproven?: string | undefined;
  /** Kinds of invoices that add to the sum, as observed. */
  readonly counting: readonly string[];
  /** Sales in doubt, oldest first. More than one only with a Training receipt. */
  readonly open: readonly OpenIntent[];
}

/** A card in one session: from its insertion, a reset or the start to its end. */
export interface Card extends CardFacts {
  readonly session: number;
  /** Whether card and ledger were compared in this session, as far as the card can. */
  readonly compared: boolean;
  /**
   * The command that repeats the last invoice. `works`: the card has answered it. `missing`: the card does not have it;
   * sum and limit decide. `odd`: the card answers nonsense, and is asked again before each sale.
   */
  readonly lastInvoiceCommand: "works" | "missing" | "odd" | undefined;
  /** The last sale that was signed after its amounts were read: the amounts before the next sale show whether its kind counts. */
  readonly watched: { readonly kind: string; readonly expected: Amounts } | undefined;
}

/** What the ledger must write, in one commit. */
export type Write =
  | { readonly kind: "complete"; readonly id: number; readonly signature: Signature }
  /** `totalCounter`: the expected counter; the counter in the signature is unproven. */
  | {
      readonly kind: "unproven";
      readonly uid: string;
      readonly id: number;
      readonly totalCounter: number;
      readonly signature: Signature;
    }
  | { readonly kind: "abandon"; readonly id: number }
  | { readonly kind: "lose"; readonly id: number; readonly totalCounter: number | undefined }
  /** The ledger ignores a receipt that it already has: a card whose counter seemed to be gone may return. */
  | { readonly kind: "adopt"; readonly uid: string; readonly signature: Signature }
  | {
      readonly kind: "card";
      readonly uid: string;
      readonly key: string | undefined;
      readonly lastCounter: number;
      readonly counting: readonly string[];
    }
  | {
      readonly kind: "report";
      readonly uid: string;
      readonly reportKind: "behind" | "back" | "swapped" | "lost" | "unproven" | "decided";
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly requestId: string | undefined;
    };

/**
 * A step of the tax authority's audit. It waits for its turn like a sale, and no sale is signed meanwhile.
 * - `key`: the card's other applet uses its key for the connection to the authority. `salesFirst`: how many waiting sales may
 *   still go before it, because a sale must not wait for a token.
 * - `start`: Start Audit. The audit covers what the ledger has at that moment.
 * - `end`: End Audit with a proof. `proofSent`: a proof was sent to the card before, and its answer is unknown.
 */
export type AuditTurn = {
  readonly key: number;
  readonly uid: string;
  readonly session: number;
} & (
  | { readonly kind: "key"; readonly salesFirst: number }
  | { readonly kind: "start" }
  | { readonly kind: "end"; readonly audit: number; readonly covers: number; readonly proofSent: boolean }
);

/** What the ledger must write for an audit. */
export type AuditWrite =
  | {
      readonly kind: "started";
      readonly uid: string;
      /** What the card answered, in hexadecimal. */
      readonly request: string;
      readonly amounts: Amounts;
      /** Id of the newest entry that the audit covers. */
      readonly covers: number;
    }
  /** Written before a proof is sent to the card; false after the card has refused it. */
  | { readonly kind: "proof-sent"; readonly audit: number; readonly proofSent: boolean }
  /** `ended`: the card accepted the proof. `void`: the card does not know this audit; a new one is started. */
  | { readonly kind: "closed"; readonly audit: number; readonly outcome: "ended" | "void"; readonly covers: number };

/** The card's answer to a proof. */
export type ProofOutcome =
  | { readonly kind: "accepted" }
  | { readonly kind: "bad-proof" }
  | { readonly kind: "no-audit-open" }
  /** The proof was never sent to the card. */
  | { readonly kind: "not-sent"; readonly reason: string }
  /** The exchange broke off: the card may have accepted the proof. */
  | { readonly kind: "unknown"; readonly reason: string };

/** What the protocol waits for. One thing at a time, so that at most one signature is in doubt. */
export type Doing =
  | { readonly kind: "nothing" }
  /** The gates: card, configuration, PIN. */
  | { readonly kind: "gates" }
  | { readonly kind: "writing-held" }
  | { readonly kind: "reading-card"; readonly session: number }
  /** @see Card.lastInvoiceCommand. `previous`: an unproven answer that the card gave before. */
  | { readonly kind: "reading-last-invoice"; readonly previous: Signature | undefined; readonly attempt: number }
  | { readonly kind: "reading-amounts" }
  | { readonly kind: "writing-settled"; readonly after: Card; readonly writes: readonly Write[] }
  /** Card and ledger have been compared: the sale may go on. */
  | { readonly kind: "compared" }
  /** `failed`: the writes before the sale failed, but the ledger may still have an entry of it. */
  | { readonly kind: "looking-up"; readonly failed: { readonly why: unknown } | undefined }
  | { readonly kind: "reading-amounts-before" }
  | { readonly kind: "writing-intent" }
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
  | { readonly kind: "writing-decision"; readonly key: number }
  | { readonly kind: "using-key" }
  | { readonly kind: "starting-audit" }
  | { readonly kind: "marking-proof" }
  | { readonly kind: "ending-audit" }
  /** `reply` is sent when the write is done. */
  | { readonly kind: "writing-audit"; readonly reply: Reply };

export interface State {
  readonly doing: Doing;
  /** The sale that is being worked on. */
  readonly sale: Sale | undefined;
  /** Id of the intent of `sale`, once the card may have signed it, and why we do not know. */
  readonly inDoubt: { readonly id: number; readonly reason: string } | undefined;
  /** First come, first served. */
  readonly queue: readonly Sale[];
  /** The next sale, while its intent may be written in one commit with the answer before it. */
  readonly ahead: Sale | undefined;
  readonly card: Card | undefined;
  /** A card session that is compared with the ledger as soon as nothing else is under way. */
  readonly toCompare: { readonly uid: string; readonly session: number } | undefined;
  /** A person's decisions that wait for their turn. */
  readonly decisions: readonly Decision[];
  /** Steps of an audit that wait for their turn. */
  readonly audits: readonly AuditTurn[];
  /** The step of an audit that is being worked on. */
  readonly audit: AuditTurn | undefined;
  /** Writes that failed: they come before anything else. */
  readonly held: readonly Write[];
  /** RequestId of the signed sale among the held writes. */
  readonly heldFor: string | undefined;
}

/** A person's decision whether the card has signed a sale in doubt. If the card is in the reader, the service asks it first. */
export interface Decision {
  readonly key: number;
  /** UID of the card that was asked to sign the sale. */
  readonly uid: string;
  readonly id: number;
  readonly signed: boolean;
}

/** The reply to the POS or the person. */
export type Reply =
  /** Signed, and stored. */
  | { readonly kind: "answer"; readonly id: number }
  /** The ledger has a final entry with this RequestId: an answer, or the reason why there is none. */
  | { readonly kind: "stored" }
  /** The card counted this sale, or may have counted it, but there will be no receipt. */
  | { readonly kind: "no-receipt"; readonly state: "lost" | "unproven"; readonly totalCounter: number | undefined }
  /** The gates, the invoice or the card refused, and nothing was signed. */
  | { readonly kind: "refused"; readonly why: unknown }
  /** The POS hung up before its intent was written. */
  | { readonly kind: "left" }
  /** The exchange with the card broke off before it signed. */
  | { readonly kind: "not-signed"; readonly reason: string }
  /** The card may have signed this sale. */
  | { readonly kind: "in-doubt"; readonly reason: string; readonly lastInvoiceCommand: Card["lastInvoiceCommand"] }
  /** Another sale is in doubt, and signing now would hide what became of it. */
  | { readonly kind: "blocked"; readonly by: OpenIntent; readonly lastInvoiceCommand: Card["lastInvoiceCommand"] }
  /** The ledger failed. `signed`: the card has signed this very sale, and it is held in memory. */
  | { readonly kind: "ledger-failed"; readonly why: unknown; readonly fate: "not-signed" | "signed" | "unknown" }
  | { readonly kind: "decided" }
  /** No such sale is in doubt. */
  | { readonly kind: "nothing-to-decide" }
  /** The card has started the audit or accepted the proof, and the ledger has recorded it; or its key was used. */
  | { readonly kind: "audited" }
  /** The card refused; nothing has changed. */
  | {
      readonly kind: "not-audited";
      readonly why: "blocked" | "bad-proof" | "no-audit-open" | "card";
      readonly reason: string;
    };

/** Each effect except `reply` is answered by exactly one event. */
export type Effect =
  | { readonly kind: "pass-gates"; readonly key: number }
  | { readonly kind: "read-card"; readonly uid: string }
  | { readonly kind: "read-last-invoice"; readonly uid: string }
  | { readonly kind: "read-amounts"; readonly uid: string }
  | { readonly kind: "look-up"; readonly key: number }
  /** The event is `refused` if another card is in the reader by now. */
  | {
      readonly kind: "write-intent";
      readonly key: number;
      readonly uid: string;
      readonly before: Amounts | undefined;
    }
  | { readonly kind: "sign"; readonly key: number; readonly id: number; readonly uid: string }
  /** `ahead`: the intent of that sale is written in the same commit, if it can be made for this card in this session. */
  | {
      readonly kind: "write";
      readonly writes: readonly Write[];
      readonly ahead?: { readonly key: number; readonly uid: string; readonly session: number } | undefined;
    }
  /** Ends with the secure element applet selected again, in another session of the card. */
  | { readonly kind: "use-key"; readonly key: number }
  /** Also reads sum, limit and the ledger's newest entry. */
  | { readonly kind: "start-audit"; readonly uid: string; readonly session: number }
  | { readonly kind: "end-audit"; readonly key: number; readonly uid: string; readonly session: number }
  | { readonly kind: "write-audit"; readonly write: AuditWrite }
  | { readonly kind: "reply"; readonly key: number; readonly reply: Reply };

/** The card's answer about its last invoice. */
export type LastInvoiceAnswer =
  | { readonly kind: "signature"; readonly signature: Signature }
  | { readonly kind: "nothing-signed" }
  /** The card does not have the command. */
  | { readonly kind: "no-command" }
  | { readonly kind: "odd"; readonly reason: string }
  /** No card, another card, no PIN. */
  | { readonly kind: "not-reached"; readonly reason: string };

export type Event =
  | { readonly kind: "posted"; readonly sale: Sale }
  | { readonly kind: "left"; readonly key: number }
  /** The PIN was verified, or a POS asked for a sale in doubt. */
  | { readonly kind: "card-ready"; readonly uid: string; readonly session: number }
  | { readonly kind: "decided"; readonly decision: Decision }
  | { readonly kind: "audit"; readonly audit: AuditTurn }
  /** The task with the card's key has ended, also if it failed. */
  | { readonly kind: "key-used" }
  /** `newest`: id of the newest entry that the ledger has of this card. */
  | { readonly kind: "audit-started"; readonly request: string; readonly amounts: Amounts; readonly newest: number }
  | { readonly kind: "audit-not-started"; readonly reason: string }
  | { readonly kind: "proof-answered"; readonly answer: ProofOutcome }
  /** Writes the held writes again: the disk may have space by now. */
  | { readonly kind: "write-held" }
  | { readonly kind: "gates-passed"; readonly uid: string; readonly session: number }
  | { readonly kind: "refused"; readonly why: unknown }
  | ({ readonly kind: "card-read" } & CardFacts)
  | { readonly kind: "last-invoice-read"; readonly answer: LastInvoiceAnswer }
  /** `amounts`: undefined if the card did not report them. */
  | { readonly kind: "amounts-read"; readonly amounts: Amounts | undefined }
  | { readonly kind: "looked-up"; readonly entry: "nothing" | "open" | "final" }
  | { readonly kind: "intent-written"; readonly open: OpenIntent }
  /** `ahead`: the intent that was written with it. */
  | { readonly kind: "written"; readonly ahead?: OpenIntent | undefined }
  | { readonly kind: "ledger-failed"; readonly why: unknown }
  | { readonly kind: "signed"; readonly signature: Signature }
  /** The card refused or was never reached: it has not signed. */
  | { readonly kind: "not-signed"; readonly why: unknown }
  /** Another applet answered: the card has not signed, and another program may have used the card. */
  | { readonly kind: "applet-lost" }
  /** The exchange broke off: the card may have signed. */
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
  held: [],
  heldFor: undefined,
};
