/** What the service tells its console. Types alone: the console's own code reads them too. */

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
  /** The commit that it was built of; "" where it was built without git. */
  readonly build: string;
  /** Process number, for people. */
  readonly pid: number;
  /** Data folder, where `tillseal stop` finds the secret; null for a caller who may not see it. */
  readonly folder: string | null;
  /** `emulator` or `pcsc`. */
  readonly card: string;
  /** Port of the emulator's control interface; null with a real card. */
  readonly controlPort: number | null;
  /** Of the shop; null where nothing is configured. */
  readonly timeZone: string | null;
  /** What the till's clock shows: ISO 8601, UTC. An emulated clock is not the browser's. */
  readonly now: string;
  /** Whether requests of tills are kept, and this caller may see them; the emulator has its own. */
  readonly traffic: boolean;
  /** Whether this caller may see receipts and settings. */
  readonly trusted: boolean;
  /** Whether a token decides that, not the caller's address. */
  readonly asksToken: boolean;
}

export type TillCard =
  | { readonly state: "no-card"; readonly reason: string; readonly why: CardReason; readonly noReader: boolean }
  | { readonly state: "unreachable" | "unsupported"; readonly reason: string; readonly why: CardReason }
  | {
      readonly state: "ready";
      readonly uid: string;
      readonly appletVersion: string;
      /** Of the card's certificate: ISO 8601, UTC. */
      readonly validFrom: string;
      readonly validTo: string;
      readonly pin: "required" | "verified" | "locked";
      /** null where the card does not tell. */
      readonly pinTriesLeft: number | null;
      /** Why the card would not sign when it was last asked. */
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
  /** Decimal text; null where the card does not tell, and for a caller who may not see it. */
  readonly audit: { readonly sum: string; readonly limit: string } | null;
  readonly doubts: DoubtsRecord;
  /** Whether a shop runs with a test card, whose receipts are not valid. */
  readonly testCard: boolean;
  /** Why nothing can be stored; null where receipts are stored. */
  readonly storeProblem: { readonly fault: string; readonly folder: string } | null;
  readonly environment: {
    readonly name: string;
    readonly organization: string;
    readonly country: string;
    readonly timeZone: string;
    readonly languages: readonly string[];
    /** `file`: its name. Else null, and `since` is when the authority has sent the newest of it: ISO 8601, UTC. */
    readonly file: string | null;
    readonly since: string | null;
  } | null;
  /** Whether the authority has sent rates and parameters, and the store has damaged them. */
  readonly environmentDamaged: boolean;
  /** So many sales wait for a proof of audit that the next one is refused. */
  readonly packagesFull: boolean;
  /** Whole days until the card's certificate ends, where that is soon; else null. */
  readonly certificateEnds: number | null;
  /** Where a shop's disk is nearly full: MiB that are free; else null. */
  readonly diskLow: number | null;
  readonly authority: AuthorityRecord;
  /** Null where the clock was not compared with a time server's yet. */
  readonly clock: ClockRecord | null;
  readonly rates: readonly RateRecord[];
  /** The newest ones; empty for a caller who may not see them. */
  readonly last: readonly ReceiptRow[];
}

export interface ClockRecord {
  /** Address of the time server. */
  readonly server: string;
  /** s by which the clock is ahead; negative where it is behind; null where the server was never reached. */
  readonly ahead: number | null;
  /** Whether the clock is further off than the setting clockDrift says. */
  readonly off: boolean;
  /** Why the last attempt failed; null where it has not. */
  readonly problem: string | null;
}

/** The talk with the tax authority. */
export interface AuthorityRecord {
  readonly contact: "not-asked" | "reachable" | "not-reachable";
  /** ISO 8601, UTC; null where it is not known. */
  readonly since: string | null;
  /** What does not work; null where everything does, and for a caller who may not see it. */
  readonly problem: string | null;
}

/** The record of changes. */
export interface ChangesRecord {
  /** The newest ones, newest first. */
  readonly changes: readonly ShownChange[];
}

/** How many there are; the reports say which. */
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
  /** For people to type: its RequestId, or one that the service has made. */
  readonly name: string;
  readonly requestId: string | null;
  /** Of the card. */
  readonly uid: string;
  /** ISO 8601, UTC; null where the store is damaged, as for the amount. */
  readonly since: string | null;
  /** Decimal text. */
  readonly totalAmount: string | null;
  readonly wayOut: WayOut;
}

/** Those that wait for a person; what a person has decided is known. */
export type ReportKind = Exclude<LedgerReportKind, "decided">;

export interface ReportRecord {
  readonly id: number;
  readonly kind: ReportKind;
  /** Of the card. */
  readonly uid: string;
  /** Counters; null where they are not known. */
  readonly from: number | null;
  readonly to: number | null;
  /** ISO 8601, UTC; null where it is not known. */
  readonly at: string | null;
  /** Of the sale that it is about. */
  readonly requestId: string | null;
}

/** What a Training receipt has shown. */
export interface TrainingRecord {
  /** Whether the card had signed the sale in doubt; null where that is still not known. */
  readonly signed: boolean | null;
}

/** A request of a till, what it got, and what the card was asked meanwhile. PINs are masked. */
export interface TrafficRecord extends Omit<TrafficEntry, "at"> {
  /** ISO 8601, UTC. */
  readonly at: string;
}

