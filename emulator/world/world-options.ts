/** Options of a world that are not part of `given`. */

import type { LogSettings } from "../../src/config/log.js";
import type { Settings } from "../../src/config/settings.js";
import type { SettingsAccess } from "../../src/console/settings.js";
import type { Given } from "./given.js";

export interface WorldPlace {
  readonly port?: number | undefined;
  readonly host?: string;
  /** Address for customers. Default: the address that the POS called. */
  readonly publicAddress?: string | undefined;
  /** Settings of scheduled copies of the store. Default: no copies. */
  readonly backups?: { readonly [N in "backupFolder" | "backupKeep"]: Settings[N] };
}

export interface WorldOptions extends WorldPlace {
  /** Whether latency takes real time. */
  readonly realTime?: boolean;
  /** Settings of the log. Default: no log. */
  readonly log?: LogSettings;
  /** Folder for the store and the cards. Default: a temporary folder. */
  readonly dataDir?: string;
  /** Supplies the fields that a `given` of this world leaves out. */
  readonly base?: Given;
  /** Seed of all random values, unless `given` has one. */
  readonly seed?: string;
  /** Port of the emulated authority, if `given` has one. Default: a free port. */
  readonly authorityPort?: number | undefined;
  /** Whether the authority takes a free port if {@link authorityPort} is busy. */
  readonly otherAuthorityPort?: boolean;
  /** If it is busy, the online service takes a free one. Default: a free port. */
  readonly vsdcPort?: number;
  /** Whether QR codes lead to the verification page of this service. */
  readonly ownAuthority?: boolean;
  /** Lets the console change settings. */
  readonly settingsAccess?: SettingsAccess;
  /** Ends the process. Without this function, no request can end the process. */
  readonly endProcess?: () => void;
}
