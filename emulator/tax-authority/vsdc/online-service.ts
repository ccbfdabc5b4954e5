/**
 * The authority's online service (V-SDC; protocol facts, section 10). It is the service of this package behind HTTPS,
 * with a secure element of the authority. The client certificate names the taxpayer. docs/vsdc.md describes the online
 * service for developers of POS programs.
 */
import type { Server } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { durationOf } from "../../../src/base/duration.js";
import { type Random, systemRandom } from "../../../src/base/random.js";
import { loadConfig } from "../../../src/config/load.js";
import { logOf } from "../../../src/config/log.js";
import type { FiscalEnvironment } from "../../../src/fiscal/environment.js";
import type { Taxpayer } from "../../../src/fiscal/invoice.js";
import type { Requester } from "../../../src/fiscalizer/make-intent.js";
import { CallError } from "../../../src/http/call-errors.js";
import { API_PREFIX, isSale } from "../../../src/http/endpoints.js";
import { LIMITS } from "../../../src/http/limits.js";
import { sendTaxRates } from "../../../src/http/status.js";
import type { FaultySend } from "../../../src/http/traffic/watch-answer.js";
import { Service } from "../../../src/service/service.js";
import { FolderMemory, initialState, VolatileMemory } from "../../card/card-state.js";
import { EmulatedCard } from "../../card/emulated-card.js";
import { EmulatedReader } from "../../card/emulated-reader.js";
import { parseProfile } from "../../card/profile.js";
import { type EmulatedClock, waitingTimer } from "../../faults/emulated-clock.js";
import type { EmulatedKeys } from "../../pki/keys.js";
import { PFX_PASSPHRASE, pfxFile } from "../../pki/pfx-file.js";
import { NO_VSDC_FAULTS, type VsdcFaults } from "../authority-faults.js";
import { clientOf } from "../client-certificate.js";
import { orOnFreePort } from "../free-port.js";
import type { PemIdentity, TlsMaker } from "../tls-identity.js";
import type { KnownReceipt } from "../verification.js";

export interface OnlineServiceOptions {
  /** Port of the service. If the port is 0 or busy, the service takes a free one. */
  readonly port: number;
  readonly tls: TlsMaker;
  readonly keys: EmulatedKeys;
  readonly clock: EmulatedClock;
  readonly random: Random;
  /** Folder for receipts and counters. Default: a temporary folder. */
  readonly dataDir: string | undefined;
  /** Returns the environment at each use, so that the service has new rates as soon as the authority has them. */
  readonly environment: () => FiscalEnvironment | undefined;
  /** Returns the beginning of verification URLs. It replaces the address in the environment. */
  readonly root: (() => string) | undefined;
  readonly country: string;
  /** Returns the taxpayer with the UID of a client certificate; undefined if the authority does not know the UID. */
  readonly taxpayer: (uid: string) => Taxpayer | undefined;
  /** Records each request. @param faultySend sends answers with faults */
  readonly watch: (faultySend: FaultySend) => RequestHandler;
  readonly faults: Partial<VsdcFaults>;
}

/** The data with which a POS can call the service. */
export interface OnlineAccess {
  readonly uid: string;
  readonly pac: string;
  /** The client certificate, PEM. Its `key` is PEM too. */
  readonly certificate: string;
  readonly key: string;
  readonly passphrase: string;
  /** Certificate of the CA that signed the server's certificate, PEM. A POS must trust this CA. */
  readonly ca: string;
}

/** The paths of an online service (protocol facts, section 10): it has neither a PIN nor a console. */
const PATHS = new RegExp(`^${API_PREFIX}/(attention|status|environment-parameters|invoices(/[^/]+)?)/?$`, "i");
/** Matches the path of the tax rates, which is open to everybody (protocol facts, section 10). */
const TAX_RATES = new RegExp(`^${API_PREFIX}/tax-rates/?$`, "i");
const LAST_INVOICE = new RegExp(`^${API_PREFIX}/invoices/?$`, "i");
const NOTHING_HERE = `The online service has nothing at this path; see ${API_PREFIX}/status`;

export class OnlineService {
  /** The authority's secure element, which signs online invoices. */
  readonly element: EmulatedCard;
  private inForce: VsdcFaults;
  private service: Service | undefined;
  /** Its signal is aborted when the service ends, so that delayed requests wait no longer. */
  private readonly ending = new AbortController();
  private readonly clients = new WeakMap<object, Requester>();

  private constructor(private readonly options: OnlineServiceOptions) {
    this.element = vsdcElement(options);
    this.inForce = { ...NO_VSDC_FAULTS, ...options.faults };
  }

  /** Rejects with the system's error, or with a ConfigError if its folder is damaged. */
  static async open(options: OnlineServiceOptions): Promise<OnlineService> {
    const online = new OnlineService(options);
    const identity = options.tls.server();
    await orOnFreePort(options.port, (port) => online.listen(port, identity));
    return online;
  }

  get url(): string {
    return `https://localhost:${this.port}`;
  }

  get port(): number {
    return Number(new URL(this.service?.url ?? "http://localhost:0").port);
  }

  get faults(): VsdcFaults {
    return this.inForce;
  }

  /** Changes the faults. @param faults the faults that change; `clear` removes all faults */
  setFaults(faults: Partial<VsdcFaults> | "clear"): void {
    this.inForce = faults === "clear" ? NO_VSDC_FAULTS : { ...this.inForce, ...faults };
  }

  receipt(invoiceNumber: string): KnownReceipt | undefined {
    return this.service?.receipt(invoiceNumber);
  }

