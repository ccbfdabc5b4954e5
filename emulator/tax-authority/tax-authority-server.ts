/**
 * The emulated tax authority as a server: HTTPS with mutual TLS, on a register and a package store that no service
 * reads or writes. docs/authority-api.md describes it for developers of services.
 */
import type { Server as HttpServer } from "node:http";
import { createServer } from "node:https";
import express, { type Express } from "express";
import { type Logger, pino } from "pino";
import { type Clock, systemClock } from "../../src/clock.js";
import type { FiscalEnvironment } from "../../src/config/environment.js";
import { type Address, closeAll, listenOnAll, nearby, urlOf } from "../../src/http/listen.js";
import { type Random, systemRandom } from "../../src/random.js";
import { ApiError, apiErrors } from "./api-error.js";
import { CommandQueue } from "./command-queue.js";
import { environmentCommands } from "./environment-commands.js";
import { type EmulatedKeys, FIXTURE_KEYS, loadKeys } from "./keys.js";
import { SDC_PREFIX, type SdcHandlers, sdcRouter } from "./sdc-api.js";
import {
  type ClientCertificate,
  makeClientIdentity,
  makeServerIdentity,
  makeTlsAuthority,
  type PemIdentity,
} from "./tls-identity.js";
import { Tokens } from "./tokens.js";

export interface TaxAuthorityOptions extends Partial<Address> {
  /** Names under which others reach the server, besides localhost, 127.0.0.1 and ::1. */
  readonly hostNames?: readonly string[];
  /** The key that cards know, and the issuer of their certificates. Default: the keys of the package. */
  readonly keys?: EmulatedKeys;
  readonly clock?: Clock;
  readonly random?: Random;
  /** What new cards are configured with; nothing where absent. */
  readonly environment?: FiscalEnvironment | undefined;
  readonly log?: Logger;
}

const OWN_NAMES = ["localhost", "127.0.0.1", "::1"];

export class TaxAuthorityServer {
  private servers: readonly HttpServer[] = [];
  private readonly tokens: Tokens;
  private readonly queue: CommandQueue;
  private readonly configured = new Set<string>();

  private constructor(
    private readonly options: TaxAuthorityOptions,
    private readonly authority: PemIdentity,
    private readonly random: Random,
  ) {
    this.tokens = new Tokens(options.clock ?? systemClock, random);
    this.queue = new CommandQueue(random);
  }

  /** Rejects with the system's error, such as EADDRINUSE. */
  static async open(options: TaxAuthorityOptions = {}): Promise<TaxAuthorityServer> {
    const random = options.random ?? systemRandom;
    const server = new TaxAuthorityServer(options, await makeTlsAuthority(random), random);
    await server.listen();
    return server;
  }

  /** `https://localhost:8434`; no slash at the end, as in certificates. */
  get url(): string {
    return `https://localhost:${this.port}`;
  }

  get port(): number {
    return Number(new URL(nearby(urlOf(this.servers[0]) ?? "http://localhost:0")).port);
  }

  /** PEM: who trusts it trusts this server. */
  get caCertificate(): string {
    return this.authority.certificate;
  }

  /** A new key and certificate with which a service asks for the token of a card. */
  clientCertificateFor(uid: string): Promise<ClientCertificate> {
    return makeClientIdentity(this.authority, uid, this.random);
  }

  /** Queues a command for a card. @returns its id */
  command(uid: string, type: number, payload: string): string {
    return this.queue.add(uid, type, payload).commandId;
  }

  /** Ends every token before its time. */
  expireTokens(): void {
    this.tokens.expireAll();
  }

  async close(): Promise<void> {
    await closeAll(this.servers);
    this.servers = [];
  }

  private async listen(): Promise<void> {
    const { port = 0, host = "localhost", hostNames = [], keys = loadKeys(FIXTURE_KEYS) } = this.options;
    const identity = await makeServerIdentity(this.authority, [...OWN_NAMES, ...hostNames], this.random);
    const tls = {
      cert: identity.certificate,
      key: identity.key,
      ca: [this.authority.certificate, ...keys.cardIssuers],
      // Pages are for browsers without a certificate: only the token needs one.
      requestCert: true,
      rejectUnauthorized: false,
    };
    const app = this.app();
    // An HTTPS server has all that the addresses need of an HTTP server.
    const make = () => createServer(tls, app) as unknown as HttpServer;
    this.servers = await listenOnAll(make, { port, host });
  }

  private app(): Express {
    const app = express();
    app.disable("x-powered-by");
    app.disable("etag");
    app.use(SDC_PREFIX, sdcRouter(this.handlers()));
    app.use((request) => {
      throw new ApiError(404, `There is nothing at ${request.path}`);
    });
    app.use(apiErrors(this.options.log ?? pino({ level: "silent" })));
    return app;
  }

  private handlers(): SdcHandlers {
    return {
      token: (uid) => {
        this.configure(uid);
        return this.tokens.issue(uid);
      },
      holder: (token) => this.tokens.uidOf(token),
      commands: (uid) => this.queue.waiting(uid),
      announce: () => undefined,
      report: (uid, commandId, success) => {
        if (!this.queue.report(uid, commandId, success)) throw new ApiError(404, `There is no command ${commandId}`);
      },
      submit: () => Promise.reject(new ApiError(404, "This server does not take packages yet")),
      requestProof: () => {
        throw new ApiError(404, "This server does not prove audits yet");
      },
    };
  }

  /** A card that comes for the first time gets its configuration. */
  private configure(uid: string): void {
    const { environment } = this.options;
    if (!environment || this.configured.has(uid)) return;
    this.configured.add(uid);
    for (const { type, payload } of environmentCommands(environment)) this.queue.add(uid, type, payload);
  }
}
