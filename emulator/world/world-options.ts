/** How a world is run, with any `given`. */

import type { Settings } from "../../src/config/settings.js";
import type { SettingsAccess } from "../../src/console/settings.js";
import type { LogSettings } from "../../src/log.js";
import type { Given } from "./given.js";

/** Where the service of a world is reached. */
export interface WorldPlace {
  readonly port?: number | undefined;
  readonly host?: string;
  /** Where customers reach it. Default: the address that the POS has called. */
  readonly publicAddress?: string | undefined;
  /** Copies of the store by schedule. Default: none. */
  readonly backups?: BackupSettings;
}

export type BackupSettings = Pick<Settings, "backupFolder" | "backupHours" | "backupKeep">;

export function backupsOf({ backupFolder, backupHours, backupKeep }: Settings): BackupSettings {
  return { ...(backupFolder === undefined ? {} : { backupFolder }), backupHours, backupKeep };
}

export interface WorldOptions extends WorldPlace {
  /** Whether latency really takes its time. */
  readonly realTime?: boolean;
  /** Default: nothing is logged. */
  readonly log?: LogSettings;
  /** Keeps store and cards. Default: a temporary folder. */
  readonly dataDir?: string;
  /** What every `given` of this world starts from. */
  readonly base?: Given;
  /** What everything random follows from, unless `given` has a seed. */
  readonly seed?: string;
  /** Of the emulated authority, if `given` has one. Default: a free port. */
  readonly authorityPort?: number | undefined;
  /** Whether {@link authorityPort} may become a free one where it is taken. */
  readonly otherAuthorityPort?: boolean;
  /** Whether the service answers before the authority has started; {@link World.ready} waits for it. */
  readonly beforeAuthority?: boolean;
  /** Whether QR codes lead to the emulated authority in front of this service. */
  readonly ownAuthority?: boolean;
  /** Where the console changes settings. */
  readonly settingsAccess?: SettingsAccess;
  /** Ends the process; without it no request can. */
  readonly endProcess?: () => void;
}
