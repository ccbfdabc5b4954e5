/**
 * The emulated tax authority of a world. The world's service calls it over HTTPS with mutual TLS, as in a shop, and does not
 * wait for it to start.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { ClientCertificate } from "../../src/authority/client-certificate.js";
import { HttpsAuthority } from "../../src/authority/https-authority.js";
import { AuthorityError, type TaxAuthority } from "../../src/authority/tax-authority.js";
import type { Clock, Timer } from "../../src/base/clock.js";
import { codeOf, messageOf } from "../../src/base/thrown.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import type { EmulatedCard } from "../card/emulated-card.js";
import type { EmulatedKeys } from "../pki/keys.js";
import type { AuthorityFaults } from "../tax-authority/authority-faults.js";
import type { AuthorityContent } from "../tax-authority/authority-files.js";
import { TaxAuthorityServer } from "../tax-authority/tax-authority-server.js";
import type { PemIdentity } from "../tax-authority/tls-identity.js";

export interface WorldAuthorityOptions {
  /** Cards that are registered with the authority. */
  readonly cards: Iterable<EmulatedCard>;
  readonly keys: EmulatedKeys;
  readonly clock: Clock;
  /** 0 picks a free port. */
  readonly port: number;
  /** Whether a free port is picked if this one is busy. */
  readonly otherPort: boolean;
  readonly dataDir: string | undefined;
  /** The text of a receipt that the online service signed. */
  readonly onlineJournal: (invoiceNumber: string) => string | undefined;
  /** What the authority has at the start. Default: what is in the data folder. */
  readonly content: AuthorityContent | undefined;
  /** Environment that the authority sends to cards; undefined for none. */
  readonly environment: FiscalEnvironment | undefined;
  readonly faults: Partial<AuthorityFaults>;
}

/** A request to an authority that may not have started yet. */
type Asked<T> = (authority: TaxAuthority) => Promise<T>;

export class WorldAuthority {
  /** Undefined until the server listens. */
  server: TaxAuthorityServer | undefined;
  private readonly opened: Promise<TaxAuthorityServer>;
  private isStarted = false;
  private begin: () => void = () => undefined;

  constructor(private readonly options: WorldAuthorityOptions) {
    const begun = new Promise<void>((resolve) => {
      this.begin = resolve;
    });
    this.opened = begun.then(() => this.open());
    // start() and each request report the error.
    this.opened.catch(() => undefined);
  }

  /**
   * Starts the authority. Further calls wait for the same start. Rejects with the system's error if the authority cannot
   * listen, or with a ConfigError if its data folder is damaged.
   */
  start(): Promise<TaxAuthorityServer> {
    this.isStarted = true;
    this.begin();
    return this.opened;
  }

  /** A client that identifies itself with the certificate of a card. */
  clientOf(uid: string, timer: Timer): TaxAuthority {
    return new StartingAuthority(this.connect(uid, timer));
  }

  async close(): Promise<void> {
    if (!this.isStarted) return;
    const server = await this.opened.catch(() => undefined);
    await server?.close();
  }

  private async open(): Promise<TaxAuthorityServer> {
    const { port, otherPort, cards, faults } = this.options;
    const server = await this.listen(port).catch((error: unknown) => {
      if (otherPort && codeOf(error) === "EADDRINUSE") return this.listen(0);
      throw error;
    });
    for (const card of cards) registerOnce(server, card);
    server.office.setFaults(faults);
    this.server = server;
    return server;
  }

  private listen(port: number): Promise<TaxAuthorityServer> {
    const { keys, clock, dataDir, content, environment, onlineJournal } = this.options;
    // The content of a snapshot has its environment already.
    const configured = content ? null : (environment ?? null);
    return TaxAuthorityServer.open({ port, keys, clock, dataDir, content, onlineJournal, environment: configured });
  }

  private async connect(uid: string, timer: Timer): Promise<TaxAuthority> {
    const server = await this.opened;
    const certificate = certificateOf(uid, await server.clientCertificateFor(uid));
    const { clock } = this.options;
    return new HttpsAuthority({ address: server.url, certificate, ca: server.caCertificate, clock, timer });
  }
}

/** A card that the authority knows already keeps its starting amounts. */
function registerOnce({ office }: TaxAuthorityServer, { certificate, memory, profile }: EmulatedCard): void {
  if (office.cards.some(({ uid }) => uid === profile.uid)) return;
  const { totalCounter: counter, sum } = memory.load();
  office.register({ certificate, start: { counter, sum } });
}

function certificateOf(uid: string, { certificate, key }: PemIdentity): ClientCertificate {
  const { validFrom, validTo } = new X509Certificate(certificate);
  const dates = { validFrom: Date.parse(validFrom), validTo: Date.parse(validTo) };
  return { file: "that of the emulator", chain: certificate, privateKey: createPrivateKey(key), uid, ...dates };
}

/** Holds each request until the authority has started. */
class StartingAuthority implements TaxAuthority {
  constructor(private readonly started: Promise<TaxAuthority>) {
    started.catch(() => undefined);
  }

  commands() {
    return this.ask((authority) => authority.commands());
  }

  announce(online: boolean) {
    return this.ask((authority) => authority.announce(online));
  }

  report(commandId: string, success: boolean) {
    return this.ask((authority) => authority.report(commandId, success));
  }

  submit(auditPackage: Parameters<TaxAuthority["submit"]>[0]) {
    return this.ask((authority) => authority.submit(auditPackage));
  }

  requestProof(request: Parameters<TaxAuthority["requestProof"]>[0]) {
    return this.ask((authority) => authority.requestProof(request));
  }

  close(): void {
    void this.started.then(
      (authority) => authority.close(),
      () => undefined,
    );
  }

  private async ask<T>(question: Asked<T>): Promise<T> {
    const authority = await this.started.catch((error: unknown) => {
      const reason = messageOf(error);
      throw new AuthorityError("unreachable", `the emulated tax authority has not started: ${reason}`);
    });
    return question(authority);
  }
}
