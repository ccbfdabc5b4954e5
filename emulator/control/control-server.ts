/** The control interface on a port of its own. */
import { createServer, type Server } from "node:http";
import type { Logger } from "pino";
import type { GuardOptions } from "../../src/http/guard.js";
import { type Address, closeAll, listenOnAll, urlOf } from "../../src/http/listen.js";
import type { World } from "../world/world.js";
import { type ControlListener, createControlApp } from "./app.js";

export interface ControlOptions extends Address, Omit<GuardOptions, "host"> {
  readonly log: Logger;
  readonly served?: ControlListener;
}

export class ControlServer {
  private constructor(private readonly servers: readonly Server[]) {}

  /** Rejects with the system's error, such as EADDRINUSE. */
  static async open(world: World, { log, served, ...options }: ControlOptions): Promise<ControlServer> {
    const app = createControlApp(world, options, log, served);
    const control = new ControlServer(await listenOnAll(() => createServer(app), options));
    world.controlledAt(Number(new URL(control.url).port));
    return control;
  }

  /** `http://127.0.0.1:8432`. */
  get url(): string {
    return urlOf(this.servers[0]) ?? "";
  }

  close(): Promise<void> {
    return closeAll(this.servers);
  }
}
