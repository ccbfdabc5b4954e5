/**
 * The emulated tax authority as an HTTPS server with mutual TLS, a register and a package store. docs/authority-api.md
 * describes it for developers of services.
 */
import type { Server as HttpServer } from "node:http";
import { createServer } from "node:https";
import express, { type Express, type RequestHandler } from "express";
import { pino } from "pino";
import { type Clock, systemClock, systemTimer } from "../../src/base/clock.js";
import { durationOf } from "../../src/base/duration.js";
import { systemRandom } from "../../src/base/random.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import type { EnvironmentParameters, FiscalEnvironment } from "../../src/fiscal/environment.js";
import { CallError, callErrors } from "../../src/http/call-errors.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import { guard } from "../../src/http/guard.js";
import { LIMITS } from "../../src/http/limits.js";
import { type Address, closeAll, listenOnAll, urlOf } from "../../src/http/listen.js";
import { SAFE_HEADERS } from "../../src/http/server.js";
import { sendTaxRates } from "../../src/http/status.js";
import { Turns } from "../../src/http/turns.js";
import { type EmulatedKeys, FIXTURE_KEYS, loadKeys } from "../pki/keys.js";
import { adminRouter } from "./admin.js";
import { ADMIN_PREFIX } from "./admin-endpoints.js";
import { type AuthorityContent, type AuthorityFiles, FolderFiles, MemoryFiles } from "./authority-files.js";
import { pagesRouter } from "./pages.js";
import { renegotiateOn } from "./renegotiation.js";
import { SDC_PREFIX, sdcRouter } from "./sdc-api.js";
import { TaxOffice } from "./tax-office.js";
import { keptTlsAuthority, sharedTlsMaker, TlsMaker } from "./tls-identity.js";
import type { AuthorityRecords } from "./verification.js";
import { VERIFICATION_PATH, verificationRouter } from "./verification-page.js";

export interface TaxAuthorityOptions extends Partial<Address> {
  /** Host names under which clients reach the server, besides localhost, 127.0.0.1 and ::1. */
  readonly hostNames?: readonly string[];
  /** For which cards encrypt data, and which issue card certificates. Default: the keys in the package. */
  readonly keys?: EmulatedKeys;
  /** Folder with CA, register and packages. Default: the server keeps them in memory. */
  readonly dataDir?: string | undefined;
  /** Content at the start. It replaces the content of the data folder. */
  readonly content?: AuthorityContent | undefined;
  readonly onlineReceipt?: AuthorityRecords["receipt"];
  /** Base URL of the online service; undefined if there is none. */
  readonly vsdcUrl?: () => string | undefined;
  readonly clock?: Clock;
  /**
   * Environment that the authority sends to cards; null if it sends none. Default: the environment in the data folder,
   * or `specification`. This server's address replaces each address that ends in .test, because such an address never
   * resolves.
   */
  readonly environment?: FiscalEnvironment | null;
  /** Maximum time until a whole request has arrived, ms. Default: the limit of the service. */
  readonly requestMs?: number;
}

const SLOW_REQUEST_CHECK_INTERVAL_MS = 5_000;
/** Path of the tax rates. It is open to everybody (protocol facts, section 10). */
const TAX_RATES_PATH = `${API_PREFIX}/tax-rates`;
const DEFAULT_ENVIRONMENT = "specification";

/** Replaces addresses below .test, which never resolve (RFC 6761, section 6.2), by those of `own`. */
export function reachable(
  environment: FiscalEnvironment,
  own: Partial<Record<keyof EnvironmentParameters["endpoints"], string | undefined>>,
): FiscalEnvironment {
  const { endpoints } = environment.parameters;
  const entries = Object.entries(endpoints).map(([name, address]) => {
    const isNowhere = /^https?:\/\/[^/]+\.test(\/|$)/.test(address);
    return [name, isNowhere ? (own[name as keyof typeof endpoints] ?? address) : address];
  });
  const reached = { ...endpoints, ...Object.fromEntries(entries) };
  return { ...environment, parameters: { ...environment.parameters, endpoints: reached } };
}

export class TaxAuthorityServer {
  /** Register, commands, packages, proofs and faults. */
  readonly office: TaxOffice;
  private servers: readonly HttpServer[] = [];
  private readonly keys: EmulatedKeys;
  private readonly files: AuthorityFiles;
  private readonly closing = new AbortController();

  private constructor(
    private readonly options: TaxAuthorityOptions,
    readonly tls: TlsMaker,
  ) {
    const { dataDir, content, keys = loadKeys(FIXTURE_KEYS), clock = systemClock } = options;
    this.files = dataDir === undefined ? new MemoryFiles(content) : new FolderFiles(dataDir, content);
    this.keys = keys;
    this.office = new TaxOffice(keys, clock, systemRandom, this.files);
  }

