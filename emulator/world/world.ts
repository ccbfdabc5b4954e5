/**
 * A whole world in one process: clock, cards, reader, faults, and the service on top of them, as `given` says. It can be
 * looked at, changed, put back to its start, and remembered by name.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { systemClock } from "../../src/clock.js";
import { type FiscalEnvironment, loadNamedEnvironment, parseEnvironment } from "../../src/config/environment.js";
import { loadConfig } from "../../src/config/load.js";
import type { Settings } from "../../src/config/settings.js";
import { parseTime } from "../../src/fiscal/time.js";
import { CardError } from "../../src/secure-element/card-reader.js";
import { Service } from "../../src/service.js";
import { STORE_FILE } from "../../src/store/database.js";
import { type CardState, initialState, VolatileMemory } from "../card/card-state.js";
import { EmulatedCard } from "../card/emulated-card.js";
import { type CardIntercept, EmulatedReader } from "../card/emulated-reader.js";
import { parseProfile } from "../card/profile.js";
import { operationOf } from "../faults/fault.js";
import { Faults, type SetFault } from "../faults/faults.js";
import { exchangeWithFaults } from "../faults/faulty-exchange.js";
import { SeededRandom } from "../random.js";
import { type DirectiveAction, makeDirective, proofOfAudit } from "../tax-authority/audit.js";
import { FIXTURE_KEYS, loadKeys } from "../tax-authority/keys.js";
import { type ClockState, EmulatedClock } from "./emulated-clock.js";
import { FaultyStore } from "./faulty-store.js";
import type { Given } from "./given.js";
import { instructionOf, Journal } from "./journal.js";

export interface WorldOptions {
  /** Whether latency really takes its time. */
  readonly realTime?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly logLevel?: Settings["logLevel"];
}

interface Snapshot {
  readonly cards: ReadonlyMap<string, CardState>;
  readonly inserted: string | undefined;
  readonly pinVerified: boolean;
  readonly clock: ClockState;
  readonly faults: readonly SetFault[];
  readonly store: Buffer;
}

/** In front of the block of Start Audit. */
const AUDIT_PREFIX_BYTES = 4;

/** The card that `given.card` describes. */
export const MAIN_CARD = "main";

const keys = loadKeys(FIXTURE_KEYS);

export class World {
  readonly journal: Journal = new Journal(() => this.clock, systemClock);
  clock: EmulatedClock;
  faults: Faults;
  reader: EmulatedReader;
  private service: Service;
  private cards: Map<string, EmulatedCard>;
  private dataDir: string;
  private readonly snapshots = new Map<string, Snapshot>();
  private port: number;

  private constructor(
    private given: Given,
    private readonly options: WorldOptions,
  ) {
    this.port = options.port ?? 0;
    ({ clock: this.clock, faults: this.faults, reader: this.reader, cards: this.cards } = this.parts(given));
    this.dataDir = newDataDir();
    this.service = this.newService();
  }

  static async open(given: Given = {}, options: WorldOptions = {}): Promise<World> {
    const world = new World(given, options);
    await world.start();
    return world;
  }

  /** `http://127.0.0.1:8431`; the same after a restart. */
  get url(): string {
    return this.service.url;
  }

  /** Runs `given` of another scenario from now on, on the same port. */
  async load(given: Given): Promise<void> {
    const parts = this.parts(given);
    await this.service.kill();
    rmSync(this.dataDir, { recursive: true, force: true });
    this.given = given;
    ({ clock: this.clock, faults: this.faults, reader: this.reader, cards: this.cards } = parts);
    this.dataDir = newDataDir();
    this.service = this.newService();
    await this.start();
  }

  /** Back to the start. */
  async reset(): Promise<void> {
    this.journal.clear();
    await this.load(this.given);
  }

  /** Stops as at SIGTERM, or as at SIGKILL, and starts again on the same store. */
  async restart(how: "clean" | "killed"): Promise<void> {
    await (how === "clean" ? this.service.stop() : this.service.kill());
    this.service = this.newService();
    await this.listen();
  }

