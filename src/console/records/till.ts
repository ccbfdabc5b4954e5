/** The state of the till, as the console's first page shows it. */
import type { CountryFact } from "../../fiscal/countries.js";
import type { ReceiptRow } from "../../ledger/receipt-row.js";
import type { SentSource } from "../../ledger/sent.js";
import type { CardReason } from "../../secure-element/card-reason.js";
import type { Finding } from "../../state/finding.js";

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
      /** Number of PIN attempts that are left; null if the card was not asked, or has not answered. */
      readonly pinTriesLeft: number | null;
      /** Why the card refused the last signature. */
      readonly refuses: "disabled" | "counter-at-end" | "refused" | null;
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
  /** The general status codes that the status record has too. */
  readonly codes: readonly string[];
  readonly card: TillCard;
  /**
   * The card's sum and limit as decimal texts; null if the card has not answered, or if the caller may not see them.
   */
  readonly audit: { readonly sum: string; readonly limit: string } | null;
  /** Whether a person can start an audit of the card over the internet now, and if not, why; `none` without a card. */
  readonly auditState: AuditState;
  /** Name and number of the technician, from the setting `technician`; null if the setting has no value. */
  readonly technician: string | null;
  /** What stops sales or will stop them, the most important finding first. */
  readonly findings: readonly Finding[];
  readonly environment: {
    readonly name: string;
    readonly organization: string;
    readonly country: string;
    /** Values of the country that have no proof, such as `columns`. */
    readonly unproven: readonly CountryFact[];
    readonly timeZone: string;
    readonly languages: readonly string[];
    /** Name of the file from the settings that the environment comes from; null if it comes from the store. */
    readonly file: string | null;
    /** Where the values of the store come from; empty with a file. `since`: ISO 8601, UTC. */
    readonly sources: readonly {
      readonly source: SentSource;
      /** Such as ` (taxRates, root)`; empty if everything has this source. */
      readonly values: string;
      readonly since: string;
    }[];
  } | null;
  readonly authority: AuthorityRecord;
  /** Comparison of the service's clock with a time server; null if they have not been compared yet. */
  readonly clock: ClockRecord | null;
  readonly rates: readonly RateRecord[];
  /** The newest receipts; empty if the caller may not see them, null if they cannot be read. */
  readonly last: readonly ReceiptRow[] | null;
}

/**
 * State of the audit of the card. `no-connection`: the authority does not answer, or the service has no connection to
 * it. `runs`: an audit is open.
 */
export type AuditState = "none" | "possible" | "runs" | "no-connection";

export interface ClockRecord {
  /** Address of the time server. */
  readonly server: string;
  /** Seconds by which the clock is ahead (negative: behind); null if the server was never reached. */
  readonly ahead: number | null;
  /** When the last comparison ended: ISO 8601, UTC. */
  readonly at: string;
  /** Whether the difference exceeds the setting clockDrift. */
  readonly off: boolean;
  /** Why the last comparison with the time server failed; null if it succeeded. */
  readonly problem: string | null;
}

/** The connection to the tax authority. */
export interface AuthorityRecord {
  readonly contact: "not-asked" | "reachable" | "not-reachable";
  /** ISO 8601, UTC; null if unknown. */
  readonly since: string | null;
  /** When the authority was asked last: ISO 8601, UTC; null before. */
  readonly at: string | null;
  /** What does not work in the connection; null if everything works, or if the caller may not see the problem. */
  readonly problem: string | null;
}
