/** Serves the control interface on its port. */
import type { Server } from "node:http";
import type { Logger } from "pino";
import { orOnFreePort } from "../../emulator/tax-authority/free-port.js";
import type { Given } from "../../emulator/world/given.js";
import { World } from "../../emulator/world/world.js";
import type { WorldOptions } from "../../emulator/world/world-options.js";
import { startOrExplain } from "../../src/commands/start-or-explain.js";
import type { LoadedConfig } from "../../src/config/load.js";
import { logOf } from "../../src/config/log.js";
import type { Settings } from "../../src/config/settings.js";
import { callRecord } from "../../src/http/call-errors.js";
import { Connections } from "../../src/http/connections.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import type { GuardOptions } from "../../src/http/guard.js";
import { type Address, closeAll, listenOnAll, urlOf } from "../../src/http/listen.js";
import { makeServer, type ServerRefusal } from "../../src/http/server.js";
import { Rehearsal } from "../rehearse/rehearsal.js";
import { Situations } from "../scenario/situations.js";
import { type Controlled, controlledWorld, createControlApp, type Judging } from "./app.js";

export interface ControlAddress extends Address, Omit<GuardOptions, "host"> {
  readonly log: Logger;
}

export function controlOptions(settings: Settings, port: number): ControlAddress {
  const { controlHost: host = "localhost", allowedHosts, allowedOrigins } = settings;
  const log = logOf(settings);
  return { port, host, allowedHosts, allowedOrigins, log };
}

/** Opens the control interface on the port in the settings. A default port may be busy with another emulator's. */
export function openControlAt<T>({ settings, sources }: LoadedConfig, open: (port: number) => Promise<T>): Promise<T> {
  const { controlPort = 0, controlHost = "" } = settings;
  const opening = sources.get("controlPort") === "default" ? orOnFreePort(controlPort, open) : open(controlPort);
  return startOrExplain(opening, { port: controlPort, host: controlHost }, "control-");
}

export class ControlServer {
  private constructor(private readonly servers: readonly Server[]) {}

  /** Opens the control interface of a world. Rejects with the system's error, such as EADDRINUSE. */
  static async open(world: World, options: ControlAddress, judging?: Judging): Promise<ControlServer> {
    const control = await ControlServer.of(controlledWorld(world, judging), options);
    world.controlledAt(Number(new URL(control.url).port));
    return control;
  }

  /** Opens a control interface. Rejects with the system's error, such as EADDRINUSE. */
  static async of(controlled: Controlled, { log, ...options }: ControlAddress): Promise<ControlServer> {
    const app = createControlApp(controlled, options, log);
    const parts = {
      app,
      log,
      connections: new Connections(),
      record: ({ sentence }: ServerRefusal) => callRecord(sentence),
    };
    return new ControlServer(await listenOnAll(() => makeServer(parts), options));
  }

  get url(): string {
    return urlOf(this.servers[0]) ?? "";
  }

  close(): Promise<void> {
    return closeAll(this.servers);
  }
}

/**
 * Opens a world with a control interface on a free port.
 * @param options of the world; both listen on the same host
 * @throws ConfigError if `given` is impossible, or the system's error
 */
export async function openEmulator(given: Given, options: WorldOptions = {}) {
  const world = await World.open(given, options);
  try {
    const judging = { rehearsal: new Rehearsal(), situations: new Situations(world) };
    const { host = "127.0.0.1" } = options;
    const address = { port: 0, host, allowedHosts: [], allowedOrigins: [], log: logOf({ logLevel: "silent" }) };
    const control = await ControlServer.open(world, address, judging);
    const close = async () => {
      await control.close();
      await world.close();
    };
    return { world, control, ...judging, close };
  } catch (error) {
    await world.close();
    throw error;
  }
}

/**
 * Returns lines that explain how a POS calls the online service of a world; an empty list if the world has no online
 * service.
 * @param control base URL of the control interface
 */
export function onlineLines(world: World, control: string): string[] {
  if (!world.vsdc) return [];
  const { url, pac, passphrase } = world.look("vsdc");
  const files = `${control}/control/vsdc`;
  return [
    `the emulated online service (V-SDC) listens on ${url}${API_PREFIX}. Header PAC: ${pac}`,
    `  client certificate: ${files}/client.pfx (passphrase ${passphrase}) or ${files}/client.pem`,
    `  trust the server's certificate with ${files}/ca.pem`,
  ];
}