  /** Makes the data with which a POS can call the service. @param uid UID of the taxpayer's card */
  accessFor(uid: string): OnlineAccess {
    const { tls } = this.options;
    const { certificate, key } = tls.client(this.holder(uid));
    return { uid, pac: PAC, certificate, key, passphrase: PFX_PASSPHRASE, ca: tls.authority.certificate };
  }

  /** Makes a PFX file for a POS, with an RSA key and a certificate. @param uid UID of the taxpayer's card */
  async pfxFor(uid: string): Promise<Uint8Array> {
    const { tls, random } = this.options;
    return pfxFile(await tls.rsaClient(this.holder(uid)), `tillseal online service ${uid}`, random);
  }

  private holder(uid: string) {
    const { country } = this.options;
    const taxpayer = this.options.taxpayer(uid);
    const { taxAuthorityApi = "" } = this.options.environment()?.parameters.endpoints ?? {};
    return taxpayer ? { ...taxpayer, uid, country, taxAuthorityApi, onlineService: this.url } : { uid };
  }

  async close(): Promise<void> {
    this.ending.abort();
    await this.service?.stop();
  }

  private async listen(port: number, { certificate: cert, key }: PemIdentity): Promise<void> {
    const { dataDir, clock, environment, tls, root } = this.options;
    const reader = new EmulatedReader();
    reader.insert(this.element);
    const { uid, pin } = this.element.profile;
    const flags = { port, host: "localhost", dataDir, makerCodes: VSDC_MAKER_CODES, deviceSerialNumber: uid };
    // Every recorded answer of a real online service has this form.
    const answerForm = "device" as const;
    const { settings } = loadConfig({ flags: { ...flags, answerForm } });
    const service: Service = new Service({
      settings,
      reader,
      get environment() {
        return environment();
      },
      environmentName: "of the authority",
      authorityAddress: () => environment()?.parameters.endpoints.taxAuthorityApi,
      clock,
      timer: waitingTimer(clock),
      random: systemRandom,
      log: logOf({ logLevel: "silent" }),
      hooks: {
        watch: this.receive(),
        // The service verifies the PIN itself, because no person enters a PIN at a server of the authority.
        beforeListening: async () => void (await service.secureElement.verifyPin(pin)),
        requester: (request) => this.clients.get(request),
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
          // The cast is safe: the service uses only methods that HTTP and HTTPS servers have in common.
          return createServer({ ...options, ...asksForCertificate }, listener) as unknown as Server;
        },
      },
    });
    await service.start();
    this.service = service;
  }

  /** Runs before all other handlers: records the request, applies faults and identifies the client. */
  private receive(): RequestHandler {
    const watched = this.options.watch((request) => {
      if (!this.inForce.loseAnswers || !isSale(request)) return undefined;
      return async ({ response }, done) => {
        done("broken");
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
    if (ms > 0) await this.options.clock.sleep(ms, this.ending.signal);
    if (TAX_RATES.test(request.path)) {
      sendTaxRates(response, this.options.environment(), this.options.clock.now());
      return;
    }
    try {
      this.clients.set(request, this.identified(request));
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      const { status, message, details } = error;
      const [Message, MessageDetails] = details.length > 0 ? [message, details[0]] : ["Forbidden", message];
      response.status(status).json({ Message, MessageDetails });
      return;
    }
    next();
  }

  /**
   * Identifies the client by its certificate and the header PAC (protocol facts, section 10). The only answer that we
   * saw at a real service is 403 without a certificate. We chose the other answers (docs/vsdc.md).
   * @throws CallError
   */
  private identified(request: Request): Requester {
    // The last invoice of the authority's element may be another taxpayer's.
    const isLast = request.method !== "POST" && LAST_INVOICE.test(request.path);
    if (!PATHS.test(request.path) || isLast) throw new CallError(404, "Not found", [NOTHING_HERE]);
    const { uid } = clientOf(request.socket as TLSSocket);
    if (this.inForce.revoked) throw new CallError(403, "The client certificate is revoked");
    const pac = request.get("PAC") ?? "";
    if (pac === "") throw new CallError(401, "PAC is missing", ["Send the header PAC with 6 characters"]);
    if (pac !== PAC) throw new CallError(401, "PAC is wrong", ["It does not belong to the client certificate"]);
    const taxpayer = this.options.taxpayer(uid);
    if (!taxpayer) throw new CallError(403, `The authority has no taxpayer with the UID ${uid}`);
    return { uid, taxpayer };
  }
}

/** The PAC of every client of the emulated service: 6 characters. It is for tests and not a secret. */
const PAC = "A1B2C3";

/** UID of the element. UIDs of an online service's elements end in `O0` (protocol facts, section 10). */
const VSDC_UID = "TSVSDCO0";

/** The two maker codes in `mrc` of an online receipt (protocol facts, section 10). */
const VSDC_MAKER_CODES = "99-0100";

/** Limit of the element. It is the largest amount that a card profile allows. */
const NO_LIMIT = "999999999999";

/** The folder keeps the element's counters. Without a folder, they are temporary. */
function vsdcElement({ country, dataDir, keys, random }: OnlineServiceOptions): EmulatedCard {
  const taxpayer = {
    tin: "000000001",
    businessName: "Emulated tax authority",
    locationName: "Online service",
    address: "Test Street 2",
    country,
  };
  const profile = parseProfile({ uid: VSDC_UID, taxpayer, limit: NO_LIMIT });
  const initial = initialState(profile);
  const memory = dataDir ? new FolderMemory(join(dataDir, "card"), VSDC_UID, initial) : new VolatileMemory(initial);
  return new EmulatedCard(profile, memory, keys, random);
}