export interface ReceiptListRecord {
  readonly receipts: readonly ReceiptRow[];
  readonly more: boolean;
  /** Whether the store has no receipt at all. */
  readonly empty: boolean;
  /** How far the index of receipts is, where that is not the end: there may be more. Null where nothing is filtered, too. */
  readonly reading: IndexProgressRecord | null;
  /** How a search was read; null without one. */
  readonly understood: UnderstoodRecord | null;
}

/** Entries of the store. */
export interface IndexProgressRecord {
  readonly done: number;
  readonly total: number;
}

/** A text is a number or the beginning of a RequestId, and what else it can be. */
export interface UnderstoodRecord {
  /** Total counter; null where the text is none. */
  readonly counter: number | null;
  /** Decimal texts. */
  readonly amounts: readonly string[];
}

export interface ReceiptDetailRecord extends ReceiptRow {
  /** False where the store does not say any more what was written. */
  readonly intact: boolean;
  /** JSON: the invoice as it was understood, and what was computed of it; null where the receipt was adopted. */
  readonly request: string | null;
  /** JSON, without the QR code; null until signed. */
  readonly answer: string | null;
  readonly signed: SignedRecord | null;
  /** Whether a Copy or a Refund is taxed by today's rates, because the original's time is unknown. */
  readonly todaysRates: boolean;
  /** The receipt that this one refers to, as a refund to its sale; null where it names none. `row` is null where it is not here. */
  readonly original: { readonly number: string; readonly row: ReceiptRow | null } | null;
  /** Receipts that refer to this one: refunds and copies, oldest first. While the index is read there may be more. */
  readonly followers: { readonly rows: readonly ReceiptRow[]; readonly reading: IndexProgressRecord | null };
}

export interface SignedRecord {
  /** Lines of 40 columns; some are longer. */
  readonly journal: readonly string[];
  readonly verificationUrl: string;
  /** Rows of the QR code, a character a module: 1 is dark. Without the quiet zone. */
  readonly qr: readonly string[];
  readonly decoded: Readonly<Record<string, string | number>>;
  readonly hashValid: boolean;
  /** null where the card that has signed is not the one in the reader. */
  readonly signatureValid: boolean | null;
}

export interface SettingRecord {
  readonly name: string;
  readonly section: ConsoleSection;
  readonly type: "integer" | "string" | "boolean" | "array";
  readonly description: string;
  /** What may be chosen, where it is a choice; of an array, what each may be. */
  readonly choices: readonly (string | number)[] | null;
  /** What the service runs with. */
  readonly value: unknown;
  /** What the file says; null where it says nothing. */
  readonly saved: unknown;
  readonly default: unknown;
  /** Flag or environment variable that wins over the file; null where none does. */
  readonly overruledBy: string | null;
}

export interface SettingsRecord {
  /** Where they are saved; null where nothing is kept. */
  readonly file: string | null;
  readonly settings: readonly SettingRecord[];
  /** Names of those whose saved value waits for a restart. */
  readonly waiting: readonly string[];
  /** Why the last restart has not brought them into force; null where it has. */
  readonly failed: string | null;
}

/** What is wrong with settings that were not saved. */
export interface SettingsRefusal {
  readonly message: string;
  readonly settings: Readonly<Record<string, SettingProblem>>;
}

/** Where the service will listen after its restart. */
export interface RestartRecord {
  readonly url: string;
}

/** How the tax authority's audits stand. */
export interface AuditsRecord {
  /** Whether the service talks to the authority itself. */
  readonly configured: boolean;
  /** Address of the authority of the card in the reader; null where there is none. */
  readonly address: string | null;
  /** So many sales of a card may wait for a proof of audit. */
  readonly unsentLimit: number;
  /** The one in the reader first. */
  readonly cards: readonly AuditCardRecord[];
}

export interface AuditCardRecord {
  readonly uid: string;
  readonly inReader: boolean;
  /** Sales that no proof of audit covers. */
  readonly unsent: number;
  /** Whether the authority has the packages of all of them. */
  readonly allSent: boolean;
  readonly audit: OpenAuditRecord | null;
  /** The one that was closed last; null where there was none, or another one is open. */
  readonly lastAudit: { readonly endedAt: string; readonly outcome: "ended" | "void" | "superseded" } | null;
  readonly lastPackage: VerdictRecord | null;
  /** How many packages the authority found wrong, or could not be made, and the newest of them. */
  readonly wrong: number;
  readonly lastWrong: VerdictRecord | null;
  /** Packages that the authority has refused, the oldest first. They are sent again each hour. */
  readonly refused: readonly RefusalRecord[];
}

export interface RefusalRecord {
  readonly number: string;
  /** What the authority said. */
  readonly reason: string;
  readonly at: string;
}

export interface OpenAuditRecord {
  /** Times are ISO 8601, UTC. */
  readonly startedAt: string;
  /** Decimal texts, as the card said when the audit was started. */
  readonly sum: string;
  readonly limit: string;
  /**
   * What comes next: packages are to be sent, the proof is to be asked for, the proof is to come, or the card is to be asked what
   * became of a proof.
   */
  readonly waitsFor: "packages" | "request" | "proof" | "card";
  readonly requestedAt: string | null;
}

export interface VerdictRecord {
  readonly number: string;
  /** As the authority said; null where no package could be made, because the stored sale is damaged. */
  readonly status: number | null;
  readonly at: string;
}

/** What became of the wish for an audit. An audit that is under way goes on. */
export interface AuditBegunRecord {
  readonly begun: boolean;
  /** Why not, in English; null where it has begun. */
  readonly reason: string | null;
  /** Why not; null where it has begun. */
  readonly obstacle: AuditObstacle | null;
}
