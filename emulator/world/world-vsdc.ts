/** The online service of a world, with the taxpayers of the world's cards and the authority's environment. */
import type { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { MAIN_CARD } from "../card/named-cards.js";
import { SeededRandom } from "../pki/random.js";
import type { TaxAuthorityServer } from "../tax-authority/tax-authority-server.js";
import { keptTlsAuthority, sharedTlsMaker, TlsMaker } from "../tax-authority/tls-identity.js";
import { OnlineService, type OnlineServiceOptions } from "../tax-authority/vsdc/online-service.js";
import { WORLD_KEYS, type WorldParts } from "./parts.js";
import type { WorldFolder } from "./world-folder.js";

export interface WorldVsdcParts extends Pick<OnlineServiceOptions, "port" | "root" | "faults"> {
  readonly parts: WorldParts;
  readonly folder: WorldFolder;
  readonly traffic: TrafficLog;
  readonly authority: () => TaxAuthorityServer | undefined;
}

/** Rejects with the system's error, or with a ConfigError if the folder is damaged. */
export function openVsdc(world: WorldVsdcParts): Promise<OnlineService> {
  const { parts, folder, traffic, authority, ...others } = world;
  const { clock, cards } = parts;
  const { authority: kept, vsdc: dataDir } = folder;
  const random = new SeededRandom(`${parts.seed} online service`);
  return OnlineService.open({
    ...others,
    keys: WORLD_KEYS,
    clock,
    random,
    // That of the authority: read from its folder, or shared with it if the data is temporary.
    tls: kept === undefined ? sharedTlsMaker() : new TlsMaker(keptTlsAuthority(kept, random), random),
    dataDir,
    environment: () => authority()?.office.environment ?? parts.environment,
    country: cards.named(MAIN_CARD).profile.taxpayer.country,
    taxpayer: (uid) => {
      const card = cards.withUid(uid);
      if (!card) return undefined;
      const { country: _, ...taxpayer } = card.profile.taxpayer;
      return taxpayer;
    },
    watch: (faultySend) => traffic.handler(faultySend, () => undefined, true),
  });
}