  /** Rejects with the system's error, or with a ConfigError if the data folder is damaged. */
  static async open(options: TaxAuthorityOptions = {}): Promise<TaxAuthorityServer> {
    const { dataDir } = options;
    const kept = (folder: string) => new TlsMaker(keptTlsAuthority(folder, systemRandom), systemRandom);
    const server = new TaxAuthorityServer(options, dataDir === undefined ? sharedTlsMaker() : kept(dataDir));
    await server.listen();
    server.configure();
    return server;
  }

  /** Base URL, such as `https://localhost:8434`. It has no slash at the end, like those in certificates. */
  get url(): string {
    return `https://localhost:${this.port}`;
  }

  get port(): number {
    return Number(new URL(urlOf(this.servers[0]) ?? "http://localhost:0").port);
  }

  /** Certificate of the CA that signed this server's certificate, PEM. Clients must trust this CA. */
  get caCertificate(): string {
    return this.tls.authority.certificate;
  }

  get content(): AuthorityContent {
    return this.files.content;
  }

  get records(): AuthorityRecords {
    return {
      privateKey: this.keys.authorityPrivateKey,
      card: (uid) => this.office.holder(uid),
      receipt: (invoiceNumber) => this.office.receipt(invoiceNumber) ?? this.options.onlineReceipt?.(invoiceNumber),
      timeZone: () => this.office.environment?.timeZone,
    };
  }

  async close(): Promise<void> {
    this.closing.abort();
    await closeAll(this.servers);
    this.servers = [];
  }

  private async listen(): Promise<void> {
    const { port = 0, host = "localhost", hostNames = [], requestMs = LIMITS.requestMs.value } = this.options;
    const identity = this.tls.server(hostNames);
    const tls = {
      cert: identity.certificate,
      key: identity.key,
      ca: [this.tls.authority.certificate, ...this.keys.cardIssuers],
      // Accept clients without a certificate, such as browsers. Only the endpoint for tokens requires a certificate.
      requestCert: true,
      rejectUnauthorized: false,
      handshakeTimeout: requestMs,
      headersTimeout: requestMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(requestMs, SLOW_REQUEST_CHECK_INTERVAL_MS),
      maxHeaderSize: LIMITS.headerBytes.value,
    };
    const app = this.app();
    // The cast below is safe: listenOnAll uses only methods that HTTPS and HTTP servers have in common.
    const make = () => {
      const server = createServer(tls, new Turns(app, (_error, request) => request.destroy()).take);
      server.maxConnections = LIMITS.connections.value;
      renegotiateOn(server, tls, () => this.office.faults.renegotiation);
      return server as unknown as HttpServer;
    };
    this.servers = await listenOnAll(make, { port, host });
  }

  private configure(): void {
    const { environment } = this.options;
    if (environment === null || (environment === undefined && this.office.environment)) return;
    const given = environment ?? loadNamedEnvironment(DEFAULT_ENVIRONMENT);
    if (given) this.office.setEnvironment(this.reachable(given));
  }

  /** Replaces addresses that never resolve by this server's and the online service's. */
  reachable(environment: FiscalEnvironment): FiscalEnvironment {
    const vsdc = this.options.vsdcUrl?.();
    return reachable(environment, { taxAuthorityApi: this.url, root: this.url + VERIFICATION_PATH, vsdc });
  }

  private app(): Express {
    const { host = "localhost", hostNames = [] } = this.options;
    const app = express();
    app.disable("x-powered-by");
    app.disable("etag");
    app.use((_request, response, next) => {
      for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
      next();
    });
    const guarded = guard({ host, allowedHosts: hostNames, allowedOrigins: [] });
    app.use(ADMIN_PREFIX, guarded, adminRouter(this));
    // The fault `down` closes only the API. It keeps the portal open, because people use it from outside the shop.
    app.use(SDC_PREFIX, (request, _response, next) => {
      if (this.office.faults.down) request.socket.destroy();
      else next();
    });
    // Services may use any host name for this API. The guard refuses requests of web pages.
    app.get(TAX_RATES_PATH, guarded, (_request, response) => {
      sendTaxRates(response, this.office.environment, this.options.clock?.now() ?? Date.now());
    });
    const noPages = guard({ allowedHosts: ["*"], allowedOrigins: [] });
    app.use(SDC_PREFIX, noPages, this.faultyApi, sdcRouter(this.office));
    app.use(guarded, pagesRouter(this.office), verificationRouter(this.records));
    app.use((request) => {
      throw new CallError(404, `There is no page or endpoint at ${request.path}`);
    });
    app.use(callErrors(pino({ level: "silent" })));
    return app;
  }

  private readonly faultyApi: RequestHandler = async (_request, response, next) => {
    const { delay, httpStatus } = this.office.faults;
    const ms = durationOf(delay);
    if (ms > 0) await systemTimer.sleep(ms, this.closing.signal);
    if (httpStatus === null) next();
    else response.status(httpStatus).json({ message: "The fault httpStatus sets this status" });
  };
}
