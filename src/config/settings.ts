/**
 * Lists all settings in one table. The type of their values, the flags, the environment variables, the schema of the
 * configuration file, `tillseal config`, docs/settings.md and the console's page are derived from this table.
 */
import { HAS_EMULATOR } from "../base/package-root.js";
import { ACCESS_SETTINGS } from "./settings/access.js";
import { AUTHORITY_SETTINGS } from "./settings/authority.js";
import { EMULATOR_SETTINGS } from "./settings/emulator.js";
import { LOG_SETTINGS } from "./settings/log.js";
import type { ConsoleOf, ConsoleRow, SettingRow, SettingsOf } from "./settings/row.js";
import { SERVICE_SETTINGS } from "./settings/service.js";
import { STORE_SETTINGS } from "./settings/store.js";
import { TILL_SETTINGS } from "./settings/tills.js";

const TABLE = {
  ...SERVICE_SETTINGS,
  ...EMULATOR_SETTINGS,
  ...TILL_SETTINGS,
  ...ACCESS_SETTINGS,
  ...AUTHORITY_SETTINGS,
  ...STORE_SETTINGS,
  ...LOG_SETTINGS,
};

export type SettingName = keyof typeof TABLE;
export type ConsoleSetting = ConsoleOf<typeof TABLE>;
export type Settings = SettingsOf<typeof TABLE>;

export const SETTINGS: { readonly [Name in SettingName]: Name extends ConsoleSetting ? ConsoleRow : SettingRow } =
  TABLE;

/** The settings of this package, in the order of the table. */
export const SETTING_NAMES = (Object.keys(SETTINGS) as SettingName[]).filter(
  (name) => HAS_EMULATOR || SETTINGS[name].scope !== "emulator",
);

export const CONSOLE_SETTINGS = SETTING_NAMES.filter(
  (name): name is ConsoleSetting => SETTINGS[name].console !== undefined,
);

export function settingsSchema(names: readonly SettingName[]) {
  const properties = names.map((name) => {
    const { schema, default: fallback, description } = SETTINGS[name];
    return [name, { ...schema, ...(fallback === undefined ? {} : { default: fallback }), description }] as const;
  });
  return { type: "object", additionalProperties: false, properties: Object.fromEntries(properties) };
}

/** Name of the setting's environment variable: `TILLSEAL_DATA_DIR` for `dataDir`. */
export function environmentVariable(setting: SettingName): string {
  return `TILLSEAL_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Name of the setting's flag on the command line: `--data-dir` for `dataDir`. */
export function flag(setting: SettingName): string {
  return `--${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
