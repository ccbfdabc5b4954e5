/** The only place where the service loads the emulator, on demand. build/bundle.ts replaces this file in the production package. */
import { codeOf } from "../base/thrown.js";

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
