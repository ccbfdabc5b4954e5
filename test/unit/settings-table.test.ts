/** The table of settings, from which flags, variables, schemas, documentation and the console's page derive. */
import { expect, it } from "vitest";
import { isSettingValue } from "../../src/config/load.js";
import { ACCESS_SETTINGS } from "../../src/config/settings/access.js";
import { AUTHORITY_SETTINGS } from "../../src/config/settings/authority.js";
import { EMULATOR_SETTINGS } from "../../src/config/settings/emulator.js";
import { LOG_SETTINGS } from "../../src/config/settings/log.js";
import { SERVICE_SETTINGS } from "../../src/config/settings/service.js";
import { STORE_SETTINGS } from "../../src/config/settings/store.js";
import { TILL_SETTINGS } from "../../src/config/settings/tills.js";
import { SETTING_NAMES, SETTINGS } from "../../src/config/settings.js";

it("the table of settings has each setting in one file only", () => {
  const files = [
    SERVICE_SETTINGS,
    EMULATOR_SETTINGS,
    TILL_SETTINGS,
    ACCESS_SETTINGS,
    AUTHORITY_SETTINGS,
    STORE_SETTINGS,
    LOG_SETTINGS,
  ];
  expect(files.flatMap((rows) => Object.keys(rows))).toEqual(SETTING_NAMES);
});

it.each(SETTING_NAMES.filter((name) => SETTINGS[name].default !== undefined))(
  "the table of settings allows the default of %s",
  (name) => {
    expect(isSettingValue(name, SETTINGS[name].default)).toBe(true);
  },
);

it("the table of settings keeps settings of the emulator out of scenarios and of the console", () => {
  const ofEmulator = SETTING_NAMES.filter((name) => SETTINGS[name].scope === "emulator");
  expect(ofEmulator).toEqual(Object.keys(EMULATOR_SETTINGS));
  expect(ofEmulator.filter((name) => SETTINGS[name].console !== undefined)).toEqual([]);
});
