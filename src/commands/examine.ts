/** Makes the checks of `tillseal doctor`. */
import { systemClock, systemTimer } from "../base/clock.js";
import { UserError } from "../base/user-error.js";
import { findRunning } from "../client/find-running.js";
import { aboutSetting } from "../config/about-setting.js";
import { dataDirOf } from "../config/data-dir.js";
import { loadNamedEnvironment } from "../config/environment.js";
import type { LoadedConfig } from "../config/load.js";
import type { Settings } from "../config/settings.js";
import { checkAuthority } from "../doctor/authority.js";
import { checkBackups } from "../doctor/backups.js";
import { checkCard } from "../doctor/card.js";
import { checkCardAndStore } from "../doctor/card-and-store.js";
import { checkCardKey } from "../doctor/card-key.js";
import { type Check, type Examined, fail, ok, withFindings } from "../doctor/check.js";
import { checkCountry } from "../doctor/country.js";
import { checkEncryption } from "../doctor/encrypted-disk.js";
import { allFindings } from "../doctor/findings.js";
import { programLine } from "../doctor/lines.js";
import { checkClock, checkDataFolder, checkDisk, checkPort } from "../doctor/machine.js";
import { checkPackages } from "../doctor/packages.js";
import { checkRates } from "../doctor/rates.js";
import { checkRetention } from "../doctor/retention.js";
import { checkStore } from "../doctor/store.js";
import type { CardIdentity } from "../secure-element/secure-element.js";
import type { Finding } from "../state/finding.js";
import { lookAtCard } from "./look-at-card.js";

/**
 * Makes all checks. The doctor always checks a real card, even if the settings name the emulated card, because the
 * emulated card always works.
 * @param keyPin PIN of the key in the card, to try the key itself
 */
export async function examine(config: LoadedConfig, keyPin?: string): Promise<Check[]> {
  const { settings } = config;
  const dataDir = dataDirOf(settings);
  const { environment: fileName = "none" } = settings;
  const file = aboutSetting("environment", config, () => loadNamedEnvironment(fileName));
  const card = await readerAndCard(settings, dataDir, keyPin);
  const { identity } = card;
  const rates = checkRates({ dataDir, card: identity, file, fileName });
  const { ntpServer } = rates.facts.environment?.parameters ?? {};
  const { country } = rates.facts.environment?.parameters ?? {};
  const examined = [
    alone(programLine()),
    card,
    rates,
    alone(...checkCountry(country), ...checkEncryption(country, dataDir)),
    await checkAuthority(config, identity, { clock: systemClock, timer: systemTimer }),
    await checkPackages(dataDir, identity?.uid),
    await checkClock(ntpServer, systemClock, settings.clockDrift),
    alone(await checkPort(settings.host, settings.port)),
    alone(await checkDataFolder(dataDir)),
    await checkDisk(dataDir),
    checkStore(dataDir),
    alone(...checkBackups(settings, dataDir, systemClock.now())),
  ];
  const findings = allFindings(examined, {
    now: systemClock.now(),
    unsentLimit: settings.unsentLimit,
    ofService: await serviceFindings(config),
  });
  const checks = withFindings(
    examined.flatMap((one) => one.checks),
    findings,
  );
  return [...checks, ...checkRetention(settings, checks)];
}

const alone = (...checks: Check[]): Examined => ({ checks, facts: {} });

/** The findings of the shop's service; undefined if the service does not run. */
async function serviceFindings(config: LoadedConfig): Promise<readonly Finding[] | undefined> {
  try {
    const { info, till } = await findRunning(config);
    // An emulator may use the same port. The findings of an emulator do not concern this shop.
    return info.card === "pcsc" ? (await till()).findings : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

interface LookedAt extends Examined {
  /** The card's identity, if it can be read. */
  readonly identity?: CardIdentity;
}

function readerAndCard(settings: Settings, dataDir: string, keyPin: string | undefined): Promise<LookedAt> {
  const { reader: name, pcscModule, authorityCertificate, authorityUrl } = settings;
  const usesCardKey = authorityCertificate === undefined && !authorityUrl?.startsWith("http:");
  return lookAtCard(name, pcscModule, async (secureElement, reader) => {
    const { missing, description } = reader;
    const { state } = secureElement;
    if (missing === "no-module" || missing === "no-library" || missing === "no-service") {
      return { checks: [fail("PC/SC", description)], facts: { state } };
    }
    const service = ok("PC/SC", "the service is running");
    if (missing === "no-reader") return { checks: [service, fail("reader", description)], facts: { state } };
    const readers = ok("reader", reader.readers.map((status) => status.name).join(", "));
    if (missing === "no-card") return { checks: [service, readers, fail("card", description)], facts: { state } };
    const { checks, facts } = await checkCard(secureElement, systemClock.now());
    const all = [service, readers, ...checks, ...(await checkCardAndStore(secureElement, dataDir))];
    const identity = facts.state?.kind === "ready" ? facts.state.identity : undefined;
    if (!identity) return { checks: all, facts };
    if (usesCardKey) all.push(...(await checkCardKey(secureElement, identity.uid, keyPin, systemClock.now())));
    return { checks: all, facts, identity };
  });
}
