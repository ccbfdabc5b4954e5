/** The records that the console gets from the service. Only types: the console's code imports this file too. */

import type { ShownChange } from "../changes/shown-change.js";
import type { SettingProblem } from "../config/setting-problem.js";
import type { ConsoleSection } from "../config/settings/row.js";
import type { AuditObstacle } from "../fiscalizer/protocol/audit-obstacles.js";
import type { WayOut } from "../fiscalizer/way-out.js";
import type { ReportKind as LedgerReportKind } from "../ledger/ledger.js";
import type { ReceiptRow } from "../ledger/receipt-row.js";
import type { CardReason } from "../secure-element/card-reason.js";
import type { TrafficEntry } from "../traffic/traffic-entry.js";

export type { ConsoleSection, SettingProblem };

export interface InfoRecord {
  readonly service: "tillseal";
  readonly version: string;
  /** The commit that the program was built from; "" if it was built without git. */
  readonly build: string;
  /** Process id, for people. */
  readonly pid: number;
  /** Data folder, which contains the secret for `tillseal stop`; null for callers that may not see it. */
  readonly folder: string | null;
  /** `emulator` or `pcsc`. */
  readonly card: string;
  /** Port of the emulator's control interface; null with a real card. */
  readonly controlPort: number | null;
  /** The shop's time zone; null if nothing is configured. */
  readonly timeZone: string | null;
  /** The service's clock: ISO 8601, UTC. An emulated clock differs from the browser's. */
  readonly now: string;
  /** Whether POS requests are kept and this caller may see them. The emulator has its own traffic log. */
  readonly traffic: boolean;
  /** Whether this caller may see receipts and settings. */
  readonly trusted: boolean;
  /** Whether a token decides that, instead of the caller's address. */
  readonly asksToken: boolean;
}

export type TillCard =
  | { readonly state: "no-card"; readonly reason: string; readonly why: CardReason; readonly noReader: boolean }
  | { readonly state: "unreachable" | "unsupported"; readonly reason: string; readonly why: CardReason }
  | {
      readonly state: "ready";
      readonly uid: string;
      readonly appletVersion: string;
      /** Validity of the card's certificate: ISO 8601, UTC. */
      readonly validFrom: string;
      readonly validTo: string;
      readonly pin: "required" | "verified" | "locked";
      /** null if the card does not say. */
      readonly pinTriesLeft: number | null;
      /** Why the card refused the last signature. */
      readonly refuses: "disabled" | "counter-at-end" | null;
      readonly taxpayer: {
        readonly tin: string;
        readonly businessName: string;
        readonly locationName: string;
        readonly address: string;
        readonly district: string;
      };
    };

export interface RateRecord {
  /** ISO 8601, UTC. */
  readonly validFrom: string;
  readonly current: boolean;
  readonly rates: readonly { readonly label: string; readonly category: string; readonly rate: string }[];
}

export interface TillRecord {
  /** ISO 8601, UTC. */
  readonly time: string;
  /** General status codes, as in status. */
  readonly codes: readonly string[];
  readonly card: TillCard;
  /** Decimal texts; null if the card does not say, and for callers that may not see them. */
  readonly audit: { readonly sum: string; readonly limit: string } | null;
  readonly doubts: DoubtsRecord;
  /** Whether a shop runs with a test card, whose receipts are not valid. */
  readonly testCard: boolean;
  /** Why receipts cannot be stored; null if they can. */
  readonly storeProblem: { readonly fault: string; readonly folder: string } | null;
  readonly environment: {
    readonly name: string;
    readonly organization: string;
    readonly country: string;
    readonly timeZone: string;
    readonly languages: readonly string[];
    /**
     * File name if the environment comes from a file; else null, and `since` is when the authority sent its newest
     * part: ISO 8601, UTC.
     */
    readonly file: string | null;
    readonly since: string | null;
  } | null;
  /** Whether the authority has sent rates and parameters, but the stored copy is damaged. */
  readonly environmentDamaged: boolean;
  /** Whether so many sales wait for a proof of audit that the next sale is refused. */
  readonly packagesFull: boolean;
  /** Whole days until the card's certificate ends, if that is soon; else null. */
  readonly certificateEnds: number | null;
  /** Free MiB if the shop's disk is nearly full; else null. */
  readonly diskLow: number | null;
  readonly authority: AuthorityRecord;
  /** Null if the clock has not been compared with a time server yet. */
  readonly clock: ClockRecord | null;
  readonly rates: readonly RateRecord[];
  /** The newest receipts; empty for callers that may not see them. */
  readonly last: readonly ReceiptRow[];
}

