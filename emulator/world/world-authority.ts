/**
 * The emulated tax authority of a world. The world's service calls the authority over HTTPS with mutual TLS, as in a
 * shop, and does not wait until the authority has started.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { ClientCertificate } from "../../src/authority/client-certificate.js";
import { HttpsAuthority } from "../../src/authority/https-authority.js";
import { AuthorityError, type TaxAuthority } from "../../src/authority/tax-authority.js";
import type { Clock, Timer } from "../../src/base/clock.js";
import { messageOf } from "../../src/base/thrown.js";
import type { EmulatedCard } from "../card/emulated-card.js";
import type { AuthorityFaults } from "../tax-authority/authority-faults.js";
import { orOnFreePort } from "../tax-authority/free-port.js";
import { type TaxAuthorityOptions, TaxAuthorityServer } from "../tax-authority/tax-authority-server.js";
import type { PemIdentity } from "../tax-authority/tls-identity.js";

export interface WorldAuthorityOptions extends TaxAuthorityOptions {
  readonly port: number;
  /** Whether the authority takes a free port if `port` is busy. */
  readonly otherPort: boolean;
  readonly cards: Iterable<EmulatedCard>;
  readonly clock: Clock;
  /** Starts the online service, because the environment that the authority sends has its address. */
  readonly startVsdc: () => Promise<void>;
  readonly faults: Partial<AuthorityFaults>;
}

export class WorldAuthority {
  /** The authority's server; undefined until it listens. */
  server: TaxAuthorityServer | undefined;
  private opened: Promise<TaxAuthorityServer> | undefined;

  constructor(private readonly options: WorldAuthorityOptions) {}

  /** Further calls wait for the same start. Rejects with the system's error, or with a ConfigError. */
  start(): Promise<TaxAuthorityServer> {
    this.opened ??= this.open();
    return this.opened;
  }

  /** A client whose certificate has this UID. Its requests wait until the authority has started. */
  clientOf(uid: string, timer: Timer): TaxAuthority {
    const started = this.connect(uid, timer).catch((error: unknown) => {
      const reason = messageOf(error);
      throw new AuthorityError("unreachable", `the emulated tax authority has not started: ${reason}`);
    });
    // Each request reports the failed start. Without requests, nothing does.
    started.catch(() => undefined);
    return {
      commands: async () => (await started).commands(),
      announce: async (online) => (await started).announce(online),
      report: async (commandId, success) => (await started).report(commandId, success),
      submit: async (auditPackage) => (await started).submit(auditPackage),
      requestProof: async (request) => (await started).requestProof(request),
      close: () => {
        started.then((authority) => authority.close()).catch(() => undefined);
      },
    };
  }

  async close(): Promise<void> {
    const server = await this.opened?.catch(() => undefined);
    await server?.close();
  }

  private async open(): Promise<TaxAuthorityServer> {
    const { port, otherPort, cards, faults, startVsdc } = this.options;
    await startVsdc();
    const listen = (one: number) => TaxAuthorityServer.open({ ...this.options, port: one });
    const server = await (otherPort ? orOnFreePort(port, listen) : listen(port));
    for (const card of cards) registerOnce(server, card);
    server.office.setFaults(faults);
    this.server = server;
    return server;
  }

  private async connect(uid: string, timer: Timer): Promise<TaxAuthority> {
    const server = await this.start();
    const certificate = certificateOf(uid, server.tls.client({ uid }));
    const { clock } = this.options;
    return new HttpsAuthority({ address: server.url, certificate, ca: server.caCertificate, clock, timer });
  }
}

export function register({ office }: TaxAuthorityServer, { certificate, memory }: EmulatedCard): void {
  const { totalCounter: counter, sum } = memory.load();
  office.register({ certificate, start: { counter, sum } });
}

export function registerOnce(server: TaxAuthorityServer, card: EmulatedCard): void {
  if (!server.office.cards.some(({ uid }) => uid === card.profile.uid)) register(server, card);
}

function certificateOf(uid: string, { certificate, key }: PemIdentity): ClientCertificate {
  const { validFrom, validTo } = new X509Certificate(certificate);
  const dates = { validFrom: Date.parse(validFrom), validTo: Date.parse(validTo) };
  return { file: "that of the emulator", chain: certificate, privateKey: createPrivateKey(key), uid, ...dates };
}
