/**
 * A whole world in one process: clock, cards, reader, faults, and the service on top of them, as `given` says. It can be
 * looked at, changed, put back to its start, and remembered by name.
 */
import { setImmediate } from "node:timers/promises";
import { systemClock } from "../../src/clock.js";
import type { Settings } from "../../src/config/settings.js";
import { Mutex } from "../../src/mutex.js";
import type { BytesOutcome, PinState, SecureElementState } from "../../src/secure-element/secure-element.js";
import type { Service } from "../../src/service.js";
import { TrafficLog } from "../../src/traffic/traffic-log.js";
import type { EmulatedCard } from "../card/emulated-card.js";
import type { EmulatedReader } from "../card/emulated-reader.js";
import type { CardBench } from "../control/card-bench.js";
import type { Faults } from "../faults/faults.js";
import { type DirectiveAction, makeDirective } from "../tax-authority/audit.js";
import { FIXTURE_KEYS, loadKeys } from "../tax-authority/keys.js";
import { type AuditOutcome, endAudit, performAudit } from "../tax-authority/perform-audit.js";
import type { TaxAuthorityServer } from "../tax-authority/tax-authority-server.js";
import type { AuthorityRecords } from "../tax-authority/verification.js";
import { Auditor } from "./auditor.js";
import type { AuthorityAct, AuthorityStanding } from "./authority-act.js";
import { registeredCard } from "./authority-records.js";
import type { EmulatedClock } from "./emulated-clock.js";
import { type Given, withBase } from "./given.js";
import { interceptWith } from "./intercept.js";
import { cardNamed, flushCards, MAIN_CARD, makeParts, type Parts } from "./parts.js";
import { type Snapshot, Snapshots } from "./snapshot.js";
import { WorldAuthority } from "./world-authority.js";
import { WorldFolder } from "./world-folder.js";
import type { WorldOptions, WorldPlace } from "./world-options.js";
import { configuredByAuthority, makeService } from "./world-service.js";
import { type SeparateWorld, Worlds } from "./worlds.js";

const keys = loadKeys(FIXTURE_KEYS);
const DEFAULT_SEED = "tillseal";

const ACCEPTED: AuditOutcome = { outcome: "accepted" };
const NOT_PROVED: AuditOutcome = { outcome: "no-audit-open" };

export class World implements CardBench {
  readonly traffic: TrafficLog = new TrafficLog(() => this.clock, systemClock);
  /** Separate worlds that share the address of this one. */
  readonly worlds = new Worlds<SeparateWorld>();
  private parts: Parts;
  private service: Service;
  /** Aborted when the service ends. */
  private ending = new AbortController();
  /** What this world was opened with. */
  private readonly first: Given;
  private readonly auditor = new Auditor(this);
  private readonly snapshots = new Snapshots();
  /** Two of the world's upheavals at once would start two services on one port. */
  private readonly mutex = new Mutex();
  private port: number;
  private current = MAIN_CARD;
  private controlPort: number | undefined;
  private authority: WorldAuthority | undefined;
  /** The same after every new beginning. */
  private authorityPort: number | undefined;
  /** What the card answered at the start of the last audit. */
  private auditRequest: Uint8Array | undefined;

  private constructor(
    private startedFrom: Given,
    private options: WorldOptions,
    private readonly folder: WorldFolder,
  ) {
    this.port = options.port ?? 0;
    this.first = startedFrom;
    this.parts = this.partsOf(startedFrom);
    this.authority = this.newAuthority();
    this.service = this.newService();
  }

  /** @throws ConfigError where `given` asks for what cannot be, and whatever keeps the service from starting */
  static async open(given: Given = {}, options: WorldOptions = {}): Promise<World> {
    const folder = new WorldFolder(options.dataDir);
    try {
      const world = new World(withBase(options.base ?? {}, given), options, folder);
      await world.start();
      if (!options.beforeAuthority) await world.ready();
      return world;
    } catch (error) {
      folder.remove();
      throw error;
    }
  }

  /** `http://127.0.0.1:8431`; the same after a restart. */
  get url(): string {
    return this.service.url;
  }

  /**
   * Resolves once the authority, if there is one, has been asked and what it sends is in force.
   * Rejects with the system's error where it cannot listen; the world is closed then.
   */
  ready(): Promise<void> {
    return this.mutex.run(async () => {
      try {
        await this.meetAuthority();
      } catch (error) {
        await this.endService("clean");
        throw error;
      }
    });
  }

  /** The authority beside the service; undefined without one, or before it listens. */
  get taxAuthority(): TaxAuthorityServer | undefined {
    return this.authority?.server;
  }

  /** The service talks to the authority now. Resolves once that has ended, well or not. */
  async talk(): Promise<void> {
    await this.service.talkToAuthority();
  }

