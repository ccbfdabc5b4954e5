/** Runs the service with an emulated card, and the control interface beside it. */

import { previewOf } from "../../emulator/card/preview.js";
import { profileFile, readProfile } from "../../emulator/card/profile.js";
import { whereText } from "../../emulator/faults/fault.js";
import { newSeed } from "../../emulator/pki/random.js";
import { BEHAVIOUR_SETTINGS, type Given } from "../../emulator/world/given.js";
import { readGiven } from "../../emulator/world/given-file.js";
import { givenOfWorld } from "../../emulator/world/given-now.js";
import { World } from "../../emulator/world/world.js";
import { tableLines } from "../../src/base/terminal-text.js";
import { Restarter } from "../../src/commands/restarter.js";
import { noLongerRecorded, type Running, type Starting } from "../../src/commands/running.js";
import { startOrExplain } from "../../src/commands/start-or-explain.js";
import { ConfigError } from "../../src/config/config-error.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import { aboutSetting, type LoadedConfig } from "../../src/config/load.js";
import { SETTING_NAMES, SETTINGS, type Settings } from "../../src/config/settings.js";
import type { SettingsAccess } from "../../src/console/settings.js";
import { beginScenario, Situations } from "../scenario/situations.js";
import { ControlServer, controlOptions, onlineLines, openControlAt } from "./control-server.js";
import { Recording } from "./recording.js";

export async function serveEmulator(config: LoadedConfig, { load, gaveUp, listens, stop }: Starting): Promise<Running> {
  refuseIgnored(config);
  const { settings } = config;
  const prepare = (changed: Settings) => changed;
  const replace = async (changed: Settings, before: Settings) => {
    // Keep a port that the system picked, unless a setting asks for another one.
    const port = changed.port === before.port ? undefined : changed.port;
    const { host, publicAddress, backupFolder, backupKeep } = changed;
    const place = { host, publicAddress, port, backups: { backupFolder, backupKeep } };
    await startWorld(world.change(behaviourOf(changed), place), changed);
    listens(world.url);
  };
  const restarter = new Restarter(settings, settings, { load, prepare, replace, gaveUp });
  const world = await startWorld(openWorld(config, restarter, stop), settings);
  try {
    return await driven(world, config, restarter);
  } catch (error) {
    await world.close();
    throw error;
  }
}

/** The settings of a real card, and of the way to a real authority. */
const REAL_SETTINGS = SETTING_NAMES.filter(
  (name) => SETTINGS[name].scope === undefined && /^(reader$|pcsc|authority)/.test(name),
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

/** Service and authority each open a port. The error says which of the two cannot be opened. */
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

/** The world with its control interface, recorded if the settings ask for it. */
async function driven(world: World, config: LoadedConfig, restarter: Restarter<Settings>): Promise<Running> {
  const { settings } = config;
  const { record } = settings;
  if (record !== undefined) recordWorld(world, record, noLongerRecorded);
  const situations = new Situations(world);
  const control = await openControlAt(config, (port) =>
    ControlServer.open(world, controlOptions(settings, port), { situations }),
  );
  if (settings.scenario !== undefined) await beginScenario(situations, settings.scenario);
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
    notes: [...onlineLines(world, control.url), ...aimedLines(world)],
    stop: async () => {
      await restarter.close();
      await control.close();
      await world.close();
    },
    stuck: () => false,
  };
}

function aimedLines({ faults }: World): string[] {
  const aimed = faults.list.filter(({ where }) => where !== undefined);
  const lines = tableLines(aimed.map(({ where, kind, on }) => [whereText(where), `${kind} on ${on}`]));
  return lines.length === 0 ? [] : ["what goes wrong for which requests:", ...lines.map((line) => `  ${line}`)];
}

/**
 * Starts the service on an emulated card according to settings and scenario. Its port opens when the first contact with
 * the emulated authority has ended.
 * @param settingsAccess access to the settings for the console
 * @param endProcess called for `tillseal stop`
 */
async function openWorld(config: LoadedConfig, settingsAccess: SettingsAccess, endProcess: () => void): Promise<World> {
  const { port, host, publicAddress, dataDir, scenario, authorityPort, vsdcPort } = config.settings;
  const { logLevel, logFile, backupFolder, backupKeep } = config.settings;
  // A scenario names its authority itself, so that it plays the same on every machine.
  const first = config.settings.authority === false ? {} : { authority: {} };
  const given = scenario === undefined ? first : aboutSetting("scenario", config, () => readGiven(scenario));
  return World.open(given, {
    port,
    host,
    publicAddress,
    log: { logLevel, ...(logFile === undefined ? {} : { logFile }) },
    backups: { backupFolder, backupKeep },
    ...(dataDir === undefined ? {} : { dataDir }),
    authorityPort,
    otherAuthorityPort: config.sources.get("authorityPort") === "default",
    vsdcPort,
    realTime: true,
    ownAuthority: true,
    base: baseOf(config),
    // Without a seed in the scenario, every run differs.
    seed: newSeed(),
    settingsAccess,
    endProcess,
  });
}

function behaviourOf(settings: Settings): Partial<Settings> {
  return Object.fromEntries(BEHAVIOUR_SETTINGS.map((name) => [name, settings[name]]));
}

function baseOf(config: LoadedConfig): Given {
  const preview = previewOf(config.settings);
  const { profile = preview.profile, environment = preview.environment } = config.settings;
  // Read here so that an error can name the setting; the world reads it again.
  aboutSetting("environment", config, () => loadNamedEnvironment(environment));
  return {
    card: aboutSetting("profile", config, () => readProfile(profileFile(profile))),
    environment,
    settings: behaviourOf(config.settings),
    ...(config.settings.vsdc ? { vsdc: {} } : {}),
  };
}

/** @throws ConfigError if the file cannot be written */
export function recordWorld(world: World, file: string, failed: (reason: string) => void): Recording {
  const recording = new Recording(file, () => givenOfWorld(world), failed);
  recording.follow(world.traffic);
  world.events.on("done", (step) => recording.steps([step]));
  world.events.on("begun", () => recording.begin());
  return recording;
}
