/** Makes errors name the flag, the variable or the key of the setting that they are about. */
import { at } from "./config-error.js";
import type { LoadedConfig } from "./load.js";
import { environmentVariable, flag, type SettingName } from "./settings.js";

/**
 * Reads the file or address that a setting names.
 * @throws ConfigError that begins with the setting's flag, variable or key
 */
export function aboutSetting<T>(name: SettingName, config: LoadedConfig, read: () => T): T {
  return at(setBy(name, config), read);
}

/** Where a setting was set: `--environment`, `TILLSEAL_ENVIRONMENT`, or `tillseal.yaml: environment`. */
function setBy(name: SettingName, { sources, file }: LoadedConfig): string {
  const source = sources.get(name);
  if (source === "flag") return flag(name);
  if (source === "environment") return environmentVariable(name);
  return source === "file" ? `${file}: ${name}` : name;
}
