/** A server on its address. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Address {
  /** 0 picks a free one. */
  readonly port: number;
  readonly host: string;
}

/** Resolves once the server takes connections; rejects with the system's error, such as EADDRINUSE. */
export function listen(server: Server, { port, host }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** `http://127.0.0.1:8431`; undefined where the server does not listen. */
export function urlOf(server: Server | undefined): string | undefined {
  const address = server?.address() as AddressInfo | null | undefined;
  if (!address) return undefined;
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