  async close(): Promise<void> {
    await this.service.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** The card in the reader. */
  get card(): EmulatedCard | undefined {
    return this.reader.card;
  }

  /** Names of all cards of this world. */
  get cardNames(): string[] {
    return [...this.cards.keys()];
  }

  /** @throws RangeError where there is no card of that name */
  cardNamed(name: string): EmulatedCard {
    const card = this.cards.get(name);
    if (!card) throw new RangeError(`there is no card ${name}; the cards are ${this.cardNames.join(", ")}`);
    return card;
  }

  /** Puts a card in, in place of the one that is there. */
  async insert(name = MAIN_CARD): Promise<void> {
    this.reader.insert(this.cardNamed(name));
    await this.service.secureElement.refresh();
  }

  get pinState(): string {
    const { state } = this.service.secureElement;
    return state.state === "ready" ? state.pin : state.state;
  }

  /** Verifies the PIN of the card in the reader, past the till. */
  async verifyPin(): Promise<void> {
    if (this.card) await this.service.secureElement.verifyPin(this.card.profile.pin);
  }

  /** A whole audit: the card's request, the authority's proof, and back into the card. */
  async audit(): Promise<void> {
    const { secureElement } = this.service;
    const request = await secureElement.startAudit();
    if (request.outcome !== "told") throw new Error(`the card opens no audit: ${request.outcome}`);
    const proof = proofOfAudit(request.bytes.subarray(AUDIT_PREFIX_BYTES), keys.authorityPrivateKey);
    const ended = proof ? await secureElement.endAudit(proof) : { outcome: "bad-proof" };
    if (ended.outcome !== "accepted") throw new Error(`the card does not take the proof of audit: ${ended.outcome}`);
  }

  /** The authority's directive to the card in the reader. */
  async directive(action: DirectiveAction): Promise<void> {
    const directive = makeDirective(action, this.card?.profile.uid ?? "", keys.authorityPrivateKey);
    const { outcome } = await this.service.secureElement.directive(directive);
    if (outcome !== "told") throw new Error(`the card does not take the directive: ${outcome}`);
  }

  /** Invoices in the store, by state. */
  get stored(): { complete: number; open: number; lost: number } {
    return this.service.stored;
  }

  async snapshot(name: string): Promise<void> {
    const cards = new Map([...this.cards].map(([cardName, card]) => [cardName, card.memory.load()]));
    const inserted = [...this.cards].find(([, card]) => card === this.card)?.[0];
    const pinVerified = this.pinState === "verified";
    // The store is read between two starts: a snapshot has nothing half written.
    await this.service.stop();
    const store = readFileSync(join(this.dataDir, STORE_FILE));
    this.snapshots.set(name, {
      cards,
      inserted,
      pinVerified,
      clock: this.clock.state,
      faults: this.faults.list,
      store,
    });
    this.service = this.newService();
    await this.listen();
    if (pinVerified) await this.verifyPin();
  }

  get snapshotNames(): string[] {
    return [...this.snapshots.keys()];
  }

  /** @throws RangeError where there is no snapshot of that name */
  async restore(name: string): Promise<void> {
    const snapshot = this.snapshots.get(name);
    if (!snapshot) throw new RangeError(`there is no snapshot ${name}`);
    await this.load({ ...this.given, faults: [] });
    await this.service.kill();
    for (const [cardName, state] of snapshot.cards) this.cardNamed(cardName).memory.save(state);
    writeFileSync(join(this.dataDir, STORE_FILE), snapshot.store);
    this.reader.remove();
    if (snapshot.inserted !== undefined) this.reader.insert(this.cardNamed(snapshot.inserted));
    this.service = this.newService();
    await this.listen();
    if (snapshot.pinVerified) await this.verifyPin();
    for (const { id: _, seen: __, struck: ___, ...fault } of snapshot.faults) this.faults.add(fault);
    this.clock.restore(snapshot.clock);
  }

  private parts({ card = {}, otherCards = {}, clock, seed = "tillseal" }: Given) {
    const random = new SeededRandom(seed);
    const { inserted = true, pinVerified: _, ...profile } = card;
    const made = Object.entries({ [MAIN_CARD]: profile, ...otherCards }).map(([name, fields]) => {
      const parsed = parseProfile(fields, `card ${name}`);
      const memory = new VolatileMemory(initialState(parsed));
      return [name, new EmulatedCard(parsed, memory, keys, random)] as const;
    });
    const cards = new Map(made);
    const reader = new EmulatedReader(this.intercept());
    const main = cards.get(MAIN_CARD);
    if (inserted && main) reader.insert(main);
    const at = clock?.at === undefined ? undefined : parseTime(clock.at);
    const emulated = new EmulatedClock(systemClock, { at, ticking: clock?.ticking, realTime: this.options.realTime });
    return { clock: emulated, faults: new Faults(random), reader, cards };
  }

  private newService(): Service {
    const { faults } = this;
    const { settings = {}, environment = "specification" } = this.given;
    const { host = "127.0.0.1", logLevel = "silent" } = this.options;
    const flags = { ...settings, port: this.port, host, dataDir: this.dataDir, logLevel };
    return new Service({
      settings: loadConfig({ flags }).settings,
      reader: this.reader,
      environment: environmentOf(environment),
      clock: { now: () => this.clock.now() },
      log: pino({ level: logLevel }, pino.destination({ fd: 2, sync: true })),
      authorityReachable: () => true,
      testInvoiceByDefault: true,
      hooks: {
        before: this.journal.handler(
          ({ method, path }) => method === "POST" && path.endsWith("invoices") && dropsAnswer(faults),
        ),
        store: (db) => new FaultyStore(db, faults),
      },
    });
  }

  /** Faults are set when everything stands: they are about what happens, not about how it came to be. */
  private async start(): Promise<void> {
    await this.listen();
    if (this.given.card?.pinVerified) await this.verifyPin();
    for (const fault of this.given.faults ?? []) this.faults.add(fault);
  }

  private async listen(): Promise<void> {
    const url = await this.service.start();
    this.port = Number(new URL(url).port);
  }

  private intercept(): CardIntercept {
    const surroundings = () => ({ faults: this.faults, clock: this.clock, reader: this.reader });
    return {
      connect: async (run) => {
        await exchangeWithFaults("connect", () => run().then(() => new Uint8Array()), surroundings());
      },
      exchange: async (command, run) => {
        try {
          const answer = await exchangeWithFaults(operationOf(instructionOf(command)), run, surroundings());
          this.journal.apdu(command, answer);
          return answer;
        } catch (error) {
          this.journal.apdu(command, undefined, error instanceof CardError ? error.message : String(error));
          throw error;
        }
      },
    };
  }
}

function dropsAnswer(faults: Faults): boolean {
  return faults.due("answer").some(({ kind }) => kind === "connectionDropped");
}

function environmentOf(environment: string | object): FiscalEnvironment | undefined {
  return typeof environment === "string"
    ? loadNamedEnvironment(environment)
    : parseEnvironment(environment, "given.environment");
}

function newDataDir(): string {
  return mkdtempSync(join(tmpdir(), "tillseal-world-"));
}
