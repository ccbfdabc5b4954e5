/** What the service's commands need of the emulator. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../src/package-root.js";
import { FolderMemory, initialState, VolatileMemory } from "./card/card-state.js";
import { EmulatedCard } from "./card/emulated-card.js";
import { EmulatedReader } from "./card/emulated-reader.js";
import { type CardProfile, loadProfile } from "./card/profile.js";
import { systemRandom } from "./random.js";
import { FIXTURE_KEYS, loadKeys } from "./tax-authority/keys.js";

export { listScenarios, runScenarioFiles, scenarioCoverage, setUpScenario, showScenario } from "./scenario/commands.js";
export { makeKeys } from "./tax-authority/keys.js";
export { VPCD_PORT, VpcdLink } from "./vpcd/vpcd-link.js";

const PROFILES = join(PACKAGE_ROOT, "fixtures", "profiles");

export interface EmulatorOptions {
  /** A file, or the name of a profile in fixtures/profiles. */
  readonly profile: string;
  /** Folder of the card's state; memory where absent. */
  readonly stateDir?: string;
}

export interface EmulatedSetup {
  readonly reader: EmulatedReader;
  readonly profile: CardProfile;
}

/** A card with its fixture keys. */
export function loadCard({ profile: name, stateDir }: EmulatorOptions): EmulatedCard {
  const named = join(PROFILES, `${name}.yaml`);
  const profile = loadProfile(existsSync(named) ? named : name);
  const initial = initialState(profile);
  const memory =
    stateDir === undefined ? new VolatileMemory(initial) : new FolderMemory(stateDir, profile.uid, initial);
  return new EmulatedCard(profile, memory, loadKeys(FIXTURE_KEYS), systemRandom);
}

/** A reader with a card in it. */
export function setUpEmulator(options: EmulatorOptions): EmulatedSetup {
  const card = loadCard(options);
  const reader = new EmulatedReader();
  reader.insert(card);
  return { reader, profile: card.profile };
}
