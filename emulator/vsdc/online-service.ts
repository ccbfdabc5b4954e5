/**
 * The authority's online service (V-SDC; protocol facts, section 10): the service of this package behind HTTPS, on an element
 * of the authority. The taxpayer is that of the client certificate. docs/vsdc.md describes it for developers of POS programs.
 */
import type { Server } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import type { Clock, Timer } from "../../src/base/clock.js";
import { durationOf } from "../../src/base/duration.js";
import { type Random, systemRandom } from "../../src/base/random.js";
import { codeOf } from "../../src/base/thrown.js";
import { loadConfig } from "../../src/config/load.js";
import { logOf } from "../../src/config/log.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import type { Taxpayer } from "../../src/fiscal/invoice.js";
import type { Requester } from "../../src/fiscalizer/make-intent.js";
import { API_PREFIX, isSale } from "../../src/http/endpoints.js";
import { LIMITS } from "../../src/http/limits.js";
import type { FaultySend } from "../../src/http/traffic/watch-answer.js";
import { Service } from "../../src/service/service.js";
import type { EmulatedCard } from "../card/emulated-card.js";
import { EmulatedReader } from "../card/emulated-reader.js";
import type { EmulatedKeys } from "../pki/keys.js";
import { type PemIdentity, PFX_PASSPHRASE, pkcs12Of, type TlsMaker } from "../tax-authority/tls-identity.js";
import { clientOf, PAC, refused } from "./client-identity.js";
import { VSDC_MAKER_CODES, vsdcElement } from "./vsdc-element.js";
import { NO_VSDC_FAULTS, type VsdcFaults } from "./vsdc-faults.js";

export interface OnlineServiceOptions {
  /** If the port is 0 or busy, a free port is picked. */
  readonly port: number;
  readonly tls: TlsMaker;
  readonly keys: EmulatedKeys;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Waits before an answer that a fault delays. */
  readonly sleep: Timer["sleep"];
  readonly random: Random;
  /** Keeps receipts and counters. Default: a temporary folder. */
  readonly dataDir: string | undefined;
  /** The service reads the environment at each use; undefined if the authority has none. */
  readonly environment: FiscalEnvironment | undefined;
  /** The beginning of verification URLs, instead of the environment's. */
  readonly root: (() => string) | undefined;
  readonly country: string;
  /** The taxpayer of a client certificate; undefined if the authority does not know its UID. */
  readonly taxpayer: (uid: string) => Taxpayer | undefined;
  /** Records each request. @param faultySend sends answers with faults */
  readonly watch: (faultySend: FaultySend) => RequestHandler;
  readonly faults: Partial<VsdcFaults>;
}

/** What a POS needs to call the service. */
export interface OnlineAccess {
  readonly uid: string;
  readonly pac: string;
  /** PEM: certificate and key. */
  readonly certificate: string;
  readonly key: string;
  /** Makes the PKCS#12 under {@link OnlineAccess.passphrase}, which takes longer than a sale. */
  readonly pfx: () => Uint8Array;
  readonly passphrase: string;
  /** PEM of the authority that signed the server's certificate: a POS must trust it. */
  readonly ca: string;
}

/** The paths of an online service (protocol facts, section 10). It has neither a PIN nor a console. */
const PATHS = new RegExp(`^${API_PREFIX}/(attention|status|environment-parameters|invoices(/[^/]+)?)/?$`, "i");
const NOTHING_HERE = refused(404, "Not found", `The online service has nothing at this path; see ${API_PREFIX}/status`);
const OWN_NAMES = ["localhost", "127.0.0.1", "::1"];

export class OnlineService {
  /** The authority's element, which signs. */
  readonly element: EmulatedCard;
  private inForce: VsdcFaults;
  private service: Service | undefined;
  /** Aborted when the service ends: answers wait no longer. */
  private readonly ending = new AbortController();
  /** UID of the client certificate of each request at work. */
  private readonly clients = new WeakMap<object, string>();

  private constructor(private readonly options: OnlineServiceOptions) {
    const { country, dataDir, keys, random, faults } = options;
    this.element = vsdcElement(country, dataDir && join(dataDir, "card"), { keys, random });
    this.inForce = { ...NO_VSDC_FAULTS, ...faults };
  }

  /** Rejects with the system's error if it cannot listen, or with a ConfigError if its folder is damaged. */
  static async open(options: OnlineServiceOptions): Promise<OnlineService> {
    const online = new OnlineService(options);
    const identity = await options.tls.server(OWN_NAMES);
    await online.listen(options.port, identity).catch((error: unknown) => {
      if (codeOf(error) !== "EADDRINUSE" || options.port === 0) throw error;
      return online.listen(0, identity);
    });
    return online;
  }

