/** The setting `pcscModule`, for commands that read no other setting. */
import { Option } from "commander";
import { environmentVariable, flag, SETTINGS } from "../config/settings.js";
import { PCSC_MODULES } from "../secure-element/pcsc/binding.js";

export function pcscModuleOption(): Option {
  const { description } = SETTINGS.pcscModule;
  return new Option(`${flag("pcscModule")} <module>`, description)
    .choices(PCSC_MODULES)
    .env(environmentVariable("pcscModule"))
    .default(PCSC_MODULES[0]);
}
