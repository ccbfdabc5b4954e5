/** Opens the cards of `tillseal card publish` according to settings and scenario. */
import { mkdirSync } from "node:fs";
import { previewOf } from "../../emulator/card/preview.js";
import { profileFile, readProfile } from "../../emulator/card/profile.js";
import { newSeed } from "../../emulator/pki/random.js";
import { readGiven } from "../../emulator/world/given-file.js";
import { PublishedCards } from "../../emulator/world/published-cards.js";
import { ConfigError } from "../../src/config/config-error.js";
import { aboutSetting, type LoadedConfig } from "../../src/config/load.js";
import type { Settings } from "../../src/config/settings.js";
import { type FolderLock, lockFolder } from "../../src/ledger/lock.js";
import { ControlServer, controlOptions } from "./control-server.js";
import { PUBLISHED_ENDPOINTS } from "./endpoints.js";
import { publishedHandlers } from "./handlers.js";

export { VPCD_PORT } from "../../emulator/vpcd/vpcd-link.js";

import type { VpcdLinkOptions } from "../../emulator/vpcd/vpcd-link.js";

/** Rejects with ConfigError if settings or scenario are wrong, or another process uses the data folder. */
export async function openPublishedCards(config: LoadedConfig, link: VpcdLinkOptions): Promise<PublishedCards> {
  const { dataDir, scenario, profile = previewOf(config.settings).profile } = config.settings;
  const given = scenario === undefined ? {} : aboutSetting("scenario", config, () => readGiven(scenario));
  const card = aboutSetting("profile", config, () => readProfile(profileFile(profile)));
  const options = { ...link, base: { card }, seed: newSeed() };
  if (dataDir === undefined) return PublishedCards.open(given, options);
  const lock = lockOf(dataDir);
  try {
    return await PublishedCards.open(given, { ...options, dataDir, lock });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Locks the data folder, so that no other process overwrites the cards. */
function lockOf(dataDir: string): FolderLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const locked = lockFolder(dataDir);
  if (locked) return locked;
  throw new ConfigError(`${dataDir} is in use by another tillseal; stop it or choose another data folder`);
}

export function openPublishedControl(cards: PublishedCards, settings: Settings, port: number): Promise<ControlServer> {
  const controlled = { endpoints: PUBLISHED_ENDPOINTS, handlers: publishedHandlers(cards) };
  return ControlServer.of(controlled, controlOptions(settings, port));
}
