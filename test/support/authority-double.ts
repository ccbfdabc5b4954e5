/**
 * A strict tax authority for tests, on node:https and certificates of the openssl command. It is independent of the
 * emulated authority, which shares code with the service. It refuses everything that the API does not define.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";
import type { AuthorityCommand } from "../../src/authority/tax-authority.js";
import { systemClock } from "../../src/base/clock.js";
import type { KeyPair, TestCa } from "./openssl.js";

export const DOUBLE_UID = "DOUBLE01";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Answers instead of the double; returns true when it did. */
type Instead = (request: SeenRequest, response: ServerResponse) => boolean;

export class AuthorityDouble {
  readonly seen: SeenRequest[] = [];
  readonly reports: { readonly commandId: string; readonly success: boolean }[] = [];
  readonly connections = new Set<TLSSocket>();
  waiting: AuthorityCommand[] = [];
  instead: Instead = () => false;
  /** ms */
  tokenLife = 8 * 3_600_000;
  /** Property with the end of the token's life; undefined for none. */
  tokenEnd: string | undefined = "expiresAt";
  /** Spells the property names of each answer. */
  spell = (name: string): string => name;
  readonly refused: string[] = [];
  tokensIssued = 0;
  connectionsMade = 0;
  private valid = new Set<string>();

  private constructor(private readonly server: Server) {
    server.on("secureConnection", (socket) => {
      this.connectionsMade++;
      this.connections.add(socket);
      socket.once("close", () => this.connections.delete(socket));
    });
    server.on("request", (request: IncomingMessage, response: ServerResponse) => void this.take(request, response));
  }

  /** @param ca issuer of the certificates that clients show @param identity the server's key pair */
  static async open(ca: TestCa, identity: KeyPair): Promise<AuthorityDouble> {
    const server = createServer({
      cert: readFileSync(identity.certificate),
      key: readFileSync(identity.key),
      ca: ca.pem,
      requestCert: true,
      rejectUnauthorized: false,
    });
    const double = new AuthorityDouble(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => double.close());
    return double;
  }

  /** The address without a slash at the end, as in certificates. */
  get url(): string {
    return `https://localhost:${this.port}`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  expireTokens(): void {
    this.valid = new Set();
  }

  asked(path: string): SeenRequest[] {
    return this.seen.filter((request) => request.path === path);
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = request;
    const seen = { method, path, headers, body: await text(request) };
    this.seen.push(seen);
    if (this.instead(seen, response)) return;
    const [status, answer] = this.answer(seen, request.socket as TLSSocket);
    if (status >= 400) this.refused.push(`${status} ${seen.method} ${seen.path}`);
    response.statusCode = status;
    response.setHeader("content-type", "application/json; charset=utf-8");
    response.end(JSON.stringify(respell(answer, this.spell)));
  }

  private answer(request: SeenRequest, socket: TLSSocket): [status: number, body: unknown] {
    const { method, path, headers, body } = request;
    if (method === "GET" && path === "/api/v3/sdc/token") return this.token(headers, socket);
    const token = headers.taxcoreauthenticationtoken;
    if (typeof token !== "string" || !this.valid.has(token)) return [401, { message: "no token that is valid" }];
    if (method !== "GET" && headers["content-type"] !== "application/json") return [415, { message: "no JSON" }];
    const command = /^\/api\/v3\/sdc\/commands\/([^/]+)$/.exec(path)?.[1];
    if (method === "PUT" && command !== undefined) return this.report(decodeURIComponent(command), body);
    switch (`${method} ${path}`) {
      case "GET /api/v3/sdc/commands":
        return body === "" ? [200, this.waiting] : [400, { message: "a GET has no body" }];
      case "PUT /api/v3/sdc/status":
        return isBoolean(body) ? [200, this.waiting] : [400, { message: "true or false" }];
      case "POST /api/v3/sdc/audit":
        return fieldsOf(body) === "iv,key,payload"
          ? [200, { status: 4, commands: this.waiting }]
          : [400, { message: "no package" }];
      case "POST /api/v3/sdc/audit-proof":
        return fieldsOf(body) === "auditRequestPayload,limit,sum"
          ? [200, this.waiting]
          : [400, { message: "no request" }];
      default:
        return [404, { message: "no such resource" }];
    }
  }

  private token(headers: SeenRequest["headers"], socket: TLSSocket): [status: number, body: unknown] {
    if (!socket.authorized) return [403, { message: "no certificate that is valid" }];
    if (headers.taxcoreauthenticationtoken !== undefined) return [400, { message: "a token to get a token" }];
    const token = `token-${++this.tokensIssued}`;
    this.valid.add(token);
    const end = new Date(systemClock.now() + this.tokenLife).toISOString();
    return [200, { token, ...(this.tokenEnd === undefined ? {} : { [this.tokenEnd]: end }) }];
  }

  private report(commandId: string, body: string): [status: number, body: unknown] {
    if (!isBoolean(body)) return [400, { message: "true or false" }];
    const left = this.waiting.filter((command) => command.commandId !== commandId);
    if (left.length === this.waiting.length) return [404, { message: "no such command" }];
    this.waiting = left;
    this.reports.push({ commandId, success: body === "true" });
    return [200, null];
  }
}

const isBoolean = (body: string) => body === "true" || body === "false";

function fieldsOf(body: string): string {
  return Object.keys(JSON.parse(body) as object)
    .toSorted()
    .join();
}

function respell(value: unknown, spell: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => respell(item, spell));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [spell(name), respell(content, spell)]));
}
