/** The tax authority's audits, as the console shows them. Only types: the console's code imports this file too. */
import type { ConfigurationChange } from "../../authority/configuration-change.js";
import type { AuditObstacle } from "../../fiscalizer/protocol/audit-obstacles.js";

/** The state of the tax authority's audits. */
export interface AuditsRecord {
  /** Whether the service has a connection to the authority. */
  readonly configured: boolean;
  /** Address of the authority of the card in the reader; null if unknown. */
  readonly address: string | null;
  /** Maximum number of a card's sales that may wait for a proof of audit. */
  readonly unsentLimit: number;
  /** The card in the reader comes first. */
  readonly cards: readonly AuditCardRecord[];
  /** The key in the card; null without a running service, if another key is configured, or if no card was read. */
  readonly cardKey?: CardKeyRecord | null;
}

/** The key in the card's PKI applet, which identifies the shop to the authority. */
export interface CardKeyRecord {
  readonly state: "no-key" | "pin-needed" | "attempt-missing" | "locked" | "ready";
  /** Attempts for the PIN of that applet; null if they do not matter. */
  readonly attemptsLeft: number | null;
  /** Whether the card's own PIN may be tried, once. */
  readonly triesCardPin: boolean;
  /** Why the key cannot be used; null if it can be used, or was not tried. */
  readonly problem: string | null;
}

/** What a person has to read: commands that wait for a yes, and changes that no person has seen. */
export interface ToReadRecord {
  readonly held: readonly HeldRecord[];
  readonly made: readonly MadeRecord[];
}

export interface HeldRecord {
  /** UID of the card. */
  readonly uid: string;
  /** Ids of the commands. */
  readonly ids: readonly number[];
  /** What the commands change all together. */
  readonly changes: readonly ConfigurationChange[];
  /** Whether a person must say yes twice. */
  readonly asksTwice: boolean;
}

export interface MadeRecord {
  readonly id: number;
  readonly uid: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly changes: readonly ConfigurationChange[];
}

/** Answer to a yes. `confirmed` is false if the commands need a second yes. */
export interface ConfirmedRecord {
  readonly confirmed: boolean;
}

/** Answer to a PIN for the key in the card. `not-sent`: no attempt was lost. */
export type KeyPinRecord =
  | { readonly kind: "verified" }
  | { readonly kind: "wrong-pin"; readonly pinTriesLeft: number }
  | { readonly kind: "locked" }
  | { readonly kind: "not-sent"; readonly reason: string };

export interface AuditCardRecord {
  readonly uid: string;
  readonly inReader: boolean;
  /** Sales that no proof of audit covers. */
  readonly unsent: number;
  /** Whether the packages of all these sales have been sent. */
  readonly allSent: boolean;
  readonly audit: OpenAuditRecord | null;
  /** The last closed audit; null if there is none, or if another audit is open. */
  readonly lastAudit: { readonly endedAt: string; readonly outcome: "ended" | "void" | "superseded" } | null;
  readonly lastPackage: VerdictRecord | null;
  /** Number of packages that the authority found wrong or that could not be made, and the newest of them. */
  readonly wrong: number;
  readonly lastWrong: VerdictRecord | null;
  /** Commands of the authority that failed, newest first; a later command of the same type or a later proof settles them. */
  readonly failed: readonly FailedCommandRecord[];
  /** Sales that the card has counted, that this store does not have, and that no proof covers: total counters. */
  readonly missing: readonly { readonly from: number; readonly to: number }[];
  /** Packages that the authority refused, oldest first. They are sent again each hour. */
  readonly refused: readonly RefusalRecord[];
}

export interface FailedCommandRecord {
  readonly commandId: string;
  /** Type of command (protocol facts, section 8). */
  readonly type: number;
  readonly reason: string;
  readonly at: string;
}

export interface RefusalRecord {
  readonly number: string;
  /** The authority's message. */
  readonly reason: string;
  readonly at: string;
}

export interface OpenAuditRecord {
  /** Times are ISO 8601, UTC. */
  readonly startedAt: string;
  /** Decimal texts, read from the card when the audit was started. */
  readonly sum: string;
  readonly limit: string;
  /** The next step: send packages, request the proof, wait for the proof, or ask the card what became of a proof. */
  readonly waitsFor: "packages" | "request" | "proof" | "card";
  readonly requestedAt: string | null;
}

export interface VerdictRecord {
  readonly number: string;
  /** The authority's status; null if no package could be made, because the stored sale is damaged. */
  readonly status: number | null;
  readonly at: string;
}

/** Result of a request to start an audit. An open audit continues. */
export interface AuditBegunRecord {
  readonly begun: boolean;
  /** Why the audit did not start, in English; null if it did. */
  readonly reason: string | null;
  /** Why the audit did not start; null if it did. */
  readonly obstacle: AuditObstacle | null;
}
