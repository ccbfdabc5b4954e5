/** Composition root: builds the parts of a service from its settings, card and store. */
import type { CardTlsKey } from "../authority/card-tls-key.js";
import { type Contact, NOT_ASKED } from "../authority/contact.js";
import type { AuthorityLink } from "../authority/link.js";
import { systemTimer, type Timer } from "../base/clock.js";
import { OtherTime } from "../base/other-time.js";
import { Repeater } from "../base/repeater.js";
import { BackupSchedule } from "../bookkeeping/backup/backup-schedule.js";
import { ChangeRecorder } from "../bookkeeping/changes/change-recorder.js";
import { Retention } from "../bookkeeping/retention.js";
import { integrityOf } from "../bookkeeping/verify/integrity.js";
import { EnvironmentInForce } from "../config/environment-in-force.js";
import { SentEnvironments } from "../config/sent-environments.js";
import { indexedReceipt } from "../console/indexed-receipt.js";
import { Fiscalizer } from "../fiscalizer/fiscalizer.js";
import type { UnsentLimit } from "../fiscalizer/gates.js";
import { StoreHealth } from "../fiscalizer/store-health.js";
import type { HotApp } from "../http/hot-paths.js";
import { ReceiptIndex } from "../ledger/receipt-index.js";
import { Receipts } from "../ledger/receipts.js";
import { tryWrite } from "../ledger/try-write.js";
import { Announcer } from "../state/announcer.js";
import { CardQuestions } from "../state/card-question.js";
import { DiskWatch, freeBytes } from "../state/disk.js";
import { type ServiceStateSources, serviceState } from "../state/service-state.js";
import { StoreFactsReader } from "../state/store-facts.js";
import { TimeWatch } from "../state/time-watch.js";
import { authorityParts } from "./authority-parts.js";
import type { BackgroundPart } from "./background.js";
import { deviceOf, mrcOf } from "./device.js";
import { appOf } from "./http-app.js";
import { type Ledgers, ledgersOf } from "./ledgers.js";
import type { Foundation } from "./service-parts.js";

/** ms after the start until the first check of the till's state; the card is known by then. */
const FIRST_CHECK_AFTER_MS = 60_000;
/** ms between checks for what will stop a sale. */
const STATE_CHECK_INTERVAL_MS = 600_000;
const DAY_MS = 86_400_000;

export class Composition {
  readonly receipts: Receipts;
  readonly index: ReceiptIndex;
  readonly fiscalizer: Fiscalizer;
  readonly link: AuthorityLink | undefined;
  readonly recorder: ChangeRecorder;
  readonly backups: BackupSchedule | undefined;
  readonly app: HotApp;
  readonly sources: ServiceStateSources;
  /** The background parts, in the order in which they start. */
  readonly background: readonly BackgroundPart[];
  private readonly cardKey: CardTlsKey | undefined;
  private readonly timeWatch: TimeWatch | undefined;
  private readonly timer: Timer;
  private readonly otherTime: OtherTime;

  /** Loads the authority's data and builds the parts, but starts none of them. */
  static async build(foundation: Foundation): Promise<Composition> {
    const ledgers = ledgersOf(foundation.store, foundation.parts.hooks);
    return new Composition(foundation, ledgers, await SentEnvironments.load(ledgers.authority));
  }

  private constructor(
    private readonly foundation: Foundation,
    private readonly ledgers: Ledgers,
    sent: SentEnvironments,
  ) {
    const { parts, folder, store, secureElement, observation, events } = foundation;
    const { settings, clock, log } = parts;
    this.timer = parts.authorityTimer ?? parts.timer;
    this.otherTime = new OtherTime(clock, this.timer);
    this.receipts = new Receipts(store.db);
    this.index = new ReceiptIndex({ store: store.db, dataDir: folder, describe: indexedReceipt });
    const health = this.healthOf(folder);
    const device = deviceOf(parts, this.receipts);
    const environment = new EnvironmentInForce(secureElement, sent, parts, {
      fileName: parts.environmentName ?? settings.environment ?? "none",
      languages: settings.languages,
    });
    const inForce = () => environment.now();
    const unsentLimit: UnsentLimit = { most: undefined };
    const { sales: ledger, audits } = ledgers;
    this.fiscalizer = new Fiscalizer({
      secureElement,
      ledger,
      audits,
      environment,
      unsentLimit,
      settings: { ...settings, mrc: mrcOf(device) },
      clock,
      health,
      baseline: parts.hooks?.baseline,
    });
    const wrote = parts.hooks?.wrote ?? observation.wrote;
    if (wrote) this.fiscalizer.on("wrote", wrote);
    const { auditParts, link, cardKey, sticks } = authorityParts({
      parts,
      folder,
      secureElement,
      ledgers,
      environments: sent,
      fiscalizer: this.fiscalizer,
      unsentLimit,
      dated: (time) => this.otherTime.note("the tax authority", time),
      changed: events.changed,
      commanded: this.commanded,
    });
    this.link = link;
    this.cardKey = cardKey;
    secureElement.on("changed", (state) => {
      events.changed();
      const { identity, ...facts } = "identity" in state ? state : { ...state, identity: undefined };
      log.info({ ...facts, uid: identity?.uid }, "card");
    });
    this.timeWatch = this.timeWatchOf(inForce);
    const clockCheck = () => this.timeWatch?.check;
    const { changes } = ledgers;
    this.recorder = new ChangeRecorder({ changes, settings, inForce, clockCheck, clock, timer: this.timer, log });
    this.backups = this.backupsOf(folder);
    const toRead = (now: number) => sent.toRead(now);
    const refusesUnsent = () => unsentLimit.most !== undefined;
    this.sources = this.sourcesOf({ inForce, clockCheck, health, toRead, refusesUnsent });
    this.background = [
      cardKey,
      link,
      this.timeWatch,
      sticks,
      this.recorder,
      this.backups,
      this.retentionOf(),
      this.dailyCheck(),
      this.watchOf(this.sources),
      observation.forgetting,
    ].filter((part) => part !== undefined);
    this.app = appOf({
      foundation,
      ledgers,
      sources: this.sources,
      device,
      auditParts,
      receipts: this.receipts,
      index: this.index,
      backup: () => this.backups?.state,
    });
  }

