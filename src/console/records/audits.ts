/** The tax authority's audits, as the console shows them. */

import type { AuditObstacle } from "../../fiscalizer/protocol/audit-obstacles.js";
import type { ConfigurationChange } from "../../ledger/sent.js";

/** The state of the tax authority's audits. */
export interface AuditsRecord {
  /** Whether the service has a connection to the authority. */
  readonly configured: boolean;
  /** Address of the authority of the card in the reader; null if unknown. */
  readonly address: string | null;
  /** Maximum number of a card's sales that may wait for a proof of audit. */
  readonly unsentLimit: number;
  /** The cards with their audits. The card in the reader is the first one. */
  readonly cards: readonly AuditCardRecord[];
  /** State of the key in the card; null if no service runs, if another key is configured, or if no card was read. */
  readonly cardKey?: CardKeyRecord | null;
}

/** The key in the card's PKI applet, which identifies the shop to the authority. */
export interface CardKeyRecord {
  readonly state: "no-key" | "pin-needed" | "attempt-missing" | "locked" | "ready";
  /** Number of attempts that are left for the PIN of the PKI applet; null if the number does not matter. */
  readonly attemptsLeft: number | null;
  /** Whether the service may try the card's own PIN on the PKI applet. It tries this PIN only once. */
  readonly triesCardPin: boolean;
  /** Why the key cannot be used; null if the key can be used, or if the service has not tried the key. */
  readonly problem: string | null;
}

/** What a person has to read: commands that wait for a person's confirmation, and changes that no person has seen. */
export interface ToReadRecord {
  readonly held: readonly HeldRecord[];
  readonly made: readonly MadeRecord[];
}

export interface HeldRecord {
  readonly uid: string;
  readonly ids: readonly number[];
  /** All changes that the commands make together. */
  readonly changes: readonly ConfigurationChange[];
  /** Whether a person must confirm the commands twice. */
  readonly asksTwice: boolean;
}

export interface MadeRecord {
  readonly id: number;
  readonly uid: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly changes: readonly ConfigurationChange[];
}

/** Answer when a person confirms commands. `confirmed` is false if the person must confirm them a second time. */
export interface ConfirmedRecord {
  readonly confirmed: boolean;
}

/**
 * Answer to a PIN for the key in the card. `not-sent` means that the card did not get the PIN, so no attempt was lost;
 * `unknown`, that the card may have got the PIN.
 */
export type KeyPinRecord =
  | { readonly kind: "verified" }
  | { readonly kind: "wrong-pin"; readonly pinTriesLeft: number }
  | { readonly kind: "locked" }
  | { readonly kind: "not-sent" | "unknown"; readonly reason: string };

export interface AuditCardRecord {
  readonly uid: string;
  readonly inReader: boolean;
  /** Number of sales that no proof of audit covers. */
  readonly unsent: number;
  /** What became of the packages of the sales that `unsent` counts. No package can be made of a damaged sale. */
  readonly packages: "allSent" | "someToSend" | "someDamaged";
  readonly audit: OpenAuditRecord | null;
  /** Whether an audit's record is damaged. If `audit` is null then, an audit may be open. */
  readonly auditDamaged: boolean;
  /** The card's last audit; null if the card has had no audit, or if its last audit is still open. */
  readonly lastAudit: { readonly endedAt: string; readonly outcome: "ended" | "void" | "superseded" } | null;
  readonly lastPackage: VerdictRecord | null;
  /** Number of packages that the authority found wrong or that could not be made. `lastWrong` is the newest of them. */
  readonly wrong: number;
  readonly lastWrong: VerdictRecord | null;
  /**
   * Commands of the authority that failed, newest first. A command is left out once a later command of the same type,
   * or a later proof, was executed.
   */
  readonly failed: readonly FailedCommandRecord[];
  /**
   * Total counters of missing sales. The card has counted these sales, but this store does not have them and no proof
   * covers them.
   */
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
  /** The card's sum and limit as decimal texts. Both were read from the card when the audit was started. */
  readonly sum: string;
  readonly limit: string;
  /** What the audit waits for: packages are to be sent, the proof to be requested, to come, or the card to answer. */
  readonly waitsFor: "packages" | "request" | "proof" | "card";
  readonly requestedAt: string | null;
}

export interface VerdictRecord {
  readonly number: string;
  /**
   * Status that the authority gave to the package; null if no package could be made, because the stored sale is
   * damaged.
   */
  readonly status: number | null;
  readonly at: string;
}

/** Result of a request to start an audit. If an audit is open already, that audit continues and `begun` is true. */
export interface AuditBegunRecord {
  readonly begun: boolean;
  /** Why the audit did not start, in English; null if it started. */
  readonly reason: string | null;
  /** Why the audit did not start; null if it started. */
  readonly obstacle: AuditObstacle | null;
}
