/** Runs the service with an emulated card, and the control interface beside it. */

import { UserError } from "../base/user-error.js";
import { aboutSetting } from "../config/about-setting.js";
import { ConfigError } from "../config/config-error.js";
import type { LoadedConfig } from "../config/load.js";
import { SETTING_NAMES, SETTINGS, type Settings } from "../config/settings.js";
import { type EmulatorModule, loadEmulator } from "./emulator.js";
import { Restarter } from "./restarter.js";
import { noLongerRecorded, type Running, type Starting } from "./running.js";
import { openControlAt, startOrExplain } from "./start-or-explain.js";

export async function serveEmulator(config: LoadedConfig, { load, gaveUp, listens, stop }: Starting): Promise<Running> {
  const emulator = await loadEmulator();
  if (!emulator) throw new UserError("the production package supports only --card pcsc");
  refuseIgnored(config);
  const { settings } = config;
  let inForce = settings;
  const prepare = (changed: Settings) => changed;
  const replace = async (changed: Settings) => {
    // Keep a port that the system picked, unless a setting asks for another one.
    const port = changed.port === inForce.port ? undefined : changed.port;
    const { host, publicAddress } = changed;
    const place = { host, publicAddress, port, backups: emulator.backupsOf(changed) };
    await startWorld(world.reconfigure(emulator.behaviourOf(changed), place), changed);
    inForce = changed;
    listens(world.url);
  };
  const restarter = new Restarter(settings, settings, { load, prepare, replace, gaveUp });
  const world = await startWorld(emulator.openWorld(config, restarter, stop), settings);
  try {
    return await driven(emulator, world, config, restarter);
  } catch (error) {
    await world.close();
    throw error;
  }
}

/** The settings of a real card, and of the way to a real authority. */
const REAL_SETTINGS = SETTING_NAMES.filter(
  (name) => SETTINGS[name].scope === "machine" && /^(reader$|pcsc|authority)/.test(name),
);

/** @throws ConfigError if a setting has been set that the emulator would ignore */
function refuseIgnored(config: LoadedConfig): void {
  for (const name of REAL_SETTINGS) {
    if (config.sources.get(name) === "default") continue;
    const instead = name.startsWith("authority") ? ": the emulator has its own authority (--authority-port)" : "";
    aboutSetting(name, config, () => {
      throw new ConfigError(`has no effect with --card emulator${instead}; leave it out, or use --card pcsc`);
    });
  }
}

/**
 * Starts the world. The service and the emulated authority each open a port; the error says which of the two ports
 * cannot be opened.
 */
function startWorld<T>(starting: Promise<T>, settings: Settings): Promise<T> {
  return starting.catch((error: unknown) => {
    const { authorityPort: port } = settings;
    const isAuthority = port !== undefined && error instanceof Error && "port" in error && error.port === port;
    const failed = Promise.reject<T>(error);
    return isAuthority
      ? startOrExplain(failed, { port, host: "localhost" }, "authority-")
      : startOrExplain(failed, settings);
  });
}

type EmulatedWorld = Awaited<ReturnType<EmulatorModule["openWorld"]>>;

/** The world with its control interface, recorded if the settings ask for it. */
async function driven(
  emulator: EmulatorModule,
  world: EmulatedWorld,
  config: LoadedConfig,
  restarter: Restarter<Settings>,
): Promise<Running> {
  const { settings } = config;
  const { record } = settings;
  const recording = record === undefined ? undefined : emulator.recordWorld(world, record, noLongerRecorded);
  const control = await openControlAt(config, (port) => emulator.openControl(world, settings, port, recording));
  const { profile } = world.cards.named(world.cards.current);
  const where =
    settings.dataDir === undefined
      ? "data is temporary; use --data-dir DIR to keep it"
      : `data is kept in ${settings.dataDir}`;
  const outside = world.card ? "" : ", not in the reader";
  return {
    url: world.url,
    card: `emulated card ${profile.uid} of ${profile.taxpayer.businessName}${outside} (${where})`,
    pin: profile.pin,
    control: control.url,
    authority: world.taxAuthority?.url,
    online: emulator.onlineLines(world, control.url),
    stop: async () => {
      await restarter.close();
      await control.close();
      await world.close();
    },
    stuck: () => false,
  };
}
