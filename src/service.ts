/** Composition root: builds the parts from settings, starts and stops them. */
import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import { Audits } from "./authority/audit.js";
import { AuthorityKeys } from "./authority/authority-key.js";
import { Commands } from "./authority/commands.js";
import { type Contact, NOT_ASKED } from "./authority/contact.js";
import { directiveOnCard } from "./authority/directive.js";
import { EnvironmentInForce, type InForce } from "./authority/environment-in-force.js";
import { AuthorityLink } from "./authority/link.js";
import { oldCardTask } from "./authority/old-cards.js";
import { Packages } from "./authority/packages.js";
import { SentEnvironments } from "./authority/sent-environments.js";
import type { TaxAuthority } from "./authority/tax-authority.js";
import { BackupSchedule, type BackupStanding } from "./backup/backup-schedule.js";
import { buildOf } from "./build.js";
import { ChangeRecorder } from "./changes/change-recorder.js";
import { type Clock, systemTimer, type Timer } from "./clock.js";
import type { FiscalEnvironment } from "./config/environment.js";
import type { Settings } from "./config/settings.js";
import type { AuditParts } from "./console/audit.js";
import { isConsolePath } from "./console/console-path.js";
import { ConsoleEvents } from "./console/events.js";
import { indexedReceipt } from "./console/indexed-receipt.js";
import { type ConsoleParts, consoleRouter, tellsConsoles } from "./console/router.js";
import type { SettingsDesk } from "./console/settings.js";
import { installedToken, trustOf } from "./console/token.js";
import { CardQuestions } from "./fiscalizer/card-question.js";
import { FiscalError } from "./fiscalizer/fiscal-error.js";
import { Fiscalizer } from "./fiscalizer/fiscalizer.js";
import { standing } from "./fiscalizer/standing.js";
import { StoreHealth } from "./fiscalizer/store-health.js";
import { Announcer } from "./health/announcer.js";
import { DiskWatch, type FreeBytes, freeBytes } from "./health/disk.js";
import { healthRouter } from "./health/router.js";
import { type AppHandlers, createApp } from "./http/app.js";
import { Connections } from "./http/connections.js";
import { errorRecord } from "./http/errors.js";
import type { HotApp } from "./http/hot-paths.js";
import { InvoiceHandlers, type RootOf } from "./http/invoices.js";
import { listenOnAll, nearby, urlOf } from "./http/listen.js";
import { postPin } from "./http/pin.js";
import { invoiceReader } from "./http/read-invoice.js";
import { makeServer } from "./http/server.js";
import { getEnvironmentParameters, getStatus } from "./http/status.js";
import type { AuditLedger } from "./ledger/audit-ledger.js";
import type { AuthorityLedger } from "./ledger/authority-ledger.js";
import { ChangeLog } from "./ledger/change-log.js";
import { openStore, type Store } from "./ledger/database.js";
import type { Ledger } from "./ledger/ledger.js";
import { ReceiptIndex } from "./ledger/receipt-index.js";
import { Receipts } from "./ledger/receipts.js";
import { SqliteAuditLedger } from "./ledger/sqlite-audit-ledger.js";
import { SqliteAuthorityLedger } from "./ledger/sqlite-authority-ledger.js";
import { SqliteLedger } from "./ledger/sqlite-ledger.js";
import { tryWrite } from "./ledger/try-write.js";
import { Observation } from "./observation.js";
import { PACKAGE_VERSION } from "./package-root.js";
import type { Random } from "./random.js";
import { Eraser } from "./retention/eraser.js";
import { Retention } from "./retention/retention.js";
import { ApduSecureElement } from "./secure-element/apdu/apdu-secure-element.js";
import type { CardReader } from "./secure-element/card-reader.js";
import { PinGuard, type VerifyPin } from "./secure-element/pin-guard.js";
import type { CardIdentity, SecureElement } from "./secure-element/secure-element.js";
import { installedSerialNumber, TEMPORARY_SERIAL_NUMBER } from "./serial-number.js";
import type { AskTime } from "./time-server/drift.js";
import { TimeWatch } from "./time-server/time-watch.js";