  /** Tells the consoles where this world's control interface is. */
  controlledAt(port: number): void {
    this.controlPort = port;
    this.changed();
  }

  /** Something that consoles show is not what it was. */
  changed(): void {
    this.service.changed();
  }

  /** What everything random follows from. */
  get seed(): string {
    return this.seedOf(this.startedFrom);
  }

  /** What this world started from. */
  get given(): Given {
    return this.startedFrom;
  }

  get clock(): EmulatedClock {
    return this.parts.clock;
  }

  get faults(): Faults {
    return this.parts.faults;
  }

  get reader(): EmulatedReader {
    return this.parts.reader;
  }

  /**
   * Runs `given` of another scenario from now on, on the same port.
   * @throws ConfigError where it asks for what cannot be; nothing has changed then
   */
  load(given: Given): Promise<void> {
    return this.mutex.run(() => this.begin(withBase(this.options.base ?? {}, given)));
  }

  /** Like {@link load}, without the traffic of before. @param given everything that it starts from */
  startAgain(given: Given): Promise<void> {
    return this.mutex.run(async () => {
      await this.begin(given);
      this.traffic.clear();
    });
  }

  /** What every `given` of this world starts from. */
  get base(): Given {
    return this.options.base ?? {};
  }

  /** How a separate world is run: like this one, on a free port and in a temporary folder. */
  get separateOptions(): WorldOptions {
    const { realTime = false, log, seed } = this.options;
    return { realTime, base: this.base, ...(log ? { log } : {}), ...(seed === undefined ? {} : { seed }) };
  }

  /** Back to the start. @param toFirst whether to that of the world, not to that of the last `given` */
  reset(toFirst = false): Promise<void> {
    return this.mutex.run(async () => {
      await this.begin(toFirst ? this.first : this.startedFrom);
      this.traffic.clear();
    });
  }

  /** Stops as at SIGTERM, or as at SIGKILL, and starts again on the same store. */
  restart(how: "clean" | "killed"): Promise<void> {
    return this.mutex.run(async () => {
      await this.endService(how);
      await this.startService();
    });
  }

  /**
   * Stops the service and starts it with other settings, on the card and the store that are there.
   * @param place where it runs from now on; the port that it has where none is said
   */
  reconfigure(settings: Partial<Settings>, { port = this.port, ...place }: WorldPlace): Promise<void> {
    return this.mutex.run(async () => {
      await this.endService("clean");
      const { options, startedFrom, port: before } = this;
      const base = { ...options.base, settings: { ...options.base?.settings, ...settings } };
      this.options = { ...options, ...place, base };
      this.startedFrom = { ...startedFrom, settings: { ...startedFrom.settings, ...settings } };
      this.port = port;
      try {
        await this.startService();
        this.traffic.emit("begun");
      } catch (error) {
        this.options = options;
        this.startedFrom = startedFrom;
        this.port = before;
        throw error;
      }
    });
  }

  close(): Promise<void> {
    return this.mutex.run(async () => {
      await this.endService("clean");
      await this.worlds.close();
      await this.authority?.close();
      this.auditor.close();
      this.folder.remove();
    });
  }

  /** The card in the reader. */
  get card(): EmulatedCard | undefined {
    return this.reader.card;
  }

  /** Name of the card that is in the reader, or was the last one in it. */
  get cardName(): string {
    return this.current;
  }

  /** Names of all cards of this world. */
  get cardNames(): string[] {
    return [...this.parts.cards.keys()];
  }

  /** @throws RangeError where there is no card of that name */
  cardNamed(name: string): EmulatedCard {
    return cardNamed(this.parts, name);
  }

  /** Puts a card in, in place of the one that is there; the one that was in last where nothing is said. */
  async insert(name = this.current): Promise<void> {
    const card = this.cardNamed(name);
    this.current = name;
    this.reader.insert(card);
    await this.service.secureElement.refresh();
  }

  /** Plugs the reader in again, with the card that is in it. */
  async plug(): Promise<void> {
    this.reader.plug();
    await this.service.secureElement.refresh();
  }

  /** Counter of the last invoice of a card that the service has stored. */
  lastCounter(uid: string): number | undefined {
    return this.service.lastCounter(uid);
  }

  /** The service asks a card for its tries when it is put in, so that status shows the change at once. */
  lockChanged(): Promise<void> {
    return this.insert();
  }

  /** What led to these amounts is no package's business. */
  amountsSet(): void {
    const { certificate, memory } = this.cardNamed(this.current);
    const { totalCounter: counter, sum } = memory.load();
    this.taxAuthority?.register({ certificate, start: { counter, sum } });
  }

  /** The service forgets what the card has refused. */
  async refresh(): Promise<void> {
    await this.service.secureElement.refresh();
  }

