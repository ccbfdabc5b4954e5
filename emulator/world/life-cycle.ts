/**
 * Starts, stops, kills and restarts the parts of a world: clock, cards, reader, emulated authority, and the
 * service on top. The methods do not wait for each other, because {@link World} runs only one of them at a time.
 */
import { setImmediate } from "node:timers/promises";
import { systemClock } from "../../src/base/clock.js";
import { waitAtMost } from "../../src/base/wait-at-most.js";
import type { Settings } from "../../src/config/settings.js";
import { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import type { Service } from "../../src/service/service.js";
import type { SetFault } from "../faults/set-fault.js";
import { FIXTURE_KEYS, loadKeys } from "../pki/keys.js";
import type { TaxAuthorityServer } from "../tax-authority/tax-authority-server.js";
import type { AuthorityRecords } from "../tax-authority/verification.js";
import type { OnlineService } from "../tax-authority/vsdc/online-service.js";
import { ownRoot } from "./authority-address.js";
import { registeredCard } from "./authority-records.js";
import type { Given } from "./given.js";
import { interceptWith } from "./intercept.js";
import { makeParts, type Parts } from "./parts.js";
import type { AuthoritySnapshot, Snapshot } from "./snapshot.js";
import { WorldAuthority } from "./world-authority.js";
import type { WorldFolder } from "./world-folder.js";
import type { WorldOptions, WorldPlace } from "./world-options.js";
import { configuredByAuthority, makeService } from "./world-service.js";
import { openVsdc } from "./world-vsdc.js";
import { type SeparateWorld, Worlds } from "./worlds.js";

const keys = loadKeys(FIXTURE_KEYS);
const DEFAULT_SEED = "tillseal";

/**
 * Maximum wait for the authority's first answer, ms. After this time, the service opens its port without the answer.
 */
const FIRST_CONTACT_MS = 10_000;

/** How a service ends: `clean` ends it as SIGTERM does, and `killed` ends it as SIGKILL does. */
export type Ending = "clean" | "killed";

export class LifeCycle {
  readonly traffic: TrafficLog = new TrafficLog(() => this.parts.clock, systemClock);
  /** Separate worlds that share the address of this one. */
  readonly worlds = new Worlds<SeparateWorld>();
  parts: Parts;
  service: Service;
  /** Port of the control interface. The console shows this port. */
  controlPort: number | undefined;
  private authority: WorldAuthority | undefined;
  /** The online service; undefined if the world has none, or before it listens. */
  vsdc: OnlineService | undefined;
  private beforeListening: () => Promise<void> = () => Promise.resolve();
  /** Its signal is aborted when the service ends. */
  private ending = new AbortController();
  private port: number;
  /** Port of the authority. It stays the same when the authority starts again. */
  private authorityPort: number | undefined;
  /** Port of the online service. It stays the same when the online service starts again. */
  private vsdcPort: number | undefined;

  /** Makes the parts of a world without starting them. @throws ConfigError if `given` asks for something impossible */
  constructor(
    public given: Given,
    public options: WorldOptions,
    readonly folder: WorldFolder,
  ) {
    this.port = options.port ?? 0;
    this.parts = this.partsOf(given);
    this.authority = this.newAuthority();
    this.service = this.newService();
  }

  /** The emulated authority; undefined if the world has none, or before it listens. */
  get authorityServer(): TaxAuthorityServer | undefined {
    return this.authority?.server;
  }

  /** All random values of the world follow from this seed. */
  get seed(): string {
    return this.seedOf(this.given);
  }

  /** Starts the first service. */
  start(): Promise<void> {
    const { card, faults = [] } = this.given;
    return this.listen(async () => {
      if (card?.pinVerified) await this.verifyPin();
      for (const fault of faults) this.parts.faults.add(fault);
    });
  }

  /**
   * Replaces this world by a new one with an empty store, and starts the new one on the same ports.
   * @throws ConfigError if `given` asks for something impossible; this world has not changed then
   */
  async begin(given: Given): Promise<void> {
    await this.replace(given);
    this.service = this.newService();
    await this.start();
  }

  /**
   * Replaces this world by a new one and does not start the service. The store is empty, and the cards are those of
   * `given`.
   * @param next the store, the cards and the authority. Default: those of `given`, and an empty store
   * @throws ConfigError if `given` asks for something impossible; this world has not changed then
   */
  async replace(given: Given, next?: Pick<Snapshot, "store" | "cards" | "authority">): Promise<void> {
    const parts = this.partsOf(given);
    this.folder.requireOwn();
    await this.endService("killed");
    await this.closeAuthority();
    // Wait two turns, so that a client in this process sees the end of its connection before its next request.
    for (let turn = 0; turn < 2; turn++) await setImmediate();
    this.folder.replace(parts.cardFiles, next);
    this.given = given;
    this.parts = parts;
    this.authority = this.newAuthority(next?.authority);
  }

  /** Ends the service and starts it again on the same store. */
  async restart(how: Ending): Promise<void> {
    await this.endService(how);
    await this.startService();
  }

  /**
   * Restarts the service with other settings, on the same card and store. If the start fails, the next start uses the
   * old settings.
   */
  async reconfigure(settings: Partial<Settings>, { port = this.port, ...place }: WorldPlace): Promise<void> {
    await this.endService("clean");
    const { options, given, port: before } = this;
    const base = { ...options.base, settings: { ...options.base?.settings, ...settings } };
    this.options = { ...options, ...place, base };
    this.given = { ...given, settings: { ...given.settings, ...settings } };
    this.port = port;
    try {
      await this.startService();
      this.traffic.emit("begun");
    } catch (error) {
      this.options = options;
      this.given = given;
      this.port = before;
      throw error;
    }
  }

  /** Starts a service on the existing store. @param prepare as for {@link listen} */
  private async startService(prepare?: () => Promise<void>): Promise<void> {
    this.service = this.newService();
    await this.listen(prepare);
  }

  /**
   * Starts a service on the existing store, with these faults and this PIN session. The number of PIN attempts left
   * does not change.
   */
  async resume({ pinVerified, faults }: { pinVerified: boolean; faults: readonly SetFault[] }): Promise<void> {
    this.parts.faults.clear();
    await this.startService(async () => {
      const { card } = this.parts.reader;
      if (pinVerified && card) {
        const { pinTriesLeft } = card.memory.load();
        await this.verifyPin();
        await card.alter((state) => ({ ...state, pinTriesLeft }));
      }
      this.parts.faults.restore(faults);
    });
  }

  /** Ends the service. First releases the answers that a fault holds back, so that they do not delay the end. */
  async endService(how: Ending): Promise<void> {
    this.ending.abort();
    if (how === "killed") return this.service.kill();
    await this.service.stop();
    this.parts.cards.flush();
  }

  /** Ends the whole world, including its separate worlds. */
  async close(): Promise<void> {
    await this.endService("clean");
    await this.worlds.close();
    await this.closeAuthority();
    await this.folder.remove();
  }

  /** Verifies the PIN of the card in the reader, without a request of the POS. */
  async verifyPin(): Promise<void> {
    const { card } = this.parts.reader;
    if (card) await this.service.secureElement.verifyPin(card.profile.pin);
  }

  private partsOf(given: Given): Parts {
    const { realTime = this.options.realTime ?? false } = given.clock ?? {};
    const surroundings = () => ({ ended: this.ending.signal, ...this.parts });
    return makeParts(given, {
      intercept: interceptWith(this.traffic, () => this.service.secureElement.caller, surroundings),
      folder: this.folder,
      keys,
      realTime,
      seed: this.seedOf(given),
    });
  }

  private seedOf({ seed }: Given): string {
    return seed ?? this.options.seed ?? DEFAULT_SEED;
  }

  private newAuthority(kept?: AuthoritySnapshot): WorldAuthority | undefined {
    const { given, options, parts, folder, authorityPort = options.authorityPort ?? 0 } = this;
    if (!given.authority) return undefined;
    return new WorldAuthority({
      cards: parts.cards.all,
      keys,
      clock: { now: () => this.parts.clock.now() },
      port: authorityPort,
      // Another program may take this port between two scenarios. Only a port that the user named must stay the same.
      otherPort: options.otherAuthorityPort === true || !options.authorityPort,
      dataDir: folder.authority,
      onlineJournal: (number) => this.vsdc?.journal(number),
      content: kept?.content,
      environment: configuredByAuthority(given) ? parts.environment : undefined,
      faults: kept?.faults ?? given.authority.faults ?? {},
    });
  }

  private async closeAuthority(): Promise<void> {
    await this.vsdc?.close();
    this.vsdc = undefined;
    await this.authority?.close();
  }

  /** Starts the online service, if `given` has one. It keeps running while the till's service stops and starts. */
  private async startVsdc(): Promise<void> {
    const { given, parts, folder, seed, traffic } = this;
    if (!given.vsdc || this.vsdc) return;
    const port = this.vsdcPort ?? this.options.vsdcPort ?? 0;
    const authority = this.authorityServer;
    const root = ownRoot(this.options, parts.environment, () => this.service.url);
    this.vsdc = await openVsdc({ given: given.vsdc, parts, folder, keys, seed, port, traffic, authority, root });
    this.vsdcPort = this.vsdc.port;
  }

  private newService(): Service {
    this.ending = new AbortController();
    return makeService({
      ended: this.ending.signal,
      given: this.given,
      options: { ...this.options, port: this.port },
      folder: this.folder,
      parts: this.parts,
      traffic: this.traffic,
      worlds: this.worlds,
      now: () => this.parts.clock.now(),
      authority: this.authority,
      controlPort: () => this.controlPort,
      records: this.records(),
      beforeListening: () => this.beforeListening(),
    });
  }

  /**
   * Returns the data for the verification page. It comes from the authority, or from this world if there is no
   * authority.
   */
  private records(): AuthorityRecords {
    const { authority } = this;
    return {
      privateKey: keys.authorityPrivateKey,
      card: (uid) =>
        authority ? authority.server?.records.card(uid) : registeredCard(this.parts.cards, uid, this.vsdc?.element),
      journal: (number) =>
        authority
          ? authority.server?.records.journal(number)
          : (this.service.journal(number) ?? this.vsdc?.journal(number)),
      timeZone: () => authority?.server?.records.timeZone() ?? this.parts.environment?.timeZone,
    };
  }

  /**
   * Starts the service. It opens its port when it can sell. With an authority, that is after the first contact with it.
   * @param prepare runs just before the port opens, so that a fault does not strike the start itself
   */
  private async listen(prepare: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    this.beforeListening = async () => {
      await this.meetAuthority();
      await this.startVsdc();
      await prepare();
    };
    const url = await this.service.start();
    this.port = Number(new URL(url).port);
  }

  /**
   * Starts the authority, if the world has one, and lets the service contact the authority. Rejects with the system's
   * error if the authority cannot listen.
   */
  private async meetAuthority(): Promise<void> {
    if (!this.authority) return;
    this.authorityPort = (await this.authority.start()).port;
    if (this.awaitsEnvironment()) await waitAtMost(FIRST_CONTACT_MS, this.service.talkToAuthority());
  }

  /**
   * Whether the service must wait for the authority's first commands before it can sell. It need not wait without a
   * card, or with a locked card, because it cannot sell then. A world inside a test always waits, so that each run is
   * the same.
   */
  private awaitsEnvironment(): boolean {
    if (!this.options.realTime) return true;
    const { state } = this.service.secureElement;
    return this.parts.environment !== undefined && state.kind === "ready" && state.pin !== "locked";
  }
}
