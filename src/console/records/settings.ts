/** Settings, as the console shows and saves them. */
import type { ConsoleSection, SettingProblem } from "../../config/settings/row.js";

export type { ConsoleSection, SettingProblem };

export interface SettingRecord {
  readonly name: string;
  readonly section: ConsoleSection;
  readonly type: "integer" | "string" | "boolean" | "array";
  readonly description: string;
  /** The allowed values, or for an array the allowed values of its entries; null if they are not a fixed set. */
  readonly choices: readonly (string | number)[] | null;
  readonly value: unknown;
  /** The value in the file of the settings; null if the file has no value for this setting. */
  readonly saved: unknown;
  readonly default: unknown;
  /** The flag or environment variable that overrides the value in the file; null if nothing overrides it. */
  readonly overruledBy: string | null;
}

export interface SettingsRecord {
  /** The file in which settings are saved; null with temporary data. */
  readonly file: string | null;
  readonly settings: readonly SettingRecord[];
  /** Folder for backups; null if no folder is set. The console cannot change this setting. */
  readonly backupFolder: string | null;
  /** Names of settings whose saved value needs a restart. */
  readonly waiting: readonly string[];
  /** Why the last restart did not apply the saved settings; null if it applied them. */
  readonly failed: string | null;
}

/** Answer to settings that the service refuses. It says what is wrong with each of them. */
export interface SettingsRefusal {
  readonly message: string;
  readonly settings: Readonly<Record<string, SettingProblem>>;
}

/** The service's address after its restart. */
export interface RestartRecord {
  readonly url: string;
}
