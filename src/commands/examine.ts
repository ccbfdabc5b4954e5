/** Makes the checks of `tillseal doctor`. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock, systemTimer } from "../base/clock.js";
import { UserError } from "../base/user-error.js";
import { serviceCall } from "../client/call-service.js";
import { findRunningOn, type RunningService, silentIn } from "../client/find-running.js";
import { dataDirOf } from "../config/data-dir.js";
import { loadNamedEnvironment } from "../config/environment.js";
import { aboutSetting, type LoadedConfig } from "../config/load.js";
import type { CheckRecord } from "../console/records/doctor.js";
import type { ReportsRecord } from "../console/records/reports.js";
import type { TillRecord } from "../console/records/till.js";
import { checkAuthority } from "../doctor/authority.js";
import { checkBackups, readBackups } from "../doctor/backups.js";
import { checkCard, checkCardAndStore } from "../doctor/card.js";
import { checkCardKey } from "../doctor/card-key.js";
import { type Check, fail, ok, warn, withFindings } from "../doctor/check.js";
import { checkCountry, checkEncryption } from "../doctor/country.js";
import { CLOCK, checkClock, checkPort, diskHealth } from "../doctor/machine.js";
import { checkUnsent } from "../doctor/packages.js";
import { checkRetention } from "../doctor/retention.js";
import { checkStore, describeDoubts } from "../doctor/store.js";
import { openInMemory, type Store, StoreError } from "../ledger/database.js";
import { openReadOnly, StoreReading } from "../ledger/store-reading.js";
import type { ApduSecureElement } from "../secure-element/apdu/apdu-secure-element.js";
import { sessionNote } from "../secure-element/pcsc/missing.js";
import type { PcscReader } from "../secure-element/pcsc/pcsc-reader.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import { examineService } from "../service/examine-service.js";
import { serviceWithoutPort } from "../service/without-port.js";
import { loadHarness } from "./harness.js";
import { lookAtCard } from "./look-at-card.js";

/** What a service says about itself, running or not, and the checks that it does not make. */
interface Examined {
  readonly records: readonly CheckRecord[];
  readonly checks: readonly Check[];
  readonly country: string | undefined;
}

/**
 * Makes all checks. The service that runs on the data folder says how it is; without one, the doctor judges the folder.
 * It then checks a real card, even if the settings name the emulated card, because the emulated card always works.
 * @param keyPin PIN of the key in the card, to try the key itself
 */
export async function examine(config: LoadedConfig, keyPin?: string): Promise<Check[]> {
  const { settings } = config;
  const dataDir = dataDirOf(settings);
  const running = await findRunningOn(dataDir, config);
  if (running && keyPin !== undefined) {
    throw new UserError(
      "the service runs and uses the card: enter this PIN with tillseal pki-pin, or stop the service",
    );
  }
  const { records, checks, country } = running ? await asked(running) : await judged(config, dataDir, keyPin);
  const own = [
    ...checks,
    ...checkCountry(country),
    ...checkEncryption(country, dataDir),
    ...(await unsentLine(dataDir)),
  ];
  // The doctor's own session never has the PIN, but the service's session may have it.
  const found = records.flatMap(({ findings }) => findings).filter(({ affects }) => running || affects !== "PIN");
  const isOwn = (subject: string) => own.some((check) => check.subject === subject);
  const serviceChecks = records.filter(({ subject, message }) => message !== "" && !isOwn(subject));
  const lines = withFindings([...serviceChecks, ...own], [...new Map(found.map((one) => [one.key, one])).values()]);
  return [...lines, ...checkRetention(settings, lines)];
}

async function unsentLine(dataDir: string): Promise<Check[]> {
  try {
    return [await StoreReading.open(dataDir).use((store) => checkUnsent(store.audits()))];
  } catch (error) {
    // The line about the store says why it cannot be read.
    if (error instanceof UserError) return [];
    throw error;
  }
}

