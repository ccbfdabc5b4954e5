/**
 * Runs the service with a real card. Nothing is emulated: the service has no tax rates until they are configured, and
 * its store is permanent.
 */
import { configuredAuthority, openAuthority } from "../authority/configured.js";
import { systemClock, systemTimer } from "../base/clock.js";
import { systemRandom } from "../base/random.js";
import { dataDirOf } from "../config/data-dir.js";
import { loadNamedEnvironment } from "../config/environment.js";
import { aboutSetting, type LoadedConfig } from "../config/load.js";
import { logOf } from "../config/log.js";
import type { Settings } from "../config/settings.js";
import { selectsSecureElement } from "../secure-element/apdu/card-session.js";
import { bindingOf, PcscReader } from "../secure-element/pcsc/pcsc-reader.js";
import { Service } from "../service/service.js";
import { sntpTime } from "../state/sntp.js";
import { loadHarness } from "./harness.js";
import { Restarter } from "./restarter.js";
import { noLongerRecorded, type Running, type Starting } from "./running.js";
import { startOrExplain } from "./start-or-explain.js";

type Prepared = ReturnType<typeof prepared>;

export async function serveCard(config: LoadedConfig, { load, gaveUp, listens, stop }: Starting): Promise<Running> {
  const { settings } = config;
  const { record } = settings;
  const recorder = record === undefined ? undefined : await (await loadHarness())?.openRecorder();
  // Remember the port of the last service that listened, because a service that did not start has no address.
  let listeningPort = settings.port;
  const open = (next: Prepared, port: number) => {
    const reader = new PcscReader({
      reader: next.settings.reader,
      binding: bindingOf(next.settings.pcscModule),
      probe: selectsSecureElement,
      resetAtEnd: true,
    });
    const times = { clock: systemClock, timer: systemTimer };
    const service = new Service({
      settings: { ...next.settings, port, dataDir: dataDirOf(next.settings) },
      reader,
      environment: next.environment,
      ...times,
      random: systemRandom,
      log: logOf(next.settings),
      askTime: sntpTime,
      openAuthority: ({ taxAuthorityApi }, key) => openAuthority(next.authority, taxAuthorityApi, times, key),
      cardKey: next.authority.cardKey,
      authorityAddress: ({ taxAuthorityApi }) => next.authority.address ?? taxAuthorityApi,
      settingsAccess: restarter,
      endProcess: stop,
      ...(recorder ? { hooks: { watch: recorder.watch } } : {}),
    });
    return { service, reader };
  };
  const replace = async (next: Prepared, before: Prepared): Promise<void> => {
    await card.service.stop();
    // Keep a port that the system picked, unless a setting asks for another one.
    const port = next.settings.port === before.settings.port ? listeningPort : next.settings.port;
    card = open(next, port);
    listeningPort = portIn(await startOrExplain(card.service.start(), { ...next.settings, port }));
    recorder?.restarted(next.settings, card.service.secureElement);
    listens(card.service.url);
  };
  const prepare = (changed: Settings) => prepared({ ...config, settings: changed });
  const first = prepare(settings);
  const restarter = new Restarter(settings, first, { load, prepare, replace, gaveUp });
  let card = open(first, settings.port);
  listeningPort = portIn(await startOrExplain(card.service.start(), settings));
  try {
    if (record !== undefined) recorder?.start(settings, record, card.service.secureElement, noLongerRecorded);
  } catch (error) {
    await card.service.stop();
    throw error;
  }
  return {
    url: card.service.url,
    card: card.reader.description,
    stop: async () => {
      await restarter.close();
      await card.service.stop();
    },
    stuck: () => card.reader.stuck,
  };
}

/** The port in a URL. A URL leaves out port 80. */
function portIn(url: string): number {
  return Number(new URL(url).port || 80);
}

/** Reads and checks what the settings name. @throws ConfigError */
function prepared(config: LoadedConfig) {
  const { settings } = config;
  const environment = aboutSetting("environment", config, () => loadNamedEnvironment(settings.environment ?? "none"));
  return { settings, environment, authority: configuredAuthority(config) };
}
