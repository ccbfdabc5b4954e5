/** Composition root: builds the parts of a service from its settings, card and store. */
import { setImmediate } from "node:timers/promises";
import { NOT_ASKED } from "../authority/contact.js";
import { systemTimer, type Timer } from "../base/clock.js";
import { OtherTime } from "../base/other-time.js";
import { type Background, Repeater } from "../base/repeater.js";
import { BackupSchedule } from "../bookkeeping/backup/backup-schedule.js";
import { ChangeRecorder } from "../bookkeeping/changes/change-recorder.js";
import { Eraser } from "../bookkeeping/eraser.js";
import { Retention } from "../bookkeeping/retention.js";
import { integrityOf } from "../bookkeeping/verify/integrity.js";
import { EnvironmentInForce } from "../config/environment-in-force.js";
import { SentEnvironments } from "../config/sent-environments.js";
import { indexedReceipt } from "../console/indexed-receipt.js";
import { Fiscalizer } from "../fiscalizer/fiscalizer.js";
import type { UnsentLimit } from "../fiscalizer/gates.js";
import { StoreHealth } from "../fiscalizer/store-health.js";
import { AuditLedger } from "../ledger/audit-ledger.js";
import { AuthorityLedger } from "../ledger/authority-ledger.js";
import { ChangeLog } from "../ledger/change-log.js";
import { ReceiptIndex } from "../ledger/receipt-index.js";
import { Receipts } from "../ledger/receipts.js";
import { SqliteLedger } from "../ledger/sqlite-ledger.js";
import { Announcer } from "../state/announcer.js";
import { CardQuestions } from "../state/card-question.js";
import { DiskWatch, freeBytes } from "../state/disk.js";
import { type ServiceStateSources, serviceState } from "../state/service-state.js";
import { StoreFactsReader } from "../state/store-facts.js";
import { TimeWatch } from "../state/time-watch.js";
import { type AuthorityParts, authorityParts } from "./authority-parts.js";
import { type Device, deviceOf } from "./device.js";
import type { Foundation } from "./service-parts.js";

/** ms after the start until the first check of the till's state; the card is known by then. */
const FIRST_CHECK_AFTER_MS = 60_000;
/** ms between checks for what will stop a sale. */
const STATE_CHECK_INTERVAL_MS = 600_000;
/** ms between attempts to save a receipt that only the memory has. */
const SAVE_INTERVAL_MS = 5_000;
const DAY_MS = 86_400_000;

interface BackgroundPart {
  start(): void;
  /** Resolves when the part has ended its work. If the part has no `stop`, it ends when the card is closed. */
  stop?(): Promise<void>;
  /** Ends the part as in a crash. Default: `stop`, without waiting for it. */
  kill?(): void;
}

export class Composition {
  readonly receipts: Receipts;
  readonly index: ReceiptIndex;
  readonly changes: ChangeLog;
  readonly eraser: Eraser;
  readonly device: Device;
  readonly fiscalizer: Fiscalizer;
  readonly authority: AuthorityParts;
  readonly recorder: ChangeRecorder;
  readonly backups: BackupSchedule | undefined;
  readonly sources: ServiceStateSources;
  /** The background parts, in the order in which they start. */
  readonly background: readonly BackgroundPart[];
  private readonly timeWatch: TimeWatch | undefined;
  private readonly timer: Timer;
  /** What the parts with a timer share. */
  private readonly timed: Background;
  private readonly otherTime: OtherTime;

  /** Loads the authority's data and builds the parts, but starts none of them. */
  static async build(foundation: Foundation): Promise<Composition> {
    const stored = new SqliteLedger(foundation.store, foundation.parts.log);
    const authorityLedger = new AuthorityLedger(stored.access);
    return new Composition(foundation, stored, authorityLedger, await SentEnvironments.load(authorityLedger));
  }

