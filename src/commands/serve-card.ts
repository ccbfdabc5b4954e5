/**
 * Runs the service with a real card. Nothing is emulated: the service has no tax rates until they are configured, and
 * its store is permanent.
 */

import { type ConfiguredAuthority, configuredAuthority, openAuthority } from "../authority/configured.js";
import { systemClock, systemTimer } from "../base/clock.js";
import { systemRandom } from "../base/random.js";
import { aboutSetting } from "../config/about-setting.js";
import { dataDirOf } from "../config/data-dir.js";
import { loadNamedEnvironment } from "../config/environment.js";
import type { LoadedConfig } from "../config/load.js";
import { logOf } from "../config/log.js";
import type { Settings } from "../config/settings.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import { selectsSecureElement } from "../secure-element/apdu/card-session.js";
import { bindingOf } from "../secure-element/pcsc/bindings.js";
import { PcscReader } from "../secure-element/pcsc/pcsc-reader.js";
import { Service } from "../service/service.js";
import { sntpTime } from "../state/sntp.js";
import { type Harness, loadHarness } from "./harness.js";
import { Restarter } from "./restarter.js";
import { noLongerRecorded, type Running, type Starting } from "./running.js";
import { startOrExplain } from "./start-or-explain.js";

type Recorder = Awaited<ReturnType<Harness["openRecorder"]>>;

/** The settings, and the environment and the connection that they name. All of them were read and checked. */
interface Prepared {
  readonly settings: Settings;
  readonly environment: FiscalEnvironment | undefined;
  readonly authority: ConfiguredAuthority;
}

interface Surroundings {
  readonly restarter: Restarter<Prepared>;
  /** Ends the process. */
  readonly stop: () => void;
  readonly recorder: Recorder | undefined;
}

interface Card {
  readonly service: Service;
  readonly reader: PcscReader;
}

export async function serveCard(config: LoadedConfig, { load, gaveUp, listens, stop }: Starting): Promise<Running> {
  const { settings } = config;
  const recorder = await recorderOf(settings);
  const prepare = (changed: Settings) => prepared({ ...config, settings: changed });
  let inForce = prepare(settings);
  // Remember the port of the last service that listened, because a service that did not start has no address.
  let listeningPort = settings.port;
  const replace = async (next: Prepared) => {
    // Keep a port that the system picked, unless a setting asks for another one.
    const stays = next.settings.port === inForce.settings.port;
    const port = stays ? listeningPort : next.settings.port;
    await card.service.stop();
    card = openCard(next, port, { restarter, stop, recorder });
    await startOrExplain(card.service.start(), { ...next.settings, port });
    recorder?.restarted(next.settings, card.service.secureElement);
    inForce = next;
    listeningPort = portIn(card.service.url);
    listens(card.service.url);
  };
  const restarter = new Restarter(settings, inForce, { load, prepare, replace, gaveUp });
  let card = openCard(inForce, settings.port, { restarter, stop, recorder });
  listeningPort = portIn(await startOrExplain(card.service.start(), settings));
  try {
    const { record } = settings;
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

async function recorderOf({ record }: Settings): Promise<Recorder | undefined> {
  return record === undefined ? undefined : (await loadHarness())?.openRecorder();
}

/** Reads and checks what the settings name. @throws ConfigError */
function prepared(config: LoadedConfig): Prepared {
  const { settings } = config;
  const environment = aboutSetting("environment", config, () => loadNamedEnvironment(settings.environment ?? "none"));
  return { settings, environment, authority: configuredAuthority(config) };
}

function openCard(
  { settings, environment, authority }: Prepared,
  port: number,
  { restarter, stop, recorder }: Surroundings,
): Card {
  const reader = new PcscReader({
    reader: settings.reader,
    binding: bindingOf(settings.pcscModule),
    probe: selectsSecureElement,
    resetAtEnd: true,
  });
  const times = { clock: systemClock, timer: systemTimer };
  const service = new Service({
    settings: { ...settings, port, dataDir: dataDirOf(settings) },
    reader,
    environment,
    ...times,
    random: systemRandom,
    log: logOf(settings),
    askTime: sntpTime,
    openAuthority: ({ taxAuthorityApi }, cardToken) => openAuthority(authority, taxAuthorityApi, times, cardToken),
    cardKey: authority.cardKey,
    authorityAddress: ({ taxAuthorityApi }) => authority.address ?? taxAuthorityApi,
    settingsAccess: restarter,
    endProcess: stop,
    ...(recorder ? { hooks: { watch: recorder.watch } } : {}),
  });
  return { service, reader };
}
