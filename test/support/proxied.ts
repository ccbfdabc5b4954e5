/** A proxy in this process and a server behind it, until the end of the test. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { openProxy, type ProxyOptions, type RunningProxy } from "../../harness/proxy/open-proxy.js";
import { listen, urlOf } from "../../src/http/listen.js";

type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void | Promise<void>;

/** @param answer default: echoes the body of the request */
export async function target(answer: Answer = (_request, response, body) => void response.end(body)) {
  const arrived: { readonly request: IncomingMessage; readonly body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    arrived.push({ request, body });
    await answer(request, response, body);
  });
  await listen(server, { port: 0, host: "127.0.0.1" });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: urlOf(server) ?? "", arrived, server };
}

export async function proxied(target: string, options: Partial<ProxyOptions> = {}): Promise<RunningProxy> {
  const proxy = await openProxy({
    target: new URL(target),
    port: 0,
    host: "127.0.0.1",
    faults: [],
    allowedHosts: [],
    allowedOrigins: [],
    failed: (reason) => {
      throw new Error(reason);
    },
    ...options,
  });
  onTestFinished(() => proxy.close());
  return proxy;
}
