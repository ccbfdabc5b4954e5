/** Separate worlds by name, so that jobs which share an emulator do not disturb each other. */
import {
  request as callUpstream,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { EMULATOR_LIMITS, LimitError } from "../tax-authority/endpoint/limits.js";
import type { Given } from "./given.js";

export const WORLD_HEADER = "Tillseal-World";

/** A running world, on two ports of this machine. */
export interface SeparateWorld {
  readonly url: string;
  readonly controlUrl: string;
  startAgain(given: Given): Promise<void>;
  close(): Promise<void>;
}

export interface Target {
  readonly name: string;
  /** The world of that name; undefined if it does not exist. */
  readonly world: SeparateWorld | undefined;
  /** The request's path without the prefix `/worlds/NAME`. */
  readonly path: string;
}

/** Matches the prefix `/worlds/NAME` of a path. */
const PREFIX = /^\/worlds\/([^/?]+)(?=[/?]|$)/;

export class Worlds {
  private readonly worlds = new Map<string, SeparateWorld>();

  get names(): string[] {
    return [...this.worlds.keys()];
  }

  get(name: string): SeparateWorld | undefined {
    return this.worlds.get(name);
  }

  /** Checks that there is room for another world. @throws LimitError if there are too many worlds */
  requireRoom(): void {
    if (this.worlds.size >= EMULATOR_LIMITS.worlds.value) throw new LimitError(EMULATOR_LIMITS.worlds);
  }

  keep(name: string, world: SeparateWorld): void {
    this.worlds.set(name, world);
  }

  async remove(name: string): Promise<boolean> {
    const world = this.worlds.get(name);
    this.worlds.delete(name);
    await world?.close();
    return world !== undefined;
  }

  async close(): Promise<void> {
    await Promise.all(this.names.map((name) => this.remove(name)));
  }

  /** Returns the world that a request names; undefined if the request names no world. */
  target({ url = "/", headers }: IncomingMessage): Target | undefined {
    const [prefix = "", inPath] = url.startsWith("/worlds/") ? (PREFIX.exec(url) ?? []) : [];
    const name = inPath ?? headers[WORLD_HEADER.toLowerCase()];
    if (typeof name !== "string") return undefined;
    const path = url.slice(prefix.length);
    return { name, world: this.worlds.get(name), path: path.startsWith("/") ? path : `/${path}` };
  }
}

export function noSuchWorld(name: string): string {
  return `There is no world ${name}; PUT /control/worlds/${name} makes it`;
}

/** Headers that belong to one connection, not to the request (RFC 9110, section 7.6.1). */
const OF_ONE_CONNECTION = ["connection", "keep-alive", "transfer-encoding", "upgrade", "expect"];

function without(headers: IncomingHttpHeaders, names: readonly string[]): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

/** If the connection to that world breaks, the connection to the client breaks too. */
export function forward(request: IncomingMessage, response: ServerResponse, base: string, path: string): void {
  const { hostname, port } = new URL(base);
  const headers = without(request.headers, [...OF_ONE_CONNECTION, WORLD_HEADER.toLowerCase()]);
  const upstream = callUpstream({ hostname, port, path, method: request.method, headers, agent: false });
  const broken = () => void response.destroy();
  upstream.on("error", broken);
  upstream.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, without(answer.headers, OF_ONE_CONNECTION));
    answer.on("error", broken);
    answer.on("aborted", broken);
    answer.pipe(response);
  });
  response.on("close", () => upstream.destroy());
  request.pipe(upstream);
}
