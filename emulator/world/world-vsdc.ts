/** The online service of a world, with the taxpayers of the world's cards and the authority's environment. */
import type { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { MAIN_CARD } from "../card/named-cards.js";
import { waitingTimer } from "../faults/emulated-clock.js";
import type { EmulatedKeys } from "../pki/keys.js";
import { SeededRandom } from "../pki/random.js";
import type { TaxAuthorityServer } from "../tax-authority/tax-authority-server.js";
import { keptTlsAuthority, sharedTlsMaker, TlsMaker } from "../tax-authority/tls-identity.js";
import { OnlineService } from "../tax-authority/vsdc/online-service.js";
import type { GivenVsdc } from "./given.js";
import type { WorldParts } from "./parts.js";
import type { WorldFolder } from "./world-folder.js";

export interface WorldVsdcParts {
  readonly given: GivenVsdc;
  readonly parts: WorldParts;
  readonly folder: WorldFolder;
  readonly keys: EmulatedKeys;
  readonly seed: string;
  readonly port: number;
  readonly traffic: TrafficLog;
  readonly authority: () => TaxAuthorityServer | undefined;
  /** Returns the beginning of verification URLs. It replaces the address in the environment. */
  readonly root: (() => string) | undefined;
}

/** Rejects with the system's error, or with a ConfigError if the folder is damaged. */
export async function openVsdc(world: WorldVsdcParts): Promise<OnlineService> {
  const { given, parts, folder, keys, seed, port, traffic, authority, root } = world;
  const { clock, cards } = parts;
  const random = new SeededRandom(`${seed} online service`);
  return OnlineService.open({
    port,
    keys,
    clock,
    random,
    root,
    tls: tlsOf(folder, random),
    timer: waitingTimer(clock),
    sleep: (ms, ended) => clock.sleep(ms, ended),
    dataDir: folder.vsdc,
    environment: () => authority()?.office.environment ?? parts.environment,
    country: cards.named(MAIN_CARD).profile.taxpayer.country,
    taxpayer: (uid) => {
      const card = cards.withUid(uid);
      if (!card) return undefined;
      const { country: _, ...taxpayer } = card.profile.taxpayer;
      return taxpayer;
    },
    watch: (faultySend) => traffic.handler(faultySend, () => undefined, true),
    faults: given.faults ?? {},
  });
}

/** That of the authority: read from its folder, or shared with it if the data is temporary. */
function tlsOf({ authority }: WorldFolder, random: SeededRandom): TlsMaker {
  return authority === undefined ? sharedTlsMaker() : new TlsMaker(keptTlsAuthority(authority, random), random);
}
