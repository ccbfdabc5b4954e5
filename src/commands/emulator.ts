/** The only place where the service loads the emulator: on demand, and absent from the production package. */
import { codeOf } from "../error-code.js";
import { UserError } from "./user-error.js";

const importEmulator = () => import("../../emulator/index.js");

export type EmulatorModule = Awaited<ReturnType<typeof importEmulator>>;

/** Undefined if this package was built without the emulator. */
export async function loadEmulator(): Promise<EmulatorModule | undefined> {
  try {
    return await importEmulator();
  } catch (error) {
    if (codeOf(error) === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** @param what needs the emulator, such as "proxy" @throws UserError in the production package, which does not have it */
export async function needEmulator(what: string): Promise<EmulatorModule> {
  const emulator = await loadEmulator();
  if (!emulator) throw new UserError(`the production package has no ${what}; use the package for developers`);
  return emulator;
}
