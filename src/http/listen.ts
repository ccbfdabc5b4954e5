/** Opens servers on their addresses, and makes their URLs. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { codeOf } from "../base/thrown.js";

export interface Address {
  /** The port; with 0 the system picks a free one. */
  readonly port: number;
  readonly host: string;
}

/**
 * The addresses of a host. A client of `localhost` may try either of its addresses first, so a host with one of them has
 * the other, too: another user's program there would get the PIN.
 */
const ADDRESSES: ReadonlyMap<string, readonly string[]> = new Map([
  ["localhost", ["127.0.0.1", "::1"]],
  ["127.0.0.1", ["127.0.0.1", "::1"]],
  ["::1", ["::1", "127.0.0.1"]],
  ["0.0.0.0", ["0.0.0.0", "::1"]],
]);
/** Number of attempts to find a port that is free on both addresses. */
const PICKS = 10;

/** Opens a server on each address of a host, on one port. Rejects with the system's error, such as EADDRINUSE. */
export async function listenOnAll(make: () => Server, address: Address): Promise<Server[]> {
  const hosts = ADDRESSES.get(address.host) ?? [address.host];
  for (let pick = 1; ; pick++) {
    try {
      return await listenOn(hosts, make, address.port);
    } catch (error) {
      if (address.port !== 0 || codeOf(error) !== "EADDRINUSE" || pick === PICKS) throw error;
    }
  }
}

async function listenOn(hosts: readonly string[], make: () => Server, port: number): Promise<Server[]> {
  const servers: Server[] = [];
  for (const host of hosts) {
    const server = make();
    try {
      await listen(server, { port: addressOf(servers[0])?.port ?? port, host });
      servers.push(server);
    } catch (error) {
      // Ignore other errors, which a machine without IPv6 gives in many forms; only a busy port matters.
      if (servers.length > 0 && codeOf(error) !== "EADDRINUSE") continue;
      await closeAll(servers);
      throw error;
    }
  }
  return servers;
}

export async function closeAll(servers: readonly Server[]): Promise<void> {
  const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
  for (const server of servers) server.closeAllConnections();
  await Promise.all(closed);
}

/** Resolves once the server takes connections; rejects with the system's error, such as EADDRINUSE. */
export async function listen(server: Server, { port, host }: Address): Promise<void> {
  await once(server.listen(port, host), "listening");
}

/** The URL of a server, such as `http://127.0.0.1:8431`; undefined if the server is not listening. */
export function urlOf(server: Server | undefined): string | undefined {
  const address = addressOf(server);
  return address ? urlTo({ host: address.address, port: address.port }) : undefined;
}

/** A URL that works on this machine for any listening address, such as `http://127.0.0.1:8431`. */
export function urlNearby({ host, port }: Address): string {
  return urlTo({ host: /^(localhost|0\.0\.0\.0|::)$/.test(host) ? "127.0.0.1" : host, port });
}

/** Replaces a wildcard address in a URL by an address that works on this machine. */
export function nearby(url: string): string {
  const { hostname, port } = new URL(url);
  return urlNearby({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80) });
}

export function urlTo({ host, port }: Address): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function addressOf(server: Server | undefined): AddressInfo | null | undefined {
  return server?.address() as AddressInfo | null | undefined;
}
