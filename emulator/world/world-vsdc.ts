/** The online service of a world, with the taxpayers of the world's cards and the authority's environment. */
import { nearby } from "../../src/http/listen.js";
import { MAIN_CARD } from "../card/named-cards.js";
import { SeededRandom } from "../pki/random.js";
import { keptTlsAuthority, sharedTlsMaker, TlsMaker } from "../tax-authority/tls-identity.js";
import { OnlineService } from "../tax-authority/vsdc/online-service.js";
import { WORLD_KEYS } from "./parts.js";
import type { World } from "./world.js";
import type { WorldFolder } from "./world-folder.js";
import { verificationRoot } from "./world-service.js";

/** Rejects with the system's error, or with a ConfigError if the folder is damaged. */
export function openVsdc(world: World, folder: WorldFolder, port: number): Promise<OnlineService> {
  const { parts, given } = world;
  const { clock, cards } = parts;
  const { authority: kept, vsdc: dataDir } = folder;
  const random = new SeededRandom(`${world.seed} online service`);
  return OnlineService.open({
    port,
    keys: WORLD_KEYS,
    clock,
    faults: given.vsdc?.faults ?? {},
    root: verificationRoot(world.options, parts.environment, () => nearby(world.service.url)),
    random,
    // That of the authority: read from its folder, or shared with it if the data is temporary.
    tls: kept === undefined ? sharedTlsMaker() : new TlsMaker(keptTlsAuthority(kept, random), random),
    dataDir,
    environment: () => world.taxAuthority?.office.environment ?? parts.environment,
    country: cards.named(MAIN_CARD).profile.taxpayer.country,
    taxpayer: (uid) => {
      const card = cards.withUid(uid);
      if (!card) return undefined;
      const { country: _, ...taxpayer } = card.profile.taxpayer;
      return taxpayer;
    },
    watch: (faultySend) => world.traffic.handler(faultySend, () => undefined, true),
  });
}
