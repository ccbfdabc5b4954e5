/**
 * A whole world in one process: clock, cards, reader, faults, the emulated authority, and the service that uses them. Its
 * `given` describes the starting state. world-snapshots.ts has the snapshots, and authority-actions.ts the actions of the
 * tax authority.
 */
import { EventEmitter } from "node:events";
import { setImmediate } from "node:timers/promises";
import { systemClock } from "../../src/base/clock.js";
import { Mutex } from "../../src/base/mutex.js";
import { waitAtMost } from "../../src/base/wait-at-most.js";
import type { Settings } from "../../src/config/settings.js";
import { CallError } from "../../src/http/call-errors.js";
import { nearby } from "../../src/http/listen.js";
import { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import type { PinState, SecureElementState } from "../../src/secure-element/secure-element.js";
import type { Service } from "../../src/service/service.js";
import type { EmulatedCard } from "../card/emulated-card.js";
import type { EmulatedReader } from "../card/emulated-reader.js";
import type { NamedCards } from "../card/named-cards.js";
import type { EmulatedClock } from "../faults/emulated-clock.js";
import type { SetFault } from "../faults/fault.js";
import type { Faults } from "../faults/fault-list.js";
import { interceptWith } from "../faults/faulty-exchange.js";
import { holderOf } from "../tax-authority/registered.js";
import { reachable, type TaxAuthorityServer } from "../tax-authority/tax-authority-server.js";
import type { AuthorityRecords } from "../tax-authority/verification.js";
import type { OnlineService } from "../tax-authority/vsdc/online-service.js";
import { AuthorityActions } from "./authority-actions.js";
import { type Controllable, doStep, type StepAnswer, WORLD_ROWS } from "./do-step.js";
import { type Given, withBase } from "./given.js";
import { LOOKS, type Look, type LookName } from "./look.js";
import { makeParts, WORLD_KEYS, type WorldParts } from "./parts.js";
import type { WorldStep } from "./step-types.js";
import { register, registerOnce, WorldAuthority } from "./world-authority.js";
import { type AuthoritySnapshot, WorldFolder } from "./world-folder.js";
import type { WorldOptions, WorldPlace } from "./world-options.js";
import { configuredByAuthority, makeService, verificationRoot } from "./world-service.js";
import { restoreCards, type Snapshot, WorldSnapshots } from "./world-snapshots.js";
import { openVsdc } from "./world-vsdc.js";

const DEFAULT_SEED = "tillseal";

/** After this time, the service opens its port without the authority's first answer. */
const FIRST_CONTACT_MS = 10_000;

/** How a service ends: `clean` ends it as SIGTERM does, and `killed` ends it as SIGKILL does. */
export type Ending = "clean" | "killed";

interface WorldSession {
  readonly pinVerified: boolean;
  readonly faults: readonly SetFault[];
}

export interface Stopped extends WorldSession {
  readonly store: Uint8Array;
}

interface Beginning {
  /** The world goes back to this snapshot. Default: an empty store, and the cards of `given`. */
  readonly content?: Snapshot;
  readonly keepsTraffic?: boolean;
}

export class World implements Controllable {
  readonly traffic: TrafficLog = new TrafficLog(() => this.parts.clock, systemClock);
  /** `done` after each step, `begun` when the world has begun again or has gone back to a snapshot. */
  readonly events = new EventEmitter<{ done: [step: WorldStep]; begun: [] }>();
  readonly snapshots = new WorldSnapshots(this);
  readonly audits: AuthorityActions = new AuthorityActions(this);
  parts: WorldParts;
  service: Service;
  /** The authority's online service; undefined if the world has none, or before it listens. */
  vsdc: OnlineService | undefined;
  /** The `given` with which this world was opened. */
  readonly first: Given;
  /** Lets starts, stops and snapshots run one at a time. Otherwise two services could start on the same port. */
  private readonly mutex = new Mutex();
  private authority: WorldAuthority | undefined;
  private beforeListening: () => Promise<void> = () => Promise.resolve();
  private ending = new AbortController();
  private port: number;
  /** Base URL since the last start; undefined before the first one. */
  private address: string | undefined;
  /** Ports that stay the same when their server starts again; undefined before its first start. */
  private authorityPort: number | undefined;
  private vsdcPort: number | undefined;
  private vsdcStart: Promise<void> | undefined;
  private controlPort: number | undefined;

  /** @param options {@link change} changes them @throws ConfigError if `given` is impossible */
  private constructor(
    public given: Given,
    public options: WorldOptions,
    private readonly files: WorldFolder,
  ) {
    this.first = given;
    this.port = options.port ?? 0;
    this.parts = this.partsOf(given);
    this.authority = this.newAuthority();
    this.service = this.newService();
  }

  /** @throws ConfigError if `given` asks for something impossible, or the error of the service's start */
  static async open(given: Given = {}, options: WorldOptions = {}): Promise<World> {
    const folder = new WorldFolder(options.dataDir);
    let world: World | undefined;
    try {
      world = new World(withBase(options.base ?? {}, given), options, folder);
      await world.startNew();
      return world;
    } catch (error) {
      // Close the world, because its authority may listen already and would keep the process alive.
      if (world) await world.close();
      else await folder.remove();
      throw error;
    }
  }

  /** Does a step. The answer is a promise if the step takes time. @throws CallError or UserError if it is impossible */
  do<const S extends WorldStep>(step: S): StepAnswer<S> {
    return doStep(WORLD_ROWS, this, step, () => this.events.emit("done", step)) as StepAnswer<S>;
  }

  /** Removes one fault. A recording gets the faults that stay. @returns false if there is no fault with this id */
  removeFault(id: number): boolean {
    const isRemoved = this.faults.remove(id);
    if (isRemoved) this.events.emit("done", { faults: "clear" });
    const { plain } = this.faults;
    if (isRemoved && plain.length > 0) this.events.emit("done", { faults: plain });
    return isRemoved;
  }

  /** @throws CallError if the world does not have what is looked at */
  look<N extends LookName>(what: N): Look<N> {
    return LOOKS[what](this) as Look<N>;
  }

  /**
   * Starts another world on the same ports.
   * @param given complete: the caller has applied `base`
   * @param beginning what is not as `given` says
   * @throws ConfigError if `given` asks for something impossible; this world has not changed then
   */
  begin(given: Given, { content, keepsTraffic = false }: Beginning = {}): Promise<void> {
    return this.mutex.run(async () => {
      const parts = this.partsOf(given);
      this.files.requireOwn();
      await this.endService("killed");
      await this.closeAuthority();
      // Wait two turns, so that a client in this process sees the end of its connection before its next request.
      for (let turn = 0; turn < 2; turn++) await setImmediate();
      this.files.replace(parts.cardFiles, content);
      this.given = given;
      this.parts = parts;
      this.authority = this.newAuthority(content?.authority);
      this.audits.close();
      this.audits.direct.request = content?.auditRequest;
      if (content) restoreCards(content, parts);
      await (content ? this.startService(content) : this.startNew());
      if (content) this.clock.restore(content.clock);
      if (!keepsTraffic) this.traffic.clear();
      this.events.emit("begun");
    });
  }

  /**
   * Ends the service and starts it again on the same store.
   * @param between reads the state while no service runs. With it, the PIN session and the faults go on
   * @returns what `between` returns
   */
  restart<T = undefined>(how: Ending, between?: (now: Stopped) => T): Promise<T | undefined> {
    return this.mutex.run(async () => {
      const now = { pinVerified: this.pinState === "verified", faults: this.faults.list };
      await this.endService(how);
      const read = between?.({ ...now, store: this.files.readStore() });
      await this.startService(between && now);
      return read;
    });
  }

  /**
   * Restarts the service with other settings, on the same card and store. If the start fails, the next start uses the
   * old settings.
   * @param place where the service runs from now on. Default of `port`: the current port
   */
  change(settings: Partial<Settings>, { port = this.port, ...place }: WorldPlace): Promise<void> {
    return this.mutex.run(async () => {
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
    });
  }

  close(): Promise<void> {
    return this.mutex.run(async () => {
      await this.endService("clean");
      await this.closeAuthority();
      await this.files.remove();
      this.audits.close();
    });
  }

  /** Calls `work` while the service is neither stopping nor starting, and returns its result. */
  whenRunning<T>(work: () => T | Promise<T>): Promise<T> {
    return this.mutex.run(async () => work());
  }

  /** Supplies the fields that a `given` leaves out. */
  get base(): Given {
    return this.options.base ?? {};
  }

  /** Base URL of the service, such as `http://127.0.0.1:8431`. It stays the same after a restart. */
  get url(): string {
    return this.address ?? this.service.url;
  }

  get country(): string | undefined {
    return this.parts.environment?.parameters.country;
  }

  get seed(): string {
    return this.parts.seed;
  }

  get clock(): EmulatedClock {
    return this.parts.clock;
  }

  get faults(): Faults {
    return this.parts.faults;
  }

  controlledAt(port: number): void {
    this.controlPort = port;
    this.service.changed();
  }

  get folder(): string {
    return this.files.path;
  }

  /** The emulated authority; undefined if the world has none, or before it listens. */
  get taxAuthority(): TaxAuthorityServer | undefined {
    return this.authority?.server;
  }

  /** Returns the authority's online service. @throws CallError if the world has none */
  requireVsdc(): OnlineService {
    const { vsdc } = this;
    if (vsdc) return vsdc;
    throw new CallError(404, "This world has no online service; use serve --vsdc, or `vsdc: {}` in `given`");
  }

  get reader(): EmulatedReader {
    return this.parts.reader;
  }

  get card(): EmulatedCard | undefined {
    return this.reader.card;
  }

  get cards(): NamedCards {
    return this.parts.cards;
  }

  /** UID of the card in the reader, or of the last card that was in it. */
  get uid(): string {
    return this.cards.named(this.cards.current).profile.uid;
  }

  async insert(name = this.cards.current): Promise<void> {
    this.reader.insert(this.cards.select(name));
    await this.refresh();
  }

  async plug(): Promise<void> {
    this.reader.plug();
    await this.refresh();
  }

  /** Inserts the card again. The service then reads the PIN attempts, so that the status shows the change at once. */
  lockChanged(): Promise<void> {
    return this.insert();
  }

  /** Registers the new amounts at the authority, because no audit package explains them. */
  amountsSet(): void {
    if (this.taxAuthority) register(this.taxAuthority, this.cards.named(this.cards.current));
  }

  async refresh(): Promise<void> {
    await this.service.secureElement.refresh();
  }

  lastCounter(uid: string): number | undefined {
    return this.service.lastCounter(uid);
  }

  /** The state of the PIN in the service, or the reason why the service has no card. */
  get pinState(): PinState | Exclude<SecureElementState["kind"], "ready"> {
    const { state } = this.service.secureElement;
    return state.kind === "ready" ? state.pin : state.kind;
  }

  /** Starts the first service of a world that is as its `given` says. */
  private startNew(): Promise<void> {
    const { card, faults = [] } = this.given;
    this.service = this.newService();
    return this.listen(async () => {
      if (card?.pinVerified) await this.verifyPin();
      this.faults.addAll(faults);
    });
  }

  /** Starts a service on the existing store. @param session goes on. The number of PIN attempts left does not change */
  private startService(session?: WorldSession): Promise<void> {
    if (session) this.faults.clear();
    this.service = this.newService();
    return this.listen(async () => {
      const { card } = this;
      if (session?.pinVerified && card) {
        const { pinTriesLeft } = card.memory.load();
        await this.verifyPin();
        await card.alter((state) => ({ ...state, pinTriesLeft }));
      }
      this.faults.restore(session?.faults ?? []);
    });
  }

  /** Ends the service. First releases the answers that a fault holds back, so that they do not delay the end. */
  private async endService(how: Ending): Promise<void> {
    this.ending.abort();
    if (how === "killed") return this.service.kill();
    await this.service.stop();
    this.parts.cards.flush();
  }

  /** Verifies the PIN of the card in the reader, without a request of the POS. */
  private async verifyPin(): Promise<void> {
    const { card } = this;
    if (card) await this.service.secureElement.verifyPin(card.profile.pin);
  }

  private partsOf(given: Given): WorldParts {
    const surroundings = () => ({ ended: this.ending.signal, ...this.parts });
    return makeParts(given, {
      intercept: interceptWith(this.traffic, () => this.service.secureElement.caller, surroundings),
      folder: this.files,
      realTime: this.options.realTime ?? false,
      seed: this.options.seed ?? DEFAULT_SEED,
    });
  }

  private newAuthority(kept?: AuthoritySnapshot): WorldAuthority | undefined {
    const { given, options, parts, files, authorityPort = options.authorityPort ?? 0 } = this;
    if (!given.authority) return undefined;
    return new WorldAuthority({
      cards: parts.cards.all,
      clock: { now: () => this.parts.clock.now() },
      port: authorityPort,
      // Another program may take this port between two scenarios. Only a port that the user named must stay the same.
      otherPort: options.otherAuthorityPort === true || !options.authorityPort,
      dataDir: files.authority,
      onlineReceipt: (number) => this.vsdc?.receipt(number),
      vsdcUrl: () => this.vsdc?.url,
      startVsdc: () => this.startVsdc(),
      content: kept?.content,
      // The content of a snapshot has an environment already.
      environment: (!kept && configuredByAuthority(given) ? parts.environment : null) ?? null,
      faults: kept?.faults ?? given.authority.faults ?? {},
    });
  }

  private async closeAuthority(): Promise<void> {
    await this.vsdc?.close();
    this.vsdc = undefined;
    this.vsdcStart = undefined;
    await this.authority?.close();
  }

  /** Starts the online service, if `given` has one. It keeps running while the till's service stops and starts. */
  private startVsdc(): Promise<void> {
    this.vsdcStart ??= this.openVsdc();
    return this.vsdcStart;
  }

  private async openVsdc(): Promise<void> {
    const { given, parts, files: folder, traffic } = this;
    if (!given.vsdc) return;
    const port = this.vsdcPort ?? this.options.vsdcPort ?? 0;
    const authority = () => this.taxAuthority;
    const root = verificationRoot(this.options, parts.environment, () => nearby(this.service.url));
    const { faults = {} } = given.vsdc;
    this.vsdc = await openVsdc({ faults, parts, folder, port, traffic, authority, root });
    this.vsdcPort = this.vsdc.port;
    parts.environment = parts.environment && reachable(parts.environment, { vsdc: this.vsdc.url });
  }

  private newService(): Service {
    this.ending = new AbortController();
    return makeService({
      ended: this.ending.signal,
      given: this.given,
      options: { ...this.options, port: this.port },
      folder: this.files,
      parts: this.parts,
      traffic: this.traffic,
      now: () => this.parts.clock.now(),
      authority: this.authority,
      controlPort: () => this.controlPort,
      records: this.records(),
      beforeListening: () => this.beforeListening(),
    });
  }

  /** For the verification page: from the authority, or from this world if there is none. */
  private records(): AuthorityRecords {
    const { authority } = this;
    return {
      privateKey: WORLD_KEYS.authorityPrivateKey,
      card: (uid) => {
        if (authority) return authority.server?.records.card(uid);
        const element = this.vsdc?.element;
        const card = uid === element?.profile.uid ? element : this.cards.withUid(uid);
        return card && holderOf(card.certificate);
      },
      receipt: (number) =>
        authority
          ? authority.server?.records.receipt(number)
          : (this.service.receipt(number) ?? this.vsdc?.receipt(number)),
      timeZone: () => authority?.server?.records.timeZone() ?? this.parts.environment?.timeZone,
    };
  }

  /**
   * Starts the service. It opens its port when it can sell. With an authority, that is after the first contact with it.
   * @param prepare runs just before the port opens, so that a fault does not strike the start itself
   */
  private async listen(prepare: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    this.beforeListening = async () => {
      await this.startVsdc();
      await this.meetAuthority();
      await prepare();
    };
    this.address = await this.service.start();
    this.port = Number(new URL(this.address).port);
  }

  /** Starts the authority, and lets the service contact it. Rejects with the system's error. */
  private async meetAuthority(): Promise<void> {
    if (!this.authority) return;
    const server = await this.authority.start();
    this.authorityPort = server.port;
    // The authority checks the receipts that the online service's element signs, like those of a card.
    if (this.vsdc) registerOnce(server, this.vsdc.element);
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