/** Where the emulator looks on and interferes; a shop's service has none. */
export interface ServiceHooks {
  /** Other pages in front of everything, the guard included. */
  readonly before?: RequestHandler;
  /** Looks on, in front of the guard. */
  readonly watch?: RequestHandler;
  readonly ledger?: (ledger: Ledger) => Ledger;
  /** The counter that an emulated card was set to. */
  readonly baseline?: (uid: string) => number | undefined;
  /** Throws while the disk takes nothing. */
  readonly tryWrite?: () => void;
  /** Where QR codes lead, in place of where the environment says. */
  readonly root?: RootOf;
}

export interface ServiceParts {
  readonly settings: Settings;
  /** Whether the data folder goes with the process. Without a folder in the settings it does. */
  readonly temporary?: boolean;
  readonly reader: CardReader;
  /** From the file: used until the tax authority has sent the card its own. */
  readonly environment: FiscalEnvironment | undefined;
  /** What people call that file; default: the setting `environment`. */
  readonly environmentName?: string | undefined;
  readonly clock: Clock;
  readonly timer: Timer;
  /** What the talk with the authority and the look at the time server wait with between rounds; default: `timer`. */
  readonly authorityTimer?: Timer | undefined;
  readonly random: Random;
  readonly log: Logger;
  /** The tax authority of a card; without it the service talks to none. @throws AuthorityError */
  readonly openAuthority?: ((identity: CardIdentity) => TaxAuthority) | undefined;
  /** Where that is, for people; undefined before it is known. */
  readonly authorityAddress?: ((identity: CardIdentity) => string | undefined) | undefined;
  /** Whether test-invoice answers where the settings do not say. */
  /** Room on a disk; default: the system's. */
  readonly freeBytes?: FreeBytes | undefined;
  /** How long an answer about that holds; default: the system's. */
  readonly diskTimer?: Timer | undefined;
  /** The time of a time server; without it the clock is compared with none. */
  readonly askTime?: AskTime | undefined;
  readonly testInvoiceByDefault: boolean;
  /** Whether the card is kept from being locked where the settings do not say. */
  readonly pinGuardByDefault: boolean;
  readonly hooks?: ServiceHooks;
  /** Of the emulator's control interface, which the console calls too. */
  readonly controlPort?: () => number | undefined;
  /** Where settings are changed; without one the console has no such page. */
  readonly settingsDesk?: SettingsDesk | undefined;
  /** Ends the process that runs this service; without it no request can. */
  readonly endProcess?: (() => void) | undefined;
}

/** What is kept in one store. */
interface Ledgers {
  readonly sales: Ledger;
  readonly authority: AuthorityLedger;
  readonly audits: AuditLedger;
  readonly changes: ChangeLog;
  readonly eraser: Eraser;
}

type AuditDesk = AuditParts & { readonly desk: Audits };

/** Too long to guess. */
const SECRET_BYTES = 32;

/** ms after the start, when the card is known. */
const FIRST_LOOK_MS = 60_000;
/** ms between looks at what will stop a sale. */
const LOOK_MS = 600_000;

/** ms between removals of old traffic. */
const FORGET_MS = 10_000;

type Phase = "created" | "running" | "stopped";

/** ms; after that a client which sends or reads too slowly loses its connection. A unit of systemd waits for 30 s. */
const STOP_PATIENCE_MS = 20_000;

export class Service {
  readonly secureElement: SecureElement;
  private readonly observation: Observation;
  private readonly events = new ConsoleEvents();
  private readonly connections = new Connections();
  private fiscalizer: Fiscalizer | undefined;
  private link: AuthorityLink | undefined;
  private timeWatch: TimeWatch | undefined;
  private recorder: ChangeRecorder | undefined;
  private backups: BackupSchedule | undefined;
  private retention: Retention | undefined;
  private phase: Phase = "created";
  private servers: Server[] = [];
  private store: Store | undefined;
  private receipts: Receipts | undefined;
  private index: ReceiptIndex | undefined;
  private temporaryFolder: string | undefined;
  private readonly ended = new AbortController();
  private look: (() => Promise<void>) | undefined;
  private stopping: Promise<void> | undefined;
  /** Kept while the service stops: answers in flight name it. */
  private address: string | undefined;

  constructor(private readonly parts: ServiceParts) {
    const { log, settings } = parts;
    const { pathSegment, metrics: measures } = settings;
    // The emulator has a traffic log that does more.
    const trafficMinutes = settings.card === "pcsc" ? settings.trafficMinutes : 0;
    this.observation = new Observation({ log, clock: parts.clock, pathSegment, measures, trafficMinutes });
    this.secureElement = new ApduSecureElement(parts.reader, this.observation.card);
  }

