/** An HTTP proxy that opens tunnels (CONNECT). */
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { onTestFinished } from "vitest";

export interface TestProxy {
  readonly url: URL;
  /** Targets of the requested tunnels. */
  readonly asked: string[];
}

/** @param give replaces the tunnel */
export async function testProxy(give?: (client: Duplex, target: string) => void): Promise<TestProxy> {
  const asked: string[] = [];
  const open = new Set<Duplex>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on("connect", ({ url: target = "" }, client: Duplex) => {
    asked.push(target);
    open.add(client);
    client.on("error", () => undefined);
    if (give) {
      // An unread socket never notices its end, and a server's socket stays half open.
      client.resume().once("end", () => client.end());
      return give(client, target);
    }
    const there = connect({ host: "127.0.0.1", port: Number(target.split(":").at(-1)) }, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(there).pipe(client);
    });
    client.once("close", () => there.destroy());
    there.on("error", () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), asked };
}
