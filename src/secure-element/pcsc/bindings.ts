/** The modules that can call PC/SC. */
import type { PcscBinding, PcscModule } from "./binding.js";
import { koffiBinding } from "./koffi-context.js";
import { pcscliteBinding } from "./pcsclite-binding.js";

const BINDINGS: Readonly<Record<PcscModule, PcscBinding>> = { koffi: koffiBinding, pcsclite: pcscliteBinding() };

export function bindingOf(module: PcscModule): PcscBinding {
  return BINDINGS[module];
}