  private constructor(
    readonly foundation: Foundation,
    private readonly stored: SqliteLedger,
    authorityLedger: AuthorityLedger,
    sent: SentEnvironments,
  ) {
    const { parts, folder, store, secureElement, observation, events } = foundation;
    const { settings, clock, log, hooks } = parts;
    const { access } = stored;
    this.timer = parts.authorityTimer ?? parts.timer;
    this.timed = { clock, timer: this.timer, log, changed: events.changed };
    this.otherTime = new OtherTime(clock, this.timer);
    this.receipts = new Receipts(store.db);
    this.index = new ReceiptIndex(store.db, folder, indexedReceipt);
    this.changes = new ChangeLog(access);
    this.eraser = new Eraser(access, () => setImmediate());
    const audits = new AuditLedger(access);
    this.device = deviceOf(parts, this.receipts);
    // When the store can be written again, unwritten answers are written first.
    const write = async () => {
      hooks?.tryWrite?.();
      await access.tryWrite();
      await this.fiscalizer.flush();
    };
    const health = new StoreHealth(folder, write, access, log);
    const check = this.dailyCheck();
    access.watcher = { failed: (error) => void health.note(error), damaged: () => check?.runNow() };
    const environment = new EnvironmentInForce(secureElement, sent, parts, {
      fileName: parts.environmentName ?? settings.environment ?? "none",
      languages: settings.languages,
    });
    const inForce = () => environment.now();
    const unsentLimit: UnsentLimit = { most: undefined };
    const ledger = hooks?.ledger?.(stored) ?? stored;
    this.fiscalizer = new Fiscalizer({
      secureElement,
      ledger,
      audits,
      environment,
      unsentLimit,
      settings: { ...settings, mrc: this.device.mrc },
      clock,
      health,
      log,
      baseline: hooks?.baseline,
    });
    const wrote = hooks?.wrote ?? observation.wrote;
    if (wrote) this.fiscalizer.on("wrote", wrote);
    this.authority = authorityParts({
      ...foundation,
      audits,
      ledger: authorityLedger,
      environments: sent,
      fiscalizer: this.fiscalizer,
      unsentLimit,
      dated: (time) => this.otherTime.note("the tax authority", time),
      commanded: this.commanded,
    });
    secureElement.on("changed", (state) => {
      events.changed();
      const { identity, ...facts } = "identity" in state ? state : { ...state, identity: undefined };
      log.info({ ...facts, uid: identity?.uid }, "card");
    });
    this.timeWatch = this.timeWatchOf(inForce);
    const clockCheck = () => this.timeWatch?.check;
    this.recorder = new ChangeRecorder({ ...this.timed, changes: this.changes, settings, inForce, clockCheck });
    this.backups = this.backupsOf(folder);
    const { cardKey, link, sticks } = this.authority;
    const shop = settings.card === "pcsc";
    this.sources = {
      secureElement,
      fiscalizer: this.fiscalizer,
      clock,
      inForce,
      measureClock: () => this.timeWatch?.refresh(),
      health,
      toRead: (now) => sent.toRead(now),
      shop,
      questions: new CardQuestions(secureElement, parts.timer),
      stored: new StoreFactsReader(ledger, audits, settings.newCard, () => access.version),
      audits,
      kept: () => ({
        contact: link?.contact ?? NOT_ASKED,
        clockCheck: clockCheck(),
        damagedEntries: stored.damaged.size,
        indexDamaged: stored.indexDamaged,
        keepsLog: access.keepsLog,
        backupsAhead: this.backups?.state.future.length ?? 0,
        refusesUnsent: unsentLimit.most !== undefined,
        cardKey: cardKey?.facts,
      }),
      unsentLimit: settings.unsentLimit,
      disk: new DiskWatch(folder, parts.freeBytes ?? freeBytes, parts.diskTimer ?? systemTimer),
      onState: shop ? new Announcer(log).announce : undefined,
    };
    this.background = [
      cardKey,
      link,
      this.timeWatch,
      sticks,
      this.recorder,
      this.backups,
      this.retentionOf(),
      check,
      this.watchOf(this.sources),
      this.saverOf(),
      observation.forgetting,
    ].filter((part) => part !== undefined);
  }

  private readonly commanded = (): void => {
    this.foundation.events.changed();
    // The authority's commands may have named another time server.
    this.timeWatch?.runNow();
    this.recorder.runNow();
  };

  private timeWatchOf(inForce: ServiceStateSources["inForce"]): TimeWatch | undefined {
    const { askTime: ask, settings } = this.foundation.parts;
    if (!ask) return undefined;
    const server = () => inForce().environment?.parameters.ntpServer || undefined;
    const measured = (source: string, time: number) => this.otherTime.note(source, time);
    return new TimeWatch({ ...this.timed, server, ask, clockDrift: settings.clockDrift, measured });
  }

  private retentionOf(): Retention | undefined {
    const { retentionYears: years, clockDrift } = this.foundation.parts.settings;
    const time = () => this.otherTime.compare();
    return years === undefined
      ? undefined
      : new Retention({ ...this.timed, eraser: this.eraser, years, time, clockDrift });
  }

  /** Checks the whole store soon after a start and then daily. A store in memory needs no check. */
  private dailyCheck(): Repeater | undefined {
    const { parts, events, store, folder } = this.foundation;
    if (store.files.length === 0) return undefined;
    const look = async () => {
      try {
        const found = await integrityOf(folder, check.ended);
        this.stored.noteCheck(found);
        if (found.problems.length === 0 && found.damaged.length === 0) return;
        parts.log.error(found, "the store is damaged: run tillseal verify");
        events.changed();
      } catch (error) {
        if (!check.ended.aborted) parts.log.error({ err: error }, "the store could not be checked");
      }
    };
    const firstAfterMs = this.stored.access.isShort ? 0 : FIRST_CHECK_AFTER_MS;
    const check = new Repeater(look, this.timer, DAY_MS, firstAfterMs);
    return check;
  }

  /** Logs what will stop a sale, also if no POS asks for the status. An emulator has no such watch. */
  private watchOf(sources: ServiceStateSources): Repeater | undefined {
    if (!sources.shop) return undefined;
    const { timer, log } = this.timed;
    const failed = (error: unknown) => log.error({ err: error }, "the state of the till could not be checked");
    const look = () => serviceState(sources).then(() => undefined, failed);
    return new Repeater(look, timer, STATE_CHECK_INTERVAL_MS, FIRST_CHECK_AFTER_MS);
  }

  /** Saves a receipt that only the memory has once the store can be written. No request is needed for that. */
  private saverOf(): Repeater {
    const save = async () => {
      if (!this.fiscalizer.busy) await this.fiscalizer.flush().catch(() => undefined);
    };
    return new Repeater(save, this.timer, SAVE_INTERVAL_MS);
  }

  private backupsOf(dataDir: string): BackupSchedule | undefined {
    const { parts, store } = this.foundation;
    const { backupFolder: folder, backupKeep: keep } = parts.settings;
    if (folder === undefined || store.files.length === 0) return undefined;
    return new BackupSchedule({ ...this.timed, dataDir, folder, keep });
  }
}
