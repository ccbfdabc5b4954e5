/** Describes what the service knows about a till at one moment. The findings follow from these facts. */
import type { CardTlsKeyFacts } from "../authority/card-tls-key.js";
import type { Contact } from "../authority/contact.js";
import type { EpochMs } from "../base/epoch-ms.js";
import type { EnvironmentSource, Unusable } from "../config/environment-in-force.js";
import type { ToRead } from "../config/sent-environments.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import type { Amounts } from "../fiscal/limit.js";
import type { Doubts } from "../fiscalizer/doubts.js";
import type { OldCard } from "../fiscalizer/old-card.js";
import type { MissingSales, PackageVerdict } from "../ledger/audit-ledger.js";
import type { KeptRefusal, LedgerFault } from "../ledger/ledger.js";
import type { SecureElementState } from "../secure-element/secure-element.js";
import type { ClockCheck } from "./time-watch.js";

export interface Facts {
  readonly now: EpochMs;
  readonly state: SecureElementState;
  /** Sum and limit of the card; undefined if the card has not answered. */
  readonly amount: Amounts | undefined;
  readonly environment: FiscalEnvironment | undefined;
  readonly environmentSource: EnvironmentSource;
  readonly contact: Contact;
  readonly doubts: Doubts;
  /** Why receipts cannot be stored or read; undefined if they can. */
  readonly storeProblem: { readonly fault: LedgerFault | "unreadable"; readonly folder: string } | undefined;
  readonly damagedEntries: number;
  /** Whether the index of RequestIds lacks entries of the store, or leads to entries that the store does not have. */
  readonly indexDamaged: boolean;
  /** Whether SQLite's log of the store cannot be written back into the store. */
  readonly keepsLog: boolean;
  /** Number of scheduled backups that are dated in the future. */
  readonly backupsAhead: number;
  /** Result of the last comparison with the time server; undefined before the first. */
  readonly clockCheck: ClockCheck | undefined;
  /** Free bytes on the data folder's disk; undefined if the system cannot measure them. */
  readonly freeBytes: number | undefined;
  /** The refusal of the card in the reader that the store keeps; undefined without one. */
  readonly refusal: KeptRefusal | undefined;
  /** Number of the card's sales without a proof of audit; undefined if unknown. */
  readonly unsent: number | undefined;
  /** The parts of the authority's configuration that we cannot use. */
  readonly unusable: Unusable;
  /** Commands that wait until a person confirms them, and changes of rates and parameters that no person has seen. */
  readonly toRead: ToRead;
  /** Time of the oldest sale that the authority does not have and that is on no stick. */
  readonly oldestUnsent: EpochMs | undefined;
  /** Packages that the authority found wrong, oldest first. */
  readonly wrongPackages: readonly PackageVerdict[];
  /**
   * Sales that the cards have counted, that this store does not have, and that no proof of audit covers: those that no
   * person has confirmed, or that an open audit needs.
   */
  readonly missingSales: readonly MissingSales[];
  /** Number of sales that may wait for a proof of audit. */
  readonly unsentLimit: number;
  /** Whether the service refuses sales at `unsentLimit`. It does only if it has a connection to the authority. */
  readonly refusesUnsent: boolean;
  /**
   * Another card that must be audited before the card in the reader may sell; undefined if the card in the reader may
   * sell.
   */
  readonly oldCard: OldCard | undefined;
  /** The key in the card for the authority; undefined if another key is configured, or the card was not read. */
  readonly cardKey: CardTlsKeyFacts | undefined;
  /** Whether receipts go to customers. They do if the card is in a real reader. */
  readonly shop: boolean;
}
