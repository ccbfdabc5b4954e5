/** Builds the service's whole HTTP interface: the fiscal interface, the console, /ready and /metrics. */

import { buildOf } from "../base/build.js";
import { PACKAGE_VERSION } from "../base/package-root.js";
import { sharedRun } from "../base/shared-run.js";
import type { BackupState } from "../bookkeeping/backup/backup-schedule.js";
import type { AuditParts } from "../console/audit.js";
import { permitOf } from "../console/permit.js";
import { consoleRouter } from "../console/router.js";
import { holdsSecret, trustOf } from "../console/token.js";
import { type Check, line } from "../doctor/check.js";
import { checkStoreInThread } from "../doctor/store-thread.js";
import { type AppHandlers, createApp } from "../http/app.js";
import type { HotApp } from "../http/hot-paths.js";
import { InvoiceHandlers } from "../http/invoices.js";
import { type EnterPin, pinEntry, postPin } from "../http/pin.js";
import { invoiceReader } from "../http/read-invoice.js";
import { healthRouter } from "../http/router.js";
import { getEnvironmentParameters, getStatus } from "../http/status.js";
import type { ReceiptIndex } from "../ledger/receipt-index.js";
import type { Receipts } from "../ledger/receipts.js";
import { PinGuard, type VerifyPin } from "../secure-element/pin-guard.js";
import { freeBytes } from "../state/disk.js";
import type { ServiceStateSources } from "../state/service-state.js";
import type { Device } from "./device.js";
import { examineService } from "./examine-service.js";
import type { Ledgers } from "./ledgers.js";
import { PinRefusals } from "./pin-refusals.js";
import type { Foundation } from "./service-parts.js";

interface HttpSources {
  readonly foundation: Foundation;
  readonly ledgers: Ledgers;
  readonly sources: ServiceStateSources;
  readonly device: Device;
  readonly auditParts: AuditParts;
  readonly receipts: Receipts;
  readonly index: ReceiptIndex;
  /** Returns the state of the backups; undefined if no backups are scheduled. */
  readonly backup: () => BackupState | undefined;
}

export function appOf({
  foundation,
  ledgers,
  sources,
  device,
  auditParts,
  receipts,
  index,
  backup,
}: HttpSources): HotApp {
  const { parts, secureElement, observation, events, access } = foundation;
  const { settings, clock, log, hooks } = parts;
  const { fiscalizer, inForce, unsentLimit } = sources;
  const invoices = new InvoiceHandlers(fiscalizer, secureElement, invoiceReader(settings), {
    requestIdLength: settings.requestIdLength,
    testInvoice: settings.testInvoice ?? parts.testInvoiceByDefault,
    root: hooks?.root,
    requester: hooks?.requester,
    clock,
    log,
  });
  const enterPin = pinEntryOf(foundation, sources);
  const handlers: AppHandlers = {
    attention: (_request, response) => void response.status(200).end(),
    pin: postPin(enterPin, settings.answerForm),
    status: getStatus({
      ...sources,
      device,
      authorityAddress: (identity) => parts.authorityAddress?.(identity),
    }),
    environmentParameters: getEnvironmentParameters(secureElement, inForce, hooks?.root),
    invoices: invoices.post,
    lastInvoice: invoices.getLast,
    invoice: invoices.get,
    escPos: invoices.escPos,
    testInvoice: invoices.postTest,
  };
  const trusts = trustOf(settings.card, access);
  const build = buildOf();
  const measured = () => ({
    version: PACKAGE_VERSION,
    build,
    queued: fiscalizer.queued,
    unsentLimit,
    lastBackup: lastGood(backup()),
  });
  const console = consoleRouter({
    sources,
    receipts,
    index,
    events,
    card: settings.card,
    trusts,
    ...access,
    permit: permitOf({ enterPin, holdsSecret: holdsSecret(access) }),
    controlPort: parts.controlPort ?? (() => undefined),
    settingsAccess: parts.settingsAccess,
    trafficAccess: observation.trafficAccess,
    signSample: invoices.signSample,
    auditParts: auditParts,
    dataParts: { changes: ledgers.changes, eraser: ledgers.eraser, clock },
    technician: settings.technician,
    spaceParts: {
      folder: sources.disk.folder,
      backupFolder: settings.backupFolder,
      settingsFile: () => parts.settingsAccess?.load().file,
      freeBytes: parts.freeBytes ?? freeBytes,
      clock,
    },
    examine: sharedRun(() => examineService(sources, (now) => storeLines(foundation, now))),
  });
  const { metrics } = observation;
  return createApp(handlers, settings, log, {
    console,
    health: healthRouter({ sources, metrics, measured, trusts, asksToken: access.token !== undefined }),
    changed: events.changed,
    extraPages: hooks?.before,
    observeRequest: observation.observeRequest,
    trafficRecorders: [hooks?.watch, observation.recordTraffic].filter((handler) => handler !== undefined),
  });
}

function storeLines({ parts, folder, store }: Foundation, now: number): Promise<readonly Check[]> {
  if (store.files.length === 0) return Promise.resolve([line("store", "ok", "storeInMemory")]);
  const { backupFolder, backupHours } = parts.settings;
  return checkStoreInThread({ folder, backups: { backupFolder, backupHours }, now });
}

/** Time of the last good backup; 0 before the first good backup; undefined if no backups are scheduled. */
function lastGood(backup: BackupState | undefined): number | undefined {
  return backup && (backup.lastGood ?? 0);
}

function pinEntryOf({ parts, secureElement, folder }: Foundation, { fiscalizer }: ServiceStateSources): EnterPin {
  const { log } = parts;
  return pinEntry(secureElement, {
    verify: pinVerifier({ parts, secureElement, folder }),
    verified: async (by) => {
      const { busy } = fiscalizer;
      // A failure to settle sales does not make the PIN wrong: the next sale tries to settle them again.
      const settled = fiscalizer.recover(by).catch((error: unknown) => log.error({ err: error }, "sales in doubt"));
      // Clients verify the PIN before every call, and must not wait for the sales of other clients.
      if (!busy) await settled;
    },
  });
}

function pinVerifier({
  parts,
  secureElement,
  folder,
}: Pick<Foundation, "parts" | "secureElement" | "folder">): VerifyPin {
  const { settings, pinGuardByDefault, timer, random, log } = parts;
  const guarded = settings.pinGuard ?? pinGuardByDefault;
  return guarded
    ? new PinGuard(secureElement, timer, random, new PinRefusals(folder, log)).verify
    : (pin, { by }) => secureElement.verifyPin(pin, by);
}
