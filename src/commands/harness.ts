/** Loads the emulator and its harness; no other file does. build/bundle.ts leaves both out of the production package. */
import { HAS_EMULATOR } from "../base/package-root.js";

/** @returns undefined if this package was built without the emulator */
export async function loadHarness() {
  return HAS_EMULATOR ? import("../../harness/index.js") : undefined;
}