  /** Whether the service has parameters and tax rates. */
  get configured(): boolean {
    return this.service.configured;
  }

  /** What the service knows of the PIN, or why it has no card. */
  get pinState(): PinState | Exclude<SecureElementState["state"], "ready"> {
    const { state } = this.service.secureElement;
    return state.state === "ready" ? state.pin : state.state;
  }

  /** Verifies the PIN of the card in the reader, past the till. */
  async verifyPin(): Promise<void> {
    if (this.card) await this.service.secureElement.verifyPin(this.card.profile.pin);
  }

  /** What the tax authority, and who serves the till, does. @throws UserError that says why it cannot be done */
  act(act: AuthorityAct): Promise<void> {
    return this.auditor.act(act);
  }

  /** Undefined without an authority. */
  authorityStanding(): AuthorityStanding | undefined {
    return this.auditor.standing();
  }

  /** UID of the card in the reader, or of the last one. */
  get uid(): string {
    return this.cardNamed(this.current).profile.uid;
  }

  /** The authority audits the card in the reader: through the service where there is one to talk to. */
  async audit(): Promise<AuditOutcome> {
    if (this.taxAuthority) {
      await this.auditor.audit(true);
      return (await this.auditor.prove()) ? ACCEPTED : NOT_PROVED;
    }
    return performAudit(this.service.secureElement, keys.authorityPrivateKey);
  }

  /** Only the first half of an audit: sales may go on until {@link endAudit}. */
  async startAudit(): Promise<BytesOutcome> {
    if (this.taxAuthority) {
      await this.auditor.audit(false);
      return { outcome: "ok", bytes: new Uint8Array() };
    }
    const request = await this.service.secureElement.startAudit();
    if (request.outcome === "ok") this.auditRequest = request.bytes;
    return request;
  }

  /** The authority's proof for the audit that was started last. */
  async endAudit(): Promise<AuditOutcome> {
    if (this.taxAuthority) return (await this.auditor.prove()) ? ACCEPTED : NOT_PROVED;
    const { auditRequest } = this;
    if (!auditRequest) return { outcome: "no-audit-open" };
    return endAudit(this.service.secureElement, auditRequest, keys.authorityPrivateKey);
  }

  /** The authority's directive to the card in the reader. */
  async directive(action: DirectiveAction): Promise<BytesOutcome> {
    if (this.taxAuthority) {
      this.taxAuthority.office.direct(this.uid, action);
      await this.talk();
      return { outcome: "ok", bytes: new Uint8Array() };
    }
    const directive = makeDirective(action, this.card?.profile.uid ?? "", keys.authorityPrivateKey);
    return this.service.secureElement.directive(directive);
  }

  /** What there is to see once nothing is being stopped or started. */
  whenStanding<T>(look: () => T): Promise<T> {
    return this.mutex.run(() => Promise.resolve(look()));
  }

  /** Folder that outlives the process; undefined where nothing is kept. */
  get keptIn(): string | undefined {
    return this.options.dataDir;
  }

  /** Invoices in the store, by state. */
  get stored(): { complete: number; open: number; lost: number } {
    return this.service.stored;
  }

  /**
   * Remembers everything; the service is restarted for it, so that nothing is half written.
   * @throws LimitError where there is no room for it
   */
  snapshot(name: string): Promise<void> {
    return this.mutex.run(async () => {
      this.snapshots.requireRoom(name);
      const pinVerified = this.pinState === "verified";
      await this.endService("clean");
      const snapshot: Snapshot = {
        given: this.startedFrom,
        cards: new Map(this.cardNames.map((cardName) => [cardName, this.cardNamed(cardName).memory.load()])),
        current: this.current,
        inserted: this.card !== undefined,
        plugged: this.reader.slot !== "no-reader",
        pinVerified,
        auditRequest: this.auditRequest,
        clock: this.clock.state,
        faults: this.faults.list,
        authority: this.authorityNow(),
        store: this.folder.readStore(),
      };
      await this.resume(snapshot);
      this.snapshots.keep(name, snapshot);
    });
  }

  get snapshotNames(): string[] {
    return this.snapshots.names;
  }

  /** Undefined where there is none of that name. */
  snapshotNamed(name: string): Snapshot | undefined {
    return this.snapshots.get(name);
  }

  /** Keeps one from elsewhere. @throws LimitError where there is no room for it */
  keepSnapshot(name: string, snapshot: Snapshot): void {
    this.snapshots.keep(name, snapshot);
  }

  /** @throws RangeError where there is no snapshot of that name */
  async restore(name: string): Promise<void> {
    const snapshot = this.snapshots.get(name);
    if (!snapshot) throw new RangeError(`there is no snapshot ${name}`);
    await this.goBackTo(snapshot);
  }

