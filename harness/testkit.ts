/** The emulator inside the process of a test: `import { createEmulator } from "tillseal/testkit"`. */
import { unfitNode } from "../src/base/unfit-node.js";
import type { Emulator, EmulatorOptions } from "./control/testkit-types.js";

export type { Fault, FaultWhere } from "../emulator/faults/fault.js";
export type { VsdcFaults } from "../emulator/tax-authority/authority-faults.js";
export type { CardPatch, CardRecord } from "../emulator/world/card-types.js";
export type { Given } from "../emulator/world/given.js";
export type {
  AuthorityAction,
  Emulator,
  EmulatorOptions,
  TestAuthority,
  TestCard,
  TestClock,
  TestOnlineService,
  TestService,
  TestSnapshots,
} from "./control/testkit-types.js";
export type { RequestFilter, SentRequest, Wait } from "./scenario/request-types.js";

/** Jest's jsdom puts the globals of a page in the place of Node's. */
const HIDDEN =
  "createEmulator needs Node's globals, which Jest's jsdom hides: begin the test file with /** @jest-environment node */, or start `tillseal serve` in globalSetup";
const unfit = unfitNode();
if (unfit !== undefined) throw new Error(unfit);

/**
 * Starts a service on an emulated card, on free ports of this machine. Latency takes no real time. You can run many emulators side
 * by side; each has its own card, clock and store.
 * @throws Error that names every wrong field of the options, the scenario or `given`
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  if (!("structuredClone" in globalThis)) throw new Error(HIDDEN);
  // An old Node refuses the rest of the program before the sentence above is said.
  const { runEmulator } = await import("./control/run-emulator.js");
  return runEmulator(options);
}