export interface ClockRecord {
  /** Address of the time server. */
  readonly server: string;
  /** Seconds by which the clock is ahead (negative: behind); null if the server was never reached. */
  readonly ahead: number | null;
  /** Whether the difference exceeds the setting clockDrift. */
  readonly off: boolean;
  /** Why the last attempt failed; null if it succeeded. */
  readonly problem: string | null;
}

/** The connection to the tax authority. */
export interface AuthorityRecord {
  readonly contact: "not-asked" | "reachable" | "not-reachable";
  /** ISO 8601, UTC; null if unknown. */
  readonly since: string | null;
  /** What does not work; null if everything does, and for callers that may not see it. */
  readonly problem: string | null;
}

/** The record of changes. */
export interface ChangesRecord {
  /** The newest ones, newest first. */
  readonly changes: readonly ShownChange[];
}

/** Numbers of sales in doubt and of reports. */
export interface DoubtsRecord {
  /** Sales that the card in the reader may have signed. */
  readonly ofThisCard: number;
  /** Sales that other cards may have signed. */
  readonly ofOtherCards: number;
  /** Signed sales that are in memory only. */
  readonly held: number;
  /** Reports that are not confirmed. */
  readonly reports: number;
}

export interface ReportsRecord {
  readonly inDoubt: readonly DoubtRecord[];
  /** Not confirmed yet. */
  readonly reports: readonly ReportRecord[];
}

/** A sale that a card may have signed. */
export interface DoubtRecord {
  readonly id: number;
  /** A name for people to type: the RequestId, or a name made by the service. */
  readonly name: string;
  readonly requestId: string | null;
  /** Of the card. */
  readonly uid: string;
  /** ISO 8601, UTC; null if the entry is damaged. The same applies to the amount. */
  readonly since: string | null;
  /** Decimal text. */
  readonly totalAmount: string | null;
  readonly wayOut: WayOut;
}

/** Reports that wait for a person's confirmation, which decisions do not. */
export type ReportKind = Exclude<LedgerReportKind, "decided">;

export interface ReportRecord {
  readonly id: number;
  readonly kind: ReportKind;
  /** Of the card. */
  readonly uid: string;
  /** Counters; null if unknown. */
  readonly from: number | null;
  readonly to: number | null;
  /** ISO 8601, UTC; null where it is not known. */
  readonly at: string | null;
  /** RequestId of the sale that the report is about. */
  readonly requestId: string | null;
}

/** The result of a Training receipt. */
export interface TrainingRecord {
  /** Whether the card had signed the sale in doubt; null if still unknown. */
  readonly signed: boolean | null;
}

/** A POS request, its answer, and the exchanges with the card meanwhile. PINs are masked. */
export interface TrafficRecord extends Omit<TrafficEntry, "at"> {
  /** ISO 8601, UTC. */
  readonly at: string;
}

export interface ReceiptListRecord {
  readonly receipts: readonly ReceiptRow[];
  readonly more: boolean;
  /** Whether the store has no receipt at all. */
  readonly empty: boolean;
  /**
   * Progress of the index of receipts while it is incomplete: there may be more receipts. Null when complete, and
   * without a filter.
   */
  readonly reading: IndexProgressRecord | null;
  /** How a search text was understood; null without one. */
  readonly understood: UnderstoodRecord | null;
}

