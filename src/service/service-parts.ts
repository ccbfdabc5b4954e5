/** Describes the parts of which a service is made, and the emulator's hooks. */
import type { RequestHandler } from "express";
import type { IsSameAddress } from "../authority/command-execution.js";
import type { RequestCardToken } from "../authority/configured.js";
import type { TaxAuthority } from "../authority/tax-authority.js";
import type { Timer } from "../base/clock.js";
import type { Random } from "../base/random.js";
import type { Background } from "../base/repeater.js";
import type { Settings } from "../config/settings.js";
import type { ConsoleEvents } from "../console/events.js";
import type { ConsoleParts } from "../console/router.js";
import type { SettingsAccess } from "../console/settings.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import type { RequesterOf, RootOf } from "../http/invoices.js";
import type { EncryptedServer } from "../http/server.js";
import type { TrafficLog } from "../http/traffic/traffic-log.js";
import type { MemoryStore, Store } from "../ledger/database.js";
import type { Ledger } from "../ledger/ledger.js";
import type { CardReader } from "../secure-element/card-reader.js";
import type { CardIdentity, SecureElement } from "../secure-element/secure-element.js";
import type { FreeBytes } from "../state/disk.js";
import type { AskTime } from "../state/sntp.js";
import type { Observation } from "./observation.js";

/** The emulator's hooks for watching and interfering; a shop's service has none. */
export interface ServiceHooks {
  /** Serves pages before the guard and all other handlers, except the one that observes requests. */
  readonly before?: RequestHandler;
  /** A watcher that runs before the guard. */
  readonly watch?: RequestHandler;
  /** Called after each write to the store for a request. */
  readonly wrote?: TrafficLog["wrote"];
  readonly ledger?: (ledger: Ledger) => Ledger;
  readonly baseline?: (uid: string) => number | undefined;
  /** Whether both are addresses of the emulated authority, whose change of port people need not confirm. */
  readonly isSameAddress?: IsSameAddress;
  /** Throws an error while the emulator pretends that the disk cannot be written. */
  readonly tryWrite?: () => void;
  /** Awaited after the card has been read and before the port opens. Without it, the port opens first. */
  readonly beforeListening?: () => Promise<void>;
  readonly root?: RootOf;
  readonly requester?: RequesterOf;
  readonly encrypted?: EncryptedServer;
}

export interface ServiceParts extends Omit<Background, "changed"> {
  readonly settings: Settings;
  /** Keeps the store in memory, also while no service runs. Default: new, if the settings name no data folder. */
  readonly memory?: MemoryStore | undefined;
  readonly reader: CardReader;
  /** The environment from a file, used until the tax authority has sent one for the card. */
  readonly environment: FiscalEnvironment | undefined;
  /** Name of the file with the environment, for people; default: the setting `environment`. */
  readonly environmentName?: string | undefined;
  /** Timer for the pauses of the link to the authority and of background tasks; default: `timer`. */
  readonly authorityTimer?: Timer | undefined;
  readonly random: Random;
  /**
   * Opens the tax authority of a card; if absent, the service has no connection.
   * @param cardToken gets tokens with the key in the card, if `cardKey` is set
   * @throws AuthorityError
   */
  readonly openAuthority?: ((identity: CardIdentity, cardToken?: RequestCardToken) => TaxAuthority) | undefined;
  /** Whether the key for the authority is in the card: by a setting, or because no other key is configured. */
  readonly cardKey?: "set" | "default" | undefined;
  /** The authority's address, for people; undefined before it is known. */
  readonly authorityAddress?: ((identity: CardIdentity) => string | undefined) | undefined;
  /** Free space on a disk; default: the system's. */
  readonly freeBytes?: FreeBytes | undefined;
  /** Timer for how long the free space is cached; default: the system's. */
  readonly diskTimer?: Timer | undefined;
  /** Asks a time server; if absent, the clock is not checked. */
  readonly askTime?: AskTime | undefined;
  readonly hooks?: ServiceHooks;
  /** Port of the emulator's control interface, which the console calls too. */
  readonly controlPort?: () => number | undefined;
  /** Access to the settings; if absent, the console has no settings page. */
  readonly settingsAccess?: SettingsAccess | undefined;
  /** Ends this process; if absent, no request can end it. */
  readonly endProcess?: (() => void) | undefined;
}

export interface Foundation {
  readonly parts: ServiceParts;
  readonly folder: string;
  readonly store: Store;
  readonly secureElement: SecureElement;
  readonly observation: Observation;
  readonly events: ConsoleEvents;
  /** Access for ending the process, the console's token, and the secret in the data folder for local commands. */
  readonly access: Pick<ConsoleParts, "stopAccess" | "token" | "secret">;
}