async function asked(running: RunningService): Promise<Examined> {
  const call = serviceCall(running, "");
  const records = (await call("GET", "/doctor")) as readonly CheckRecord[];
  const { environment } = (await call("GET", "/till")) as TillRecord;
  const doubts = describeDoubts((await call("GET", "/reports")) as ReportsRecord);
  return {
    records,
    checks: [ok("port", `the service is running at ${running.url}`), ...doubts],
    country: environment?.country,
  };
}

function judged(config: LoadedConfig, dataDir: string, keyPin: string | undefined): Promise<Examined> {
  const { settings } = config;
  const now = systemClock.now();
  const silent = silentIn(config);
  const times = { clock: systemClock, timer: systemTimer };
  return lookAtCard(settings.reader, settings.pcscModule, async (secureElement, reader) => {
    const cardLines = await readerAndCard(secureElement, reader, config, keyPin);
    const store = checkStore(dataDir);
    const backups = await readBackups(settings.backupFolder, dataDir, systemClock);
    const { sources, close } = await folderAs(config, dataDir, secureElement);
    try {
      const { parameters } = sources.inForce().environment ?? {};
      const { state } = secureElement;
      const authority = await checkAuthority(config, state.kind === "ready" ? state.identity : undefined, times);
      const clockCheck = await checkClock(parameters?.ntpServer, systemClock, settings.clockDrift);
      const { contact, refusesUnsent } = authority;
      const kept = () => ({ ...sources.kept(), contact, refusesUnsent, clockCheck, indexDamaged: store.indexDamaged });
      const records = await examineService(
        { ...sources, shop: true, health: await diskHealth(dataDir), kept },
        async () => [...store.checks, ...checkBackups(settings.backupFolder, dataDir, now, backups)],
      );
      return {
        // The lines about the connection say what the service's line says.
        records: records.filter(({ subject }) => subject !== "tax authority"),
        checks: [
          ...cardLines,
          ...(await checkCardAndStore(secureElement, dataDir)),
          ...authority.checks,
          ...(clockCheck ? [] : [warn(CLOCK, "no time server is configured; the clock was not checked")]),
          silent === undefined ? await checkPort(settings.host, settings.port) : fail("service", silent),
        ],
        country: parameters?.country,
      };
    } finally {
      close();
    }
  });
}

/** The sources of the state of the till that the folder would be, with the store that it has if that can be read. */
async function folderAs(config: LoadedConfig, dataDir: string, secureElement: SecureElement) {
  const { settings } = config;
  const emulator = existsSync(join(dataDir, EMULATED_CARDS)) ? await loadHarness() : undefined;
  const { environment: environmentName = emulator?.previewOf(settings).environment ?? "none" } = settings;
  const environment = aboutSetting("environment", config, () => loadNamedEnvironment(environmentName));
  const on = async (store: Store) => {
    const known = { settings, store, secureElement, environment, environmentName };
    return { sources: (await serviceWithoutPort(known)).composition.sources, close: store.close };
  };
  try {
    return await on(openReadOnly(dataDir));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return on(openInMemory(dataDir, {}));
  }
}

const EMULATED_CARDS = "card";

async function readerAndCard(
  secureElement: ApduSecureElement,
  reader: PcscReader,
  { settings }: LoadedConfig,
  keyPin: string | undefined,
): Promise<Check[]> {
  const { missing, description } = reader;
  if (missing === "no-module" || missing === "no-library" || missing === "no-service")
    return [fail("PC/SC", description)];
  const service = ok("PC/SC", "the service is running");
  if (missing === "no-reader") return [service, fail("reader", description)];
  const names = reader.readers.map((status) => status.name).join(", ");
  const note = sessionNote();
  const readers = note ? warn("reader", `${names}: ${note}`) : ok("reader", names);
  if (missing === "no-card") return [service, readers, fail("card", description)];
  const checks = [service, readers, ...(await checkCard(secureElement))];
  const { state } = secureElement;
  const usesCardKey = settings.authorityCertificate === undefined && !settings.authorityUrl?.startsWith("http:");
  if (state.kind !== "ready" || !usesCardKey) return checks;
  return [...checks, ...(await checkCardKey(secureElement, state.identity.uid, keyPin, systemClock.now()))];
}