  /** Everything becomes as it was there. */
  goBackTo(snapshot: Snapshot): Promise<void> {
    return this.mutex.run(async () => {
      await this.replace(snapshot.given, snapshot.authority);
      for (const [cardName, state] of snapshot.cards) this.cardNamed(cardName).memory.save(state);
      this.folder.writeStore(snapshot.store);
      this.current = snapshot.current;
      this.auditRequest = snapshot.auditRequest;
      if (snapshot.inserted) this.reader.insert(this.cardNamed(snapshot.current));
      else this.reader.remove();
      if (!snapshot.plugged) this.reader.unplug();
      await this.resume(snapshot);
      this.clock.restore(snapshot.clock);
    });
  }

  /** The service as it stood; faults do not strike how it comes to stand again, and it costs no PIN tries. */
  private async resume({ pinVerified, faults }: Snapshot): Promise<void> {
    this.faults.clear();
    await this.startService();
    const { card } = this;
    if (pinVerified && card) {
      const { pinTriesLeft } = card.memory.load();
      await this.verifyPin();
      await card.alter((state) => ({ ...state, pinTriesLeft }));
    }
    this.faults.restore(faults);
  }

  private async begin(given: Given): Promise<void> {
    await this.replace(given);
    this.service = this.newService();
    await this.start();
    await this.meetAuthority();
  }

  private async meetAuthority(): Promise<void> {
    if (!this.authority) return;
    this.authorityPort = (await this.authority.start()).port;
    await this.talk();
  }

  private authorityNow(): Snapshot["authority"] {
    const { taxAuthority: server } = this;
    return server && { content: server.content, faults: server.office.faults };
  }

  /** Everything new and nothing running. */
  private async replace(given: Given, authority?: Snapshot["authority"]): Promise<void> {
    const parts = this.partsOf(given);
    this.folder.requireOwn();
    await this.endService("killed");
    await this.authority?.close();
    this.auditor.close();
    // A client in this process sees that its connection has ended before it sends the next request on it.
    for (let turn = 0; turn < 2; turn++) await setImmediate();
    this.folder.clear();
    this.startedFrom = given;
    this.parts = parts;
    this.authority = this.newAuthority(authority);
    this.current = MAIN_CARD;
    this.auditRequest = undefined;
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

  private newAuthority(kept?: Snapshot["authority"]): WorldAuthority | undefined {
    const { startedFrom: given, options, parts, folder, authorityPort = options.authorityPort ?? 0 } = this;
    if (!given.authority) return undefined;
    return new WorldAuthority({
      cards: parts.cards.values(),
      keys,
      clock: { now: () => this.clock.now() },
      port: authorityPort,
      // Between two scenarios another program may take a port that no person has asked for.
      otherPort: options.otherAuthorityPort === true || !options.authorityPort,
      dataDir: folder.authority,
      content: kept?.content,
      environment: configuredByAuthority(given) ? parts.environment : undefined,
      faults: kept?.faults ?? given.authority.faults ?? {},
    });
  }

  private seedOf({ seed }: Given): string {
    return seed ?? this.options.seed ?? DEFAULT_SEED;
  }

  /** What a fault holds back does not hold this back. */
  private async endService(how: "clean" | "killed"): Promise<void> {
    this.ending.abort();
    if (how === "killed") return this.service.kill();
    await this.service.stop();
    flushCards(this.parts);
  }

  private newService(): Service {
    this.ending = new AbortController();
    return makeService({
      ended: this.ending.signal,
      given: this.startedFrom,
      options: { ...this.options, port: this.port },
      folder: this.folder,
      parts: this.parts,
      traffic: this.traffic,
      worlds: this.worlds,
      now: () => this.clock.now(),
      authority: this.authority,
      controlPort: () => this.controlPort,
      records: this.records(),
    });
  }

  /** What the verification page knows: what the authority does, else what this world has. */
  private records(): AuthorityRecords {
    const { authority } = this;
    return {
      privateKey: keys.authorityPrivateKey,
      card: (uid) => (authority ? authority.server?.records.card(uid) : registeredCard(this.parts.cards.values(), uid)),
      journal: (number) => (authority ? authority.server?.records.journal(number) : this.service.journal(number)),
      timeZone: () => authority?.server?.records.timeZone() ?? this.parts.environment?.parameters.serverTimeZone,
    };
  }

  /** Faults are set when everything stands: they are about what happens, not about how it came to be. */
  private async start(): Promise<void> {
    await this.listen();
    if (this.startedFrom.card?.pinVerified) await this.verifyPin();
    for (const fault of this.startedFrom.faults ?? []) this.faults.add(fault);
  }

  private async startService(): Promise<void> {
    this.service = this.newService();
    await this.listen();
    await this.meetAuthority();
  }

  private async listen(): Promise<void> {
    const url = await this.service.start();
    this.port = Number(new URL(url).port);
  }
}