  /** `https://localhost:8436`. */
  get url(): string {
    return `https://localhost:${this.port}`;
  }

  get port(): number {
    return Number(new URL(this.service?.url ?? "http://localhost:0").port);
  }

  get faults(): VsdcFaults {
    return this.inForce;
  }

  /** @param faults those that change; `clear` removes all */
  setFaults(faults: Partial<VsdcFaults> | "clear"): void {
    this.inForce = faults === "clear" ? NO_VSDC_FAULTS : { ...this.inForce, ...faults };
  }

  /** The text of a receipt by the number of its invoice. */
  journal(invoiceNumber: string): string | undefined {
    return this.service?.journal(invoiceNumber);
  }

  /** @param uid of the taxpayer's element */
  async accessFor(uid: string): Promise<OnlineAccess> {
    const { tls } = this.options;
    const identity = await tls.client(uid);
    const pfx = () => pkcs12Of(identity, `tillseal online service ${uid}`);
    const { certificate, key } = identity;
    return { uid, pac: PAC, certificate, key, pfx, passphrase: PFX_PASSPHRASE, ca: tls.authority.certificate };
  }

  async close(): Promise<void> {
    this.ending.abort();
    await this.service?.stop();
  }

  private async listen(port: number, { certificate: cert, key }: PemIdentity): Promise<void> {
    const { dataDir, clock, timer, environment, tls, root } = this.options;
    const reader = new EmulatedReader();
    reader.insert(this.element);
    const { uid, pin } = this.element.profile;
    const flags = { port, host: "localhost", dataDir, makerCodes: VSDC_MAKER_CODES, deviceSerialNumber: uid };
    const { settings } = loadConfig({ flags });
    const service: Service = new Service({
      settings,
      reader,
      environment,
      environmentName: "of the authority",
      clock,
      timer,
      random: systemRandom,
      log: logOf({ logLevel: "silent" }),
      testInvoiceByDefault: false,
      pinGuardByDefault: false,
      hooks: {
        watch: this.receive(),
        // A server of the authority needs no person who enters a PIN.
        beforeListening: async () => void (await service.secureElement.verifyPin(pin)),
        requester: (request) => this.requesterOf(request),
        ...(root ? { root } : {}),
        encrypted: (options, listener) => {
          const asksForCertificate = {
            cert,
            key,
            ca: tls.authority.certificate,
            requestCert: true,
            // A client without a certificate gets an answer instead of a broken handshake.
            rejectUnauthorized: false,
            handshakeTimeout: LIMITS.requestMs.value,
          };
          // The service uses only methods that HTTP and HTTPS servers have in common.
          return createServer({ ...options, ...asksForCertificate }, listener) as unknown as Server;
        },
      },
    });
    await service.start();
    this.service = service;
  }

  /** Comes before everything else: the traffic log, faults, and the client's identity. */
  private receive(): RequestHandler {
    const watched = this.options.watch((request) => {
      if (!this.inForce.loseAnswers || !isSale(request)) return undefined;
      return async ({ response }, done) => {
        done(false);
        response.socket?.destroy();
      };
    });
    return (request, response, next) => {
      if (this.inForce.down) request.socket.destroy();
      else watched(request, response, () => void this.admit(request, response, next));
    };
  }

  private async admit(request: Request, response: Response, next: NextFunction): Promise<void> {
    const ms = durationOf(this.inForce.delay);
    if (ms > 0) await this.options.sleep(ms, this.ending.signal);
    const client = PATHS.test(request.path) ? clientOf(request, this.inForce.revoked) : NOTHING_HERE;
    if (client.kind === "refused") {
      response.status(client.status).json({ Message: client.message, MessageDetails: client.details });
      return;
    }
    const known = this.options.taxpayer(client.uid);
    if (!known) {
      const details = `The authority has no taxpayer with the UID ${client.uid}`;
      response.status(403).json({ Message: "Forbidden", MessageDetails: details });
      return;
    }
    this.clients.set(request, client.uid);
    next();
  }

  private requesterOf(request: Request): Requester | undefined {
    const uid = this.clients.get(request);
    const taxpayer = uid === undefined ? undefined : this.options.taxpayer(uid);
    return uid === undefined || taxpayer === undefined ? undefined : { uid, taxpayer };
  }
}
