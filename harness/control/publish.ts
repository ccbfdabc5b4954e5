/** Opens the cards of `tillseal card publish` according to settings and scenario. */
import { previewOf } from "../../emulator/card/preview.js";
import { profileFile, readProfile } from "../../emulator/card/profile.js";
import { newSeed } from "../../emulator/pki/random.js";
import type { VpcdLinkOptions } from "../../emulator/vpcd/vpcd-link.js";
import { readGiven } from "../../emulator/world/given-file.js";
import { PublishedCards } from "../../emulator/world/published-cards.js";
import { aboutSetting, type LoadedConfig } from "../../src/config/load.js";
import type { Settings } from "../../src/config/settings.js";
import { ControlServer, controlOptions } from "./control-server.js";
import { PUBLISHED_ENDPOINTS } from "./endpoints.js";
import { publishedHandlers } from "./handlers.js";

export { VPCD_PORT } from "../../emulator/vpcd/vpcd-link.js";

/** Rejects with ConfigError if settings or scenario are wrong, or another process uses the data folder. */
export async function openPublishedCards(config: LoadedConfig, link: VpcdLinkOptions): Promise<PublishedCards> {
  const { dataDir, scenario, profile = previewOf(config.settings).profile } = config.settings;
  const given = scenario === undefined ? {} : aboutSetting("scenario", config, () => readGiven(scenario));
  const card = aboutSetting("profile", config, () => readProfile(profileFile(profile)));
  return PublishedCards.open(given, { ...link, base: { card }, seed: newSeed(), dataDir });
}

export function openPublishedControl(cards: PublishedCards, settings: Settings, port: number): Promise<ControlServer> {
  const controlled = { endpoints: PUBLISHED_ENDPOINTS, handlers: publishedHandlers(cards) };
  return ControlServer.of(controlled, controlOptions(settings, port));
}
