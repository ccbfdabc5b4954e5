/**
 * A whole world in one process: clock, cards, reader, faults, and the service that uses them. Its `given` describes the
 * starting state. This class is the public interface of a world. life-cycle.ts starts and ends a world,
 * world-snapshots.ts has the snapshots, and world-audits.ts has the actions of the tax authority.
 */

import { Mutex } from "../../src/base/mutex.js";
import { UserError } from "../../src/base/user-error.js";
import type { Settings } from "../../src/config/settings.js";
import type { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import type { PinState, SecureElementState } from "../../src/secure-element/secure-element.js";
import type { Service } from "../../src/service/service.js";
import type { EmulatedCard } from "../card/emulated-card.js";
import type { EmulatedReader } from "../card/emulated-reader.js";
import type { NamedCards } from "../card/named-cards.js";
import type { EmulatedClock } from "../faults/emulated-clock.js";
import type { Faults } from "../faults/faults.js";
import type { TaxAuthorityServer } from "../tax-authority/tax-authority-server.js";
import type { OnlineAccess, OnlineService } from "../tax-authority/vsdc/online-service.js";
import type { CardBench } from "./card-bench.js";
import { type Given, withBase } from "./given.js";
import { type Ending, LifeCycle } from "./life-cycle.js";
import { WorldAudits } from "./world-audits.js";
import { WorldFolder } from "./world-folder.js";
import type { WorldOptions, WorldPlace } from "./world-options.js";
import { WorldSnapshots } from "./world-snapshots.js";
import type { SeparateWorld, Worlds } from "./worlds.js";

export class World implements CardBench {
  readonly snapshots: WorldSnapshots;
  private readonly life: LifeCycle;
  /** The actions of the tax authority, and of the person with the stick. */
  readonly audits = new WorldAudits(this);
  /** The `given` with which this world was opened. */
  private readonly first: Given;
  /** Lets starts, stops and snapshots run one at a time. Otherwise two services could start on the same port. */
  private readonly mutex = new Mutex();

  private constructor(given: Given, options: WorldOptions, folder: WorldFolder) {
    this.first = given;
    this.life = new LifeCycle(given, options, folder);
    this.snapshots = new WorldSnapshots({ life: this.life, audits: this.audits, mutex: this.mutex });
  }

  /**
   * Starts a world.
   * @throws ConfigError if `given` asks for something impossible, or the error that keeps the service from starting
   */
  static async open(given: Given = {}, options: WorldOptions = {}): Promise<World> {
    const folder = new WorldFolder(options.dataDir);
    let world: World | undefined;
    try {
      world = new World(withBase(options.base ?? {}, given), options, folder);
      await world.life.start();
      return world;
    } catch (error) {
      // Close the world, because its authority may listen already and would keep the process alive.
      if (world) await world.close();
      else await folder.remove();
      throw error;
    }
  }

  /**
   * Starts another scenario on the same port.
   * @throws ConfigError if `given` asks for something impossible; this world has not changed then
   */
  load(given: Given): Promise<void> {
    return this.mutex.run(() => this.begin(withBase(this.options.base ?? {}, given)));
  }

  /**
   * Starts another scenario like {@link load}, and clears the traffic log.
   * @param given the whole `given`: the option `base` does not complete it
   */
  startAgain(given: Given): Promise<void> {
    return this.mutex.run(() => this.beginWithoutTraffic(given));
  }

  /** Starts the last `given` again, and clears the traffic log. @param toFirst starts the first `given` instead */
  reset(toFirst = false): Promise<void> {
    return this.mutex.run(() => this.beginWithoutTraffic(toFirst ? this.first : this.given));
  }

  /** Stops the service and starts it again on the same store. */
  restart(how: Ending): Promise<void> {
    return this.mutex.run(() => this.life.restart(how));
  }

  /**
   * Stops the service and starts it with other settings, on the same card and store.
   * @param place where the service runs from now on. Default of `port`: the current port
   */
  reconfigure(settings: Partial<Settings>, place: WorldPlace): Promise<void> {
    return this.mutex.run(() => this.life.reconfigure(settings, place));
  }

  close(): Promise<void> {
    return this.mutex.run(async () => {
      await this.life.close();
      this.audits.close();
    });
  }

  /** Calls `read` while the service is neither stopping nor starting, and returns its result. */
  whenRunning<T>(read: () => T): Promise<T> {
    return this.mutex.run(() => Promise.resolve(read()));
  }

  /** Base URL of the service, such as `http://127.0.0.1:8431`. It stays the same after a restart. */
  get url(): string {
    return this.life.service.url;
  }

  /** The requests of the POS and the exchanges with the card. */
  get traffic(): TrafficLog {
    return this.life.traffic;
  }

  /** Code of the country of the environment; undefined without an environment. */
  get country(): string | undefined {
    return this.life.parts.environment?.parameters.country;
  }

  /** Separate worlds that share the address of this one. */
  get worlds(): Worlds<SeparateWorld> {
    return this.life.worlds;
  }

  /** The `given` from which this world started. */
  get given(): Given {
    return this.life.given;
  }

  /** All random values of this world follow from this seed. */
  get seed(): string {
    return this.life.seed;
  }

  /** The options with which this world was opened. {@link reconfigure} changes them. */
  get options(): WorldOptions {
    return this.life.options;
  }

  /** The current service. Each restart replaces it. */
  get service(): Service {
    return this.life.service;
  }

  get clock(): EmulatedClock {
    return this.life.parts.clock;
  }

  get faults(): Faults {
    return this.life.parts.faults;
  }

  /** Sets the port of this world's control interface, which the consoles show. */
  controlledAt(port: number): void {
    this.life.controlPort = port;
    this.service.changed();
  }

  /** The service's data folder. */
  get folder(): string {
    return this.life.folder.path;
  }

  /** The emulated authority; undefined if the world has none, or before it listens. */
  get taxAuthority(): TaxAuthorityServer | undefined {
    return this.life.authorityServer;
  }

  /** The authority's online service; undefined if the world has none, or before it listens. */
  get vsdc(): OnlineService | undefined {
    return this.life.vsdc;
  }

  /** Returns the authority's online service. @throws UserError if the world has none */
  requireVsdc(): OnlineService {
    const { vsdc } = this;
    if (vsdc) return vsdc;
    throw new UserError("this world has no online service; use serve --vsdc, or `vsdc: {}` in `given`");
  }

  /**
   * Returns the data with which a POS can call the online service, for the UID of the current card.
   * @throws UserError if the world has no online service
   */
  onlineAccess(): OnlineAccess {
    return this.requireVsdc().accessFor(this.uid);
  }

  get reader(): EmulatedReader {
    return this.life.parts.reader;
  }

  /** The card in the reader. */
  get card(): EmulatedCard | undefined {
    return this.reader.card;
  }

  get cards(): NamedCards {
    return this.life.parts.cards;
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
    const { certificate, memory } = this.cards.named(this.cards.current);
    const { totalCounter: counter, sum } = memory.load();
    this.taxAuthority?.register({ certificate, start: { counter, sum } });
  }

  async refresh(): Promise<void> {
    await this.service.secureElement.refresh();
  }

  lastCounter(uid: string): number | undefined {
    return this.life.service.lastCounter(uid);
  }

  /** The state of the PIN in the service, or the reason why the service has no card. */
  get pinState(): PinState | Exclude<SecureElementState["kind"], "ready"> {
    const { state } = this.service.secureElement;
    return state.kind === "ready" ? state.pin : state.kind;
  }

  private async begin(given: Given): Promise<void> {
    await this.life.begin(given);
    this.audits.renew();
  }

  private async beginWithoutTraffic(given: Given): Promise<void> {
    await this.begin(given);
    this.traffic.clear();
  }
}
