/** A program beside the service that holds the key and handles TLS: plain bytes on a local port, TLS to the authority. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { connect } from "node:tls";
import { onTestFinished } from "vitest";
import type { AuthorityDouble } from "./authority-double.js";
import { testIdentities } from "./double-client.js";

/** @returns http://127.0.0.1:port */
export async function tlsHelper(double: AuthorityDouble): Promise<string> {
  const { ca, client } = testIdentities();
  const identity = { cert: readFileSync(client.certificate), key: readFileSync(client.key), ca: ca.pem };
  const server = createServer((socket) => {
    const secure = connect({ host: "localhost", port: double.port, ...identity });
    socket.on("error", () => secure.destroy());
    secure.on("error", () => socket.destroy());
    socket.pipe(secure).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
