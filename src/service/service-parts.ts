/** What a service is made of, and where the emulator takes part. */
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import type { TaxAuthority } from "../authority/tax-authority.js";
import type { Clock, Timer } from "../clock.js";
import type { Settings } from "../config/settings.js";
import type { ConsoleEvents } from "../console/events.js";
import type { ConsoleParts } from "../console/router.js";
import type { SettingsAccess } from "../console/settings.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import type { FreeBytes } from "../health/disk.js";
import type { RootOf } from "../http/invoices.js";
import type { Store } from "../ledger/database.js";
import type { Ledger } from "../ledger/ledger.js";
import type { Observation } from "../observation.js";
import type { Random } from "../random.js";
import type { CardReader } from "../secure-element/card-reader.js";
import type { CardIdentity, SecureElement } from "../secure-element/secure-element.js";
import type { AskTime } from "../time-server/drift.js";

/** Where the emulator watches and interferes; a shop's service has none. */
export interface ServiceHooks {
  /** Other pages in front of everything, the guard included. */
  readonly before?: RequestHandler;
  /** Watches, in front of the guard. */
  readonly watch?: RequestHandler;
  readonly ledger?: (ledger: Ledger) => Ledger;
  /** The counter that an emulated card was set to. */
  readonly baseline?: (uid: string) => number | undefined;
  /** Throws while the disk takes nothing. */
  readonly tryWrite?: () => void;
  /** Where QR codes lead, instead of the environment's address. */
  readonly root?: RootOf;
}

export interface ServiceParts {
  readonly settings: Settings;
  /** Whether the data folder is deleted at the end. Default: if the settings name none. */
  readonly temporary?: boolean;
  readonly reader: CardReader;
  /** From the file: used until the tax authority has sent the card its own. */
  readonly environment: FiscalEnvironment | undefined;
  /** What people call that file; default: the setting `environment`. */
  readonly environmentName?: string | undefined;
  readonly clock: Clock;
  readonly timer: Timer;
  /** For the pauses of the link to the authority and of background tasks; default: `timer`. */
  readonly authorityTimer?: Timer | undefined;
  readonly random: Random;
  readonly log: Logger;
  /** The tax authority of a card; without it the service talks to none. @throws AuthorityError */
  readonly openAuthority?: ((identity: CardIdentity) => TaxAuthority) | undefined;
  /** Where that is, for people; undefined before it is known. */
  readonly authorityAddress?: ((identity: CardIdentity) => string | undefined) | undefined;
  /** Room on a disk; default: the system's. */
  readonly freeBytes?: FreeBytes | undefined;
  /** How long an answer about that holds; default: the system's. */
  readonly diskTimer?: Timer | undefined;
  /** The time of a time server; without it the clock is compared with none. */
  readonly askTime?: AskTime | undefined;
  /** Whether test-invoice answers if the settings do not say. */
  readonly testInvoiceByDefault: boolean;
  /** Whether the PIN guard is on if the settings do not say. */
  readonly pinGuardByDefault: boolean;
  readonly hooks?: ServiceHooks;
  /** Of the emulator's control interface, which the console calls too. */
  readonly controlPort?: () => number | undefined;
  /** Where settings are changed; without one the console has no such page. */
  readonly settingsAccess?: SettingsAccess | undefined;
  /** Ends the process that runs this service; without it no request can. */
  readonly endProcess?: (() => void) | undefined;
}

/** What is there before the rest can be built. */
export interface Foundation {
  readonly parts: ServiceParts;
  readonly folder: string;
  readonly store: Store;
  readonly secureElement: SecureElement;
  readonly observation: Observation;
  readonly events: ConsoleEvents;
  /** How the console ends the process, and its token. */
  readonly access: Pick<ConsoleParts, "stopAccess" | "token">;
}
