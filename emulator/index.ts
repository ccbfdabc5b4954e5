/** The emulator's entry points for the service's commands. */
import { aboutSetting } from "../src/config/about-setting.js";
import { loadNamedEnvironment } from "../src/config/environment.js";
import type { LoadedConfig } from "../src/config/load.js";
import type { Settings } from "../src/config/settings.js";
import type { SettingsAccess } from "../src/console/settings.js";
import { previewOf } from "./card/preview.js";
import { profileFile, readProfile } from "./card/profile.js";
import type { ControlListener } from "./control/app.js";
import { ControlServer, controlOptions } from "./control/control-server.js";
import { recordControlCall } from "./control/recorded-control.js";
import { Recording } from "./control/recording.js";
import { newSeed } from "./pki/random.js";
import { BEHAVIOUR_SETTINGS, type Given } from "./world/given.js";
import { readGiven } from "./world/given-file.js";
import { givenOfWorld } from "./world/given-now.js";
import { World } from "./world/world.js";
import { backupsOf } from "./world/world-options.js";

export { runApproval } from "./cli/approval.js";
export { runConformance } from "./cli/conformance.js";
export { onlineLines } from "./cli/online-lines.js";
export { openProxy } from "./cli/proxy.js";
export { rehearse } from "./cli/rehearse.js";
export { listRun, listScenarios, runScenarioFiles, scenarioCoverage, showScenario } from "./cli/scenario.js";
export {
  authorityAt,
  carryStick,
  openTaxAuthority,
  runningIn,
  serveTaxAuthority,
  writeClientCertificate,
} from "./cli/tax-authority.js";
export { watchScenarioFiles } from "./cli/watch.js";
export { watchPos } from "./cli/watch-pos.js";
export { CardRecorder } from "./control/card-recorder.js";
export { serveAgent } from "./mcp/serve-agent.js";
export { makeKeys } from "./pki/keys.js";
export { sampleInvoiceLines } from "./sample/sample-lines.js";
export { openPublishedCards, openPublishedControl } from "./vpcd/publish.js";
export { VPCD_PORT } from "./vpcd/vpcd-link.js";
export { backupsOf } from "./world/world-options.js";

/**
 * Starts the service on an emulated card according to settings and scenario. Its port opens when the first contact with
 * the emulated authority has ended.
 * @param settingsAccess access to the settings for the console
 * @param endProcess called for `tillseal stop`
 */
export async function openWorld(
  config: LoadedConfig,
  settingsAccess: SettingsAccess,
  endProcess: () => void,
): Promise<World> {
  const { port, host, publicAddress, dataDir, scenario, authorityPort } = config.settings;
  const { logLevel, logFile, logFileSize, logFileCount } = config.settings;
  const log = { logLevel, logFileSize, logFileCount, ...(logFile === undefined ? {} : { logFile }) };
  const given = scenario === undefined ? atFirst(config) : aboutSetting("scenario", config, () => readGiven(scenario));
  const place = {
    port,
    host,
    publicAddress,
    log,
    backups: backupsOf(config.settings),
    ...(dataDir === undefined ? {} : { dataDir }),
  };
  // Without a seed in the scenario, every run differs.
  const base = baseOf(config);
  const otherAuthorityPort = config.sources.get("authorityPort") === "default";
  const options = {
    authorityPort,
    otherAuthorityPort,
    vsdcPort: VSDC_PORT,
    realTime: true,
    ownAuthority: true,
    base,
    seed: newSeed(),
    settingsAccess,
    endProcess,
  };
  return World.open(given, { ...place, ...options });
}

/** Port of the online service, unless it is busy. */
const VSDC_PORT = 8436;

/** The world without a scenario. A scenario names its authority itself, so that it plays the same on every machine. */
function atFirst({ settings }: LoadedConfig): Given {
  return settings.authority === false ? {} : { authority: {} };
}

/** The settings that each world may change. */
export function behaviourOf(settings: Settings): Partial<Settings> {
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

/** Opens the control interface of a world; its calls are recorded if there is a recording. */
export function openControl(
  world: World,
  settings: Settings,
  port: number,
  recording?: Recording,
): Promise<ControlServer> {
  const served: ControlListener = (name, call) => {
    if (recording) recordControlCall(recording, world, name, call);
  };
  return ControlServer.open(world, { ...controlOptions(settings, port), served });
}

/** @throws ConfigError if the file cannot be written */
export function recordWorld(world: World, file: string, failed: (reason: string) => void): Recording {
  const recording = new Recording(file, () => givenOfWorld(world), failed);
  recording.follow(world.traffic);
  return recording;
}
