/** Settings, as the console shows and saves them. Only types: the console's code imports this file too. */
import type { SettingProblem } from "../../config/setting-problem.js";
import type { ConsoleSection } from "../../config/settings/row.js";

export type { ConsoleSection, SettingProblem };

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
  /** Folder for backups; null if there is none. The console cannot change it. */
  readonly backupFolder: string | null;
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
