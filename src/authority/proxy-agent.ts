/** Sends HTTPS requests through the tunnel of an HTTP proxy (CONNECT: RFC 9110, section 9.3.6). */
import { type ClientRequest, request } from "node:http";
import { Agent, type AgentOptions, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import { codeOf } from "../base/thrown.js";

export class ProxyError extends Error {}

type Connected = (error: Error | null, stream: Duplex) => void;

export class ProxyAgent extends Agent {
  private readonly asking = new Set<ClientRequest>();

  /** @param proxy http://host:port @param timeLimitMs maximum ms until the tunnel is open */
  constructor(
    private readonly proxy: URL,
    private readonly timeLimitMs: number,
    options: AgentOptions,
  ) {
    super(options);
  }

  override createConnection(options: RequestOptions, connected: Connected): undefined {
    this.tunnel(options).then(
      (socket) => connected(null, super.createConnection({ ...options, socket } as RequestOptions) as Duplex),
      // Pass on the error alone, because there is no stream.
      (error: Error) => (connected as (error: Error) => void)(error),
    );
  }

  override destroy(): void {
    super.destroy();
    for (const asked of this.asking) asked.destroy();
  }

  private tunnel({ host, port }: RequestOptions): Promise<Duplex> {
    const name = host?.includes(":") ? `[${host}]` : host;
    const target = `${name}:${port}`;
    return new Promise((resolve, reject) => {
      const asked = request({
        method: "CONNECT",
        host: this.proxy.hostname.replace(/^\[|\]$/g, ""),
        port: this.proxy.port || 80,
        path: target,
        headers: { host: target },
        agent: false,
        timeout: this.timeLimitMs,
      });
      this.asking.add(asked);
      asked.once("close", () => this.asking.delete(asked));
      asked.once("timeout", () => asked.destroy());
      asked.once("connect", ({ statusCode }, socket, early) => {
        if (statusCode === 200 && early.length === 0) return resolve(socket);
        socket.destroy();
        reject(new ProxyError(`the proxy ${this.proxy.host} refused a tunnel to ${target} with HTTP ${statusCode}`));
      });
      // Some proxies refuse a tunnel with a plain response, which is not an answer to CONNECT.
      asked.once("response", (response) => {
        response.destroy();
        reject(new ProxyError(`the proxy ${this.proxy.host} did not open a tunnel (HTTP ${response.statusCode})`));
      });
      asked.once("error", (error) =>
        reject(new ProxyError(`the proxy ${this.proxy.host} cannot be used: ${codeOf(error) ?? error.message}`)),
      );
      asked.end();
    });
  }
}