/** Entries of the store. */
export interface IndexProgressRecord {
  readonly done: number;
  readonly total: number;
}

/** A search text is a number or the beginning of a RequestId, and whatever else is set here. */
export interface UnderstoodRecord {
  /** Total counter; null if the text cannot be one. */
  readonly counter: number | null;
  /** Decimal texts. */
  readonly amounts: readonly string[];
}

export interface ReceiptDetailRecord extends ReceiptRow {
  /** False if the stored entry is damaged. */
  readonly intact: boolean;
  /** JSON: the invoice as understood, and the values computed from it; null if the receipt was adopted. */
  readonly request: string | null;
  /** JSON, without the QR code; null until signed. */
  readonly answer: string | null;
  readonly signed: SignedRecord | null;
  /** Whether a Copy or a Refund is taxed by today's rates, because the original's time is unknown. */
  readonly todaysRates: boolean;
  /**
   * The receipt that this one refers to, for example a refund's sale; null if it names none. `row` is null if that
   * receipt is not in the store.
   */
  readonly original: { readonly number: string; readonly row: ReceiptRow | null } | null;
  /** Receipts that refer to this one: refunds and copies, oldest first. While the index is incomplete there may be more. */
  readonly followers: { readonly rows: readonly ReceiptRow[]; readonly reading: IndexProgressRecord | null };
}

export interface SignedRecord {
  /** Lines of 40 columns; some are longer. */
  readonly journal: readonly string[];
  readonly verificationUrl: string;
  /** Rows of the QR code, one character per module, 1 is dark. Without the quiet zone. */
  readonly qr: readonly string[];
  readonly decoded: Readonly<Record<string, string | number>>;
  readonly hashValid: boolean;
  /** null if the card that signed is not in the reader. */
  readonly signatureValid: boolean | null;
}

export interface SettingRecord {
  readonly name: string;
  readonly section: ConsoleSection;
  readonly type: "integer" | "string" | "boolean" | "array";
  readonly description: string;
  /** The allowed values, if they are a fixed set; for an array, those of its entries. */
  readonly choices: readonly (string | number)[] | null;
  /** The current value. */
  readonly value: unknown;
  /** The value in the file; null if the file has none. */
  readonly saved: unknown;
  readonly default: unknown;
  /** The flag or environment variable that overrides the file; null if none does. */
  readonly overruledBy: string | null;
}

export interface SettingsRecord {
  /** The file in which settings are saved; null with temporary data. */
  readonly file: string | null;
  readonly settings: readonly SettingRecord[];
  /** Names of settings whose saved value needs a restart. */
  readonly waiting: readonly string[];
  /** Why the last restart did not apply the settings; null if it did. */
  readonly failed: string | null;
}

/** What is wrong with settings that were refused. */
export interface SettingsRefusal {
  readonly message: string;
  readonly settings: Readonly<Record<string, SettingProblem>>;
}

/** The service's address after its restart. */
export interface RestartRecord {
  readonly url: string;
}

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
}

export interface AuditCardRecord {
  readonly uid: string;
  readonly inReader: boolean;
  /** Sales that no proof of audit covers. */
  readonly unsent: number;
  /** Whether all of their packages have been sent. */
  readonly allSent: boolean;
  readonly audit: OpenAuditRecord | null;
  /** The last closed audit; null if there is none, or if another audit is open. */
  readonly lastAudit: { readonly endedAt: string; readonly outcome: "ended" | "void" | "superseded" } | null;
  readonly lastPackage: VerdictRecord | null;
  /** Number of packages that the authority found wrong or that could not be made, and the newest of them. */
  readonly wrong: number;
  readonly lastWrong: VerdictRecord | null;
  /** Packages that the authority refused, oldest first. They are sent again each hour. */
  readonly refused: readonly RefusalRecord[];
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