  private readonly commanded = (): void => {
    this.foundation.events.changed();
    // The authority's commands may have named another time server.
    this.timeWatch?.look();
    this.recorder.look();
  };

  private sourcesOf(
    known: Pick<ServiceStateSources, "inForce" | "clockCheck" | "health" | "toRead" | "refusesUnsent">,
  ): ServiceStateSources {
    const { parts, secureElement } = this.foundation;
    const { settings, clock, log } = parts;
    const { sales: ledger, audits, files } = this.ledgers;
    const shop = settings.card === "pcsc";
    return {
      secureElement,
      fiscalizer: this.fiscalizer,
      clock,
      ...known,
      shop,
      authority: (): Contact => this.link?.contact ?? NOT_ASKED,
      questions: new CardQuestions(secureElement, parts.timer),
      stored: new StoreFactsReader({ ledger, audits, newCard: settings.newCard, version: () => files.version }),
      audits,
      damaged: this.ledgers.damaged,
      indexDamaged: this.ledgers.indexDamaged,
      backupsAhead: () => this.backups?.state.future.length ?? 0,
      unsentLimit: settings.unsentLimit,
      cardKey: () => this.cardKey?.facts,
      disk: new DiskWatch(known.health.folder, parts.freeBytes ?? freeBytes, parts.diskTimer ?? systemTimer),
      onState: shop ? new Announcer(log).announce : undefined,
    };
  }

  /** Watches whether the store can be written. When it can be written again, held sales are written first. */
  private healthOf(folder: string): StoreHealth {
    const { files } = this.ledgers;
    const write = async () => {
      this.foundation.parts.hooks?.tryWrite?.();
      files.requireFiles();
      tryWrite(this.foundation.store);
      await this.fiscalizer.flush();
    };
    return new StoreHealth(folder, write, files);
  }

  private timeWatchOf(inForce: ServiceStateSources["inForce"]): TimeWatch | undefined {
    const { parts, events } = this.foundation;
    const { askTime: ask, clock, log, settings } = parts;
    if (!ask) return undefined;
    const server = () => inForce().environment?.parameters.ntpServer || undefined;
    const changed = () => events.changed();
    const measured = (source: string, time: number) => this.otherTime.note(source, time);
    const { clockDrift } = settings;
    return new TimeWatch({ server, clock, timer: this.timer, ask, clockDrift, measured, log, changed });
  }

  private retentionOf(): Retention | undefined {
    const { parts, events } = this.foundation;
    const { settings, clock, log } = parts;
    const { retentionYears: years, clockDrift } = settings;
    if (years === undefined) return undefined;
    const { eraser } = this.ledgers;
    const time = () => this.otherTime.compare();
    const { changed } = events;
    return new Retention({ eraser, years, time, clockDrift, clock, timer: this.timer, log, changed });
  }

  /** Checks the whole store soon after a start and then daily. A store in memory needs no check. */
  private dailyCheck(): Repeater | undefined {
    const { parts, events, store, folder } = this.foundation;
    if (store.files.length === 0) return undefined;
    const look = async () => {
      try {
        const problems = await integrityOf(folder, check.ended);
        if (problems.length === 0) return;
        this.ledgers.noteCheck(problems);
        parts.log.error({ problems }, "the store is damaged: run tillseal verify");
        events.changed();
      } catch (error) {
        if (!check.ended.aborted) parts.log.error({ err: error }, "the store could not be checked");
      }
    };
    const check = new Repeater(look, { timer: this.timer, firstAfterMs: FIRST_CHECK_AFTER_MS, everyMs: DAY_MS });
    return check;
  }

  /**
   * Makes the watch that logs what will stop a sale, also if no POS asks for the status. An emulator has no such
   * watch.
   */
  private watchOf(sources: ServiceStateSources): Repeater | undefined {
    if (!sources.shop) return undefined;
    const { log } = this.foundation.parts;
    const look = async () => {
      try {
        await serviceState(sources);
      } catch (error) {
        log.error({ err: error }, "the state of the till could not be checked");
      }
    };
    return new Repeater(look, {
      timer: this.timer,
      firstAfterMs: FIRST_CHECK_AFTER_MS,
      everyMs: STATE_CHECK_INTERVAL_MS,
    });
  }

  private backupsOf(dataDir: string): BackupSchedule | undefined {
    const { parts, events, store } = this.foundation;
    const { settings, clock, log } = parts;
    const { backupFolder: folder, backupHours: hours, backupKeep: keep } = settings;
    if (folder === undefined || store.files.length === 0) return undefined;
    const { changed } = events;
    return new BackupSchedule({
      dataDir,
      folder,
      hours,
      keep,
      clock,
      log,
      changed,
      timer: this.timer,
    });
  }
}