  /** Listens, then talks to the card: attention answers while a card is still being read. Returns the base URL. */
  async start(): Promise<string> {
    if (this.phase !== "created") throw new Error(`the service is ${this.phase} and cannot start`);
    this.phase = "running";
    try {
      const folder = this.dataDir();
      const secret = Buffer.from(this.parts.random.bytes(SECRET_BYTES)).toString("base64url");
      this.store = openStore(folder, {
        temporary: this.parts.temporary ?? this.parts.settings.dataDir === undefined,
        migrating: (entries) =>
          this.parts.log.warn(
            `${folder}: bringing the store to this version, ${entries} entries; the service starts then`,
          ),
      });
      this.receipts = new Receipts(this.store.db);
      const index = new ReceiptIndex({ store: this.store.db, dataDir: folder, describe: indexedReceipt });
      this.index = index;
      const { endProcess } = this.parts;
      const stopDesk = endProcess && { folder, secret, stop: endProcess };
      const token = this.parts.settings.consoleToken ? installedToken(folder, this.parts.random) : undefined;
      const ledgers = this.ledgersOf(this.store);
      const sent = await SentEnvironments.load(ledgers.authority);
      const app = this.app(ledgers, sent, this.receipts, this.healthOf(folder), { stopDesk, token, index });
      await this.recorder?.begin();
      this.servers = await listenOnAll(() => this.serverOf(app), this.parts.settings);
      this.address = urlOf(this.servers[0]);
      this.announce(this.store, secret);
      await this.secureElement.start();
      this.link?.start();
      this.timeWatch?.start();
      this.recorder?.start();
      this.backups = this.backupsOf(folder);
      this.backups?.start();
      this.retention?.start();
      void this.lookNowAndThen();
      void this.forgetTraffic();
      return this.url;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Logs what will stop a sale, also if nothing asks for the status. */
  private async lookNowAndThen(): Promise<void> {
    const { look, ended } = this;
    const timer = this.parts.authorityTimer ?? this.parts.timer;
    for (let wait = FIRST_LOOK_MS; look; wait = LOOK_MS) {
      await timer.sleep(wait, ended.signal);
      if (ended.signal.aborted) return;
      await look().catch((error: unknown) => this.parts.log.error({ err: error }, "how the till stands"));
    }
  }

  /** Old entries are removed even if the log is never read. */
  private async forgetTraffic(): Promise<void> {
    const { ended, observation } = this;
    while (observation.trafficDesk && !ended.signal.aborted) {
      await systemTimer.sleep(FORGET_MS, ended.signal);
      observation.trafficDesk.removeOld();
    }
  }

  /** A note for commands: selling needs none. */
  private announce(store: Store, secret: string): void {
    try {
      store.announce(nearby(this.url), secret);
    } catch (error) {
      const consequence = "tillseal status and stop find the service by its port only";
      this.parts.log.warn({ err: error }, `the note of where the service listens was not written; ${consequence}`);
    }
  }

  /** `http://127.0.0.1:8431`. */
  get url(): string {
    if (this.address === undefined) throw new Error("the service has not listened yet");
    return this.address;
  }

  /** Finishes the answers in flight, then closes card and store. Asked again, it waits for the same end. */
  stop(): Promise<void> {
    if (this.phase === "stopped") return this.stopping ?? Promise.resolve();
    this.phase = "stopped";
    this.stopping = this.close();
    return this.stopping;
  }

  private serverOf({ listener, messages }: HotApp): Server {
    return makeServer({
      ...{ app: listener, messages, connections: this.connections, refused: this.observation.refused },
      record: ({ code, sentence }) => errorRecord(FiscalError.of(code, "", sentence)),
      // Consoles come back by themselves, and an export can be asked for again.
      matters: ({ url = "" }) => !isConsolePath(url.split("?")[0] ?? ""),
    });
  }

  private async close(): Promise<void> {
    this.ended.abort();
    this.events.close();
    await Promise.all([
      this.closeServers(),
      this.link?.stop(),
      this.timeWatch?.stop(),
      this.recorder?.stop(),
      this.backups?.stop(),
      this.retention?.stop(),
    ]);
    await this.secureElement.close();
    await this.flush();
    this.index?.close();
    this.store?.close();
    if (this.temporaryFolder) rmSync(this.temporaryFolder, { recursive: true, force: true });
  }

  /** Ends as a crash would: nothing that is in flight is finished or stored. */
  async kill(): Promise<void> {
    if (this.phase === "stopped") return;
    this.phase = "stopped";
    this.ended.abort();
    this.link?.kill();
    void this.timeWatch?.stop();
    void this.recorder?.stop();
    void this.backups?.stop();
    void this.retention?.stop();
    this.index?.close();
    this.store?.close();
    for (const server of this.servers) {
      server.close();
      server.closeAllConnections();
    }
    await this.secureElement.close();
  }

  /** How the scheduled backups stand; undefined where none are configured. */
  get backupStanding(): BackupStanding | undefined {
    return this.backups?.standing;
  }

  private backupsOf(dataDir: string): BackupSchedule | undefined {
    const { settings, clock, log, authorityTimer, timer } = this.parts;
    const { backupFolder: folder, backupHours: hours, backupKeep: keep } = settings;
    if (folder === undefined) return undefined;
    const { changed } = this.events;
    return new BackupSchedule({
      ...{ dataDir, folder, hours, keep, clock, log, changed },
      timer: authorityTimer ?? timer,
    });
  }

  /** Invoices in the store, by state. */
  get stored(): { complete: number; open: number; lost: number } {
    if (!this.receipts) throw new Error("the service has no store");
    return this.receipts.counts();
  }

  /** Whether there are parameters and tax rates. */
  get configured(): boolean {
    return this.fiscalizer?.currentEnvironment() !== undefined;
  }

  /** Of the last invoice of a card in the store. */
  lastCounter(uid: string): number | undefined {
    return this.receipts?.lastCounter(uid);
  }

  /** The text of a receipt by the number of its invoice. */
  journal(invoiceNumber: string): string | undefined {
    const answer = this.receipts?.answer(invoiceNumber);
    return (answer && (JSON.parse(answer) as { journal: string | null }).journal) || undefined;
  }

  /** Something that consoles show is not what it was. */
  changed(): void {
    this.events.changed();
  }

  private ledgersOf(store: Store): Ledgers {
    const ledger = new SqliteLedger(store);
    const { access } = ledger;
    const changes = new ChangeLog(access);
    return {
      sales: this.parts.hooks?.ledger?.(ledger) ?? ledger,
      authority: new SqliteAuthorityLedger(ledger.access),
      audits: new SqliteAuditLedger(ledger.access),
      changes,
      eraser: new Eraser({ access, changes, pause: () => setImmediate() }),
    };
  }

  /** The talk with the tax authority goes on now: there is something to ask for. */
  askAuthority(): void {
    this.link?.wake();
  }

  /** As {@link askAuthority}; resolves once that talk has ended, well or not. */
  async talkToAuthority(): Promise<void> {
    await this.link?.nextRound();
  }

  private readonly authorityChanged = (): void => {
    this.events.changed();
    // It may be another time server's address.
    this.timeWatch?.look();
    this.recorder?.look();
  };

  /** What the authority's commands and audits are done with, online and by stick. */
  private auditDeskOf(ledgers: Ledgers, environments: SentEnvironments, fiscalizer: Fiscalizer): AuditDesk {
    const { settings, clock, random, log } = this.parts;
    const { secureElement } = this;
    const { audits, authority: ledger } = ledgers;
    const { unsentLimit } = settings;
    const keys = new AuthorityKeys(secureElement, audits);
    secureElement.on("changed", keys.remember);
    const packages = new Packages({ audits, keys, clock, random, log });
    const told = this.events.changed;
    const desk = new Audits({ fiscalizer, secureElement, audits, packages, settings, clock, log, changed: told });
    const directive = directiveOnCard(secureElement, (uid) => whyToWait(fiscalizer, uid));
    const { authorityChanged: changed } = this;
    const commands = new Commands({ ledger, environments, directive, proof: desk.proof, clock, log, changed });
    const wake = () => this.askAuthority();
    const configured = this.parts.openAuthority !== undefined;
    const address = (identity: CardIdentity) => this.parts.authorityAddress?.(identity);
    return { secureElement, audits, desk, packages, commands, unsentLimit, configured, address, wake };
  }

  private linkOf({ commands, desk, audits, packages }: AuditDesk) {
    const { openAuthority: open, clock, random, log } = this.parts;
    if (!open) return undefined;
    const timer = this.parts.authorityTimer ?? this.parts.timer;
    const { secureElement } = this;
    const { authorityChanged: changed } = this;
    const tasks = [desk.task, oldCardTask({ audits, packages, changed: this.events.changed })];
    const parts = { secureElement, open, commands, tasks, clock, timer, random, log };
    return new AuthorityLink({ ...parts, changed });
  }

  /** A signature that waits for room on the disk has its last chance. */
  private async flush(): Promise<void> {
    try {
      await this.fiscalizer?.flush();
    } catch (error) {
      this.parts.log.error({ err: error }, "a signature could not be stored");
    }
  }

  /** An idle connection, as browsers open them in advance, does not delay the stop. */
  private async closeServers(): Promise<void> {
    const { servers } = this;
    const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    this.connections.closeIdle();
    const end = () => {
      for (const server of servers) server.closeAllConnections();
    };
    const deadline = setTimeout(end, STOP_PATIENCE_MS);
    await Promise.all(closed);
    clearTimeout(deadline);
  }

  private dataDir(): string {
    const { dataDir } = this.parts.settings;
    if (dataDir !== undefined) return dataDir;
    this.temporaryFolder = mkdtempSync(join(tmpdir(), "tillseal-"));
    return this.temporaryFolder;
  }

  private device(receipts: Receipts) {
    const { settings, random } = this.parts;
    const device = { make: settings.deviceMake, model: settings.deviceModel };
    const { dataDir, deviceSerialNumber } = settings;
    if (deviceSerialNumber !== undefined) return { ...device, serialNumber: deviceSerialNumber };
    if (dataDir === undefined) return { ...device, serialNumber: TEMPORARY_SERIAL_NUMBER };
    return { ...device, serialNumber: installedSerialNumber(dataDir, () => receipts.lastMrc(), device, random) };
  }

  private pinVerifier(): VerifyPin {
    const { settings, pinGuardByDefault, timer, random } = this.parts;
    const { secureElement } = this;
    const guarded = settings.pinGuard ?? pinGuardByDefault;
    return guarded
      ? new PinGuard(secureElement, timer, random).verify
      : (pin, _gone, by) => secureElement.verifyPin(pin, by);
  }

  /** A store that takes writes again first gets what waits for it. */
  private healthOf(dataDir: string): StoreHealth {
    return new StoreHealth(dataDir, async () => {
      this.parts.hooks?.tryWrite?.();
      tryWrite(dataDir);
      await this.fiscalizer?.flush();
    });
  }

  private timeWatchOf(inForce: () => InForce): TimeWatch | undefined {
    const { askTime: ask, clock, log, settings } = this.parts;
    if (!ask) return undefined;
    const timer = this.parts.authorityTimer ?? this.parts.timer;
    const server = () => inForce().environment?.parameters.ntpServer;
    const changed = () => this.events.changed();
    return new TimeWatch({ server, clock, timer, ask, clockDrift: settings.clockDrift, log, changed });
  }

  private app(
    ledgers: Ledgers,
    sent: SentEnvironments,
    receipts: Receipts,
    health: StoreHealth,
    desks: Pick<ConsoleParts, "stopDesk" | "token" | "index">,
  ) {
    const { sales: ledger, audits, changes } = ledgers;
    const { settings, clock, log, testInvoiceByDefault } = this.parts;
    const { secureElement } = this;
    const { environment: file, environmentName = settings.environment ?? "none" } = this.parts;
    const { languages } = settings;
    const environment = new EnvironmentInForce(secureElement, sent, { file, fileName: environmentName, languages });
    const inForce = () => environment.now();
    const device = this.device(receipts);
    const baseline = this.parts.hooks?.baseline;
    const { unsentLimit } = settings;
    const refusesAt = this.parts.openAuthority ? unsentLimit : undefined;
    const parts = {
      secureElement,
      ledger,
      audits,
      unsentLimit: refusesAt,
      clock,
      health,
      change: () => changes.head,
      environment: () => inForce().environment,
      baseline,
    };
    const fiscalizer = new Fiscalizer(parts, {
      journalHeader: settings.journalHeader,
      qrFormat: settings.qrFormat,
      queueLength: settings.queueLength,
      requireReferentTime: settings.requireReferentTime,
      clockDrift: settings.clockDrift,
      mrc: `${device.make}-${device.model}-${device.serialNumber}`,
    });
    this.fiscalizer = fiscalizer;
    const auditDesk = this.auditDeskOf(ledgers, sent, fiscalizer);
    this.link = this.linkOf(auditDesk);
    const authority = (): Contact => this.link?.contact ?? NOT_ASKED;
    secureElement.on("changed", (state) => {
      this.events.changed();
      const { identity, ...told } = "identity" in state ? state : { ...state, identity: undefined };
      log.info({ ...told, uid: identity?.uid }, "card");
    });
    this.timeWatch = this.timeWatchOf(inForce);
    const clockCheck = () => this.timeWatch?.check;
    const timer = this.parts.authorityTimer ?? this.parts.timer;
    const { retentionYears: years } = settings;
    if (years !== undefined) {
      const { eraser } = ledgers;
      const { changed } = this.events;
      const newestProven = () => receipts.newestProven();
      this.retention = new Retention({ eraser, years, newestProven, clockCheck, clock, timer, log, changed });
    }
    this.recorder = new ChangeRecorder({ changes, settings, inForce, clockCheck, clock, timer, log });
    const root: RootOf = (request) => this.parts.hooks?.root?.(request);
    const invoices = new InvoiceHandlers(fiscalizer, secureElement, invoiceReader(settings), {
      requestIdLength: settings.requestIdLength,
      testInvoice: settings.testInvoice ?? testInvoiceByDefault,
      root,
      now: () => clock.now(),
      log,
    });
    const questions = new CardQuestions(secureElement, this.parts.timer);
    const shop = settings.card === "pcsc";
    const sources = {
      secureElement,
      fiscalizer,
      clock,
      authority,
      inForce,
      clockCheck,
      questions,
      shop,
      health,
      audits,
      unsentLimit,
      refusesUnsent: refusesAt !== undefined,
      disk: new DiskWatch(health.folder, this.parts.freeBytes ?? freeBytes, this.parts.diskTimer ?? systemTimer),
      told: shop ? new Announcer(log).announce : undefined,
    };
    if (shop) this.look = async () => void (await standing(sources));
    const handlers: AppHandlers = {
      attention: (_request, response) => void response.status(200).end(),
      pin: postPin(secureElement, {
        verify: this.pinVerifier(),
        pinFailureStatus: settings.pinFailureStatus,
        verified: async (by) => {
          const { busy } = fiscalizer;
          // The PIN is right all the same; what could not be settled is tried again with the next sale.
          const settled = fiscalizer.recover(by).catch((error: unknown) => log.error({ err: error }, "sales in doubt"));
          // Clients verify the PIN before every call: that must not wait for the sales of others.
          if (!busy) await settled;
        },
      }),
      status: getStatus({ ...sources, ledger, device }),
      environmentParameters: getEnvironmentParameters(secureElement, inForce, root),
      invoices: invoices.post,
      invoice: invoices.get,
      escPos: invoices.escPos,
      testInvoice: invoices.postTest,
    };
    const trusts = trustOf(settings.card, desks.token);
    const build = buildOf();
    const measured = () => ({
      ...{ version: PACKAGE_VERSION, build, queued: fiscalizer.queued, unsentLimit },
      lastBackup: this.backupStanding && (this.backupStanding.lastGood ?? 0),
    });
    const { see, metrics } = this.observation;
    const asksToken = desks.token !== undefined;
    const watched = healthRouter({ sources, metrics, measured, trusts, asksToken });
    const console = consoleRouter({
      ...{ sources, receipts, events: this.events, card: settings.card },
      controlPort: this.parts.controlPort ?? (() => undefined),
      settingsDesk: this.parts.settingsDesk,
      ...{ ...desks, trusts, trafficDesk: this.observation.trafficDesk },
      signSample: invoices.signSample,
      auditDesk,
      dataDesk: { changes, eraser: ledgers.eraser, clock },
    });
    const { before, watch } = this.parts.hooks ?? {};
    return createApp(handlers, settings, log, {
      console,
      health: watched,
      changed: tellsConsoles(this.events),
      before,
      see,
      watches: [watch, this.observation.watch].filter((handler) => handler !== undefined),
    });
  }
}

/** Why the card has no time for the authority; undefined where it has. */
async function whyToWait(fiscalizer: Fiscalizer, uid: string): Promise<string | undefined> {
  const { sales } = await fiscalizer.doubts();
  if (sales.some(({ entry }) => entry.uid === uid)) return "a sale is in doubt";
  return fiscalizer.busy ? "the card is at work" : undefined;
}
