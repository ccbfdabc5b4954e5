/** The checks of `tillseal doctor`. */
import { versionText } from "../base/build.js";
import { systemClock, systemTimer } from "../base/clock.js";
import { aboutSetting } from "../config/about-setting.js";
import { dataDirOf } from "../config/data-dir.js";
import { loadNamedEnvironment } from "../config/environment.js";
import type { LoadedConfig } from "../config/load.js";
import type { Settings } from "../config/settings.js";
import { checkAuthority } from "../doctor/authority.js";
import { checkBackups } from "../doctor/backups.js";
import { checkCard } from "../doctor/card.js";
import { checkCardAndStore } from "../doctor/card-and-store.js";
import { checkCountry } from "../doctor/country.js";
import { type Finding, fail, ok } from "../doctor/finding.js";
import { checkDataFolder, checkDisk, checkPort, checkTimeServer } from "../doctor/machine.js";
import { checkPackages } from "../doctor/packages.js";
import { checkRates } from "../doctor/rates.js";
import { checkRetention } from "../doctor/retention.js";
import { checkStore } from "../doctor/store.js";
import type { CardIdentity } from "../secure-element/secure-element.js";
import { lookAtCard } from "./look-at-card.js";

/** The doctor always checks a real card, even if the settings name the emulated one, which always works. */
export async function examine(config: LoadedConfig): Promise<Finding[]> {
  const { settings } = config;
  const dataDir = dataDirOf(settings);
  const { environment: fileName = "none" } = settings;
  const file = aboutSetting("environment", config, () => loadNamedEnvironment(fileName));
  const { findings, identity } = await readerAndCard(settings, dataDir);
  const rates = checkRates({ dataDir, uid: identity?.uid, file, fileName, now: systemClock.now() });
  const authority = await checkAuthority(config, identity, { clock: systemClock, timer: systemTimer });
  const timeServer = await checkTimeServer(rates.environment?.parameters.ntpServer, systemClock, settings.clockDrift);
  return [
    ok("program", `tillseal ${versionText()} on Node ${process.versions.node}`),
    ...findings,
    rates.finding,
    ...checkCountry(rates.environment?.parameters.country),
    ...authority,
    ...(await checkPackages(dataDir)),
    timeServer,
    await checkPort(settings.host, settings.port),
    await checkDataFolder(dataDir),
    await checkDisk(dataDir),
    ...checkStore(dataDir),
    ...checkBackups(settings, dataDir, systemClock.now()),
    ...checkRetention(settings, [...authority, timeServer]),
  ];
}

interface LookedAt {
  readonly findings: readonly Finding[];
  /** The card's identity, if it can be read. */
  readonly identity?: CardIdentity;
}

function readerAndCard({ reader: name, pcscModule }: Settings, dataDir: string): Promise<LookedAt> {
  return lookAtCard(name, pcscModule, async (secureElement, reader) => {
    const { missing, description } = reader;
    if (missing === "no-module" || missing === "no-library" || missing === "no-service") {
      return { findings: [fail("PC/SC", description)] };
    }
    const service = ok("PC/SC", "the service is running");
    if (missing === "no-reader") return { findings: [service, fail("reader", description)] };
    const found = ok("reader", reader.readers.map((status) => status.name).join(", "));
    if (missing === "no-card") return { findings: [service, found, fail("card", description)] };
    const card = await checkCard(secureElement, systemClock.now());
    const findings = [service, found, ...card, ...(await checkCardAndStore(secureElement, dataDir))];
    const { state } = secureElement;
    return state.card === "ready" ? { findings, identity: state.identity } : { findings };
  });
}
