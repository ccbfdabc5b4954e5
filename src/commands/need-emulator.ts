/** The emulator for commands that do nothing without it. */

import { UserError } from "../base/user-error.js";
import { type EmulatorModule, loadEmulator } from "./emulator.js";

/** @param purpose needs the emulator, such as "proxy" @throws UserError in the production package, which does not have it */
export async function needEmulator(purpose: string): Promise<EmulatorModule> {
  const emulator = await loadEmulator();
  if (!emulator) throw new UserError(`the production package has no ${purpose}; use the package for developers`);
  return emulator;
}
