/**
 * The console's requests about settings. They read the settings with their origin, check and save changes, and restart
 * the service, which applies the changes.
 */
import { createServer } from "node:http";
import { codeOf, messageOf } from "../base/thrown.js";
import { choicesOf } from "../config/expected.js";
import { type LoadedConfig, overruling } from "../config/load.js";
import type { SettingProblem } from "../config/settings/row.js";
import { CONSOLE_SETTINGS, type ConsoleSetting, SETTINGS, type Settings } from "../config/settings.js";
import { checkChanges, isSame, SettingsRefusedError, savedValue, writeSettings } from "../config/settings-file.js";
import { CallError } from "../http/call-errors.js";
import type { CallHandler } from "../http/endpoint-router.js";
import { type Address, listenOnAll, urlNearby } from "../http/listen.js";
import { explainPortRights, portRightsReason } from "../http/port-rights.js";
import type { Permit } from "./permit.js";
import type { RestartRecord, SettingRecord, SettingsRecord, SettingsRefusal } from "./records/settings.js";

/** What the console needs from the program that runs the service. */
export interface SettingsAccess {
  /** Returns the settings with which the service runs. */
  readonly running: () => Settings;
  /** Reads flags, variables and the file again. @throws ConfigError */
  readonly load: () => LoadedConfig;
  /**
   * Stops the service and starts it with the result of {@link load}. If that fails, the service starts with the old
   * settings.
   */
  readonly restart: () => void;
  /** Returns why the last restart went back to the old settings; null if it did not go back. */
  readonly failed: () => string | null;
}

/** @param permit decides who may save settings */
export function settingsHandlers(access: SettingsAccess, permit: Permit) {
  return {
    settings: () => settingsRecord(access),
    saveSettings: save(access, permit),
    restart: restart(access),
  };
}

function settingsRecord({ running, load, failed }: SettingsAccess): SettingsRecord {
  const config = load();
  const settings = CONSOLE_SETTINGS.map((name) => settingRecord(name, running(), config));
  const waiting = CONSOLE_SETTINGS.filter((name) => !isSame(savedValue(name, config), running()[name]));
  const backupFolder = running().backupFolder ?? null;
  return { file: config.file ?? null, settings, backupFolder, waiting, failed: failed() };
}

function settingRecord(name: ConsoleSetting, running: Settings, config: LoadedConfig): SettingRecord {
  const { schema, description, default: fallback, console: section } = SETTINGS[name];
  return {
    name,
    section,
    type: schema.type,
    description,
    value: running[name] ?? null,
    saved: config.fileValues[name] ?? null,
    choices: choicesOf(name) ?? null,
    default: fallback ?? null,
    overruledBy: overruling(name, config),
  };
}

function save(access: SettingsAccess, permit: Permit): CallHandler {
  return async (call) => {
    const { pin: _, ...changes } = call.body as Readonly<Record<string, unknown>>;
    try {
      const { file, ...config } = access.load();
      if (file === undefined) {
        throw new SettingsRefusedError(
          "Settings cannot be saved: data is temporary. Start the service with --data-dir or --config",
        );
      }
      checkChanges(changes, config);
      await checkAddress(changes, { ...access.running(), port: call.request.socket.localPort ?? 0 }, config);
      // Ask for the PIN last, so that a person who made a mistake in the settings need not enter the PIN.
      await permit(call);
      write(file, changes);
    } catch (error) {
      if (!(error instanceof SettingsRefusedError)) throw error;
      const settings: SettingsRefusal["settings"] = error.problems;
      throw new CallError(400, error.message, [], { settings });
    }
    return settingsRecord(access);
  };
}

function write(file: string, changes: Readonly<Record<string, unknown>>): void {
  try {
    writeSettings(file, changes);
  } catch (error) {
    if (error instanceof SettingsRefusedError) throw error;
    const reason = messageOf(error);
    throw new SettingsRefusedError(`The file cannot be written: ${reason}`);
  }
}

/**
 * Tries to listen on a new address before the service saves the address. Without this check, a restart could leave the
 * shop without a service.
 * @throws SettingsRefusedError if the service cannot listen on the address
 */
async function checkAddress(
  changes: Readonly<Record<string, unknown>>,
  running: Settings,
  config: LoadedConfig,
): Promise<void> {
  const after = (name: "port" | "host") =>
    name in changes ? (changes[name] ?? SETTINGS[name].default) : savedValue(name, config);
  const address = { port: after("port"), host: after("host") } as Address;
  const samePort = address.port === running.port && address.port !== 0;
  if (samePort && address.host === running.host) return;
  // If only the host changes, check the host on a free port, because the service itself uses the unchanged port.
  const problem = await listenProblem(samePort ? { ...address, port: 0 } : address);
  if (problem === undefined) return;
  const name = problem === "EADDRNOTAVAIL" || problem === "ENOTFOUND" ? "host" : "port";
  const known = PROBLEMS[problem] ?? { text: `cannot be used: ${problem}`, reason: "refusedListening" as const };
  throw new SettingsRefusedError(`${name}: ${known.text}`, { [name]: { ...known, values: { problem } } });
}

const NOT_HERE = { text: "is not an address of this machine", reason: "refusedNotHere" } as const;

const PROBLEMS: Readonly<Record<string, Pick<SettingProblem, "text" | "reason">>> = {
  EADDRINUSE: { text: "is in use by another program", reason: "refusedInUse" },
  EACCES: { text: explainPortRights(), reason: portRightsReason() },
  EADDRNOTAVAIL: NOT_HERE,
  ENOTFOUND: NOT_HERE,
};

async function listenProblem(address: Address): Promise<string | undefined> {
  try {
    for (const server of await listenOnAll(() => createServer(), address)) server.close();
    return undefined;
  } catch (error) {
    return codeOf(error) ?? String(error);
  }
}

/** Restarts the service. The answer is sent before the restart, because the restart stops this server. */
function restart(access: SettingsAccess): CallHandler {
  return ({ request, response }): RestartRecord => {
    const { port, host } = access.load().settings;
    // Keep a port that the system picked, unless the settings now have another port.
    const stays = port === access.running().port ? (request.socket.localPort ?? port) : port;
    response.once("finish", access.restart);
    response.setHeader("Connection", "close");
    return { url: urlNearby({ host, port: stays }) };
  };
}
