/**
 * Loads the emulator when it is needed; no other file does. build/bundle.ts leaves the emulator out of the production
 * package.
 */
import { HAS_EMULATOR } from "../base/edition.js";
import { UserError } from "../base/user-error.js";

const importEmulator = () => import("../../emulator/index.js");

export type EmulatorModule = Awaited<ReturnType<typeof importEmulator>>;

/** Loads the emulator. @returns undefined if this package was built without the emulator */
export async function loadEmulator(): Promise<EmulatorModule | undefined> {
  return HAS_EMULATOR ? importEmulator() : undefined;
}

/**
 * Loads the emulator.
 * @param purpose what needs the emulator, such as "proxy"
 * @throws UserError in the production package, which has no emulator
 */
export async function needEmulator(purpose: string): Promise<EmulatorModule> {
  const emulator = await loadEmulator();
  if (!emulator) throw new UserError(`the production package has no ${purpose}; use the package for developers`);
  return emulator;
}
