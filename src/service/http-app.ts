/** Builds the service's whole HTTP interface: the fiscal interface, the console, /ready and /metrics. */
import { sharedRun } from "../base/shared-run.js";
import type { CheckedBackups } from "../bookkeeping/backup/backup-files.js";
import { permitOf } from "../console/permit.js";
import { consoleRouter } from "../console/router.js";
import { holdsSecret, trustOf } from "../console/token.js";
import { type Check, line } from "../doctor/check.js";
import { checkStoreInThread } from "../doctor/store-thread.js";
import type { Fiscalizer } from "../fiscalizer/fiscalizer.js";
import { type AppHandlers, createApp } from "../http/app.js";
import type { HotApp } from "../http/hot-paths.js";
import { InvoiceHandlers } from "../http/invoices.js";
import { type EnterPin, pinEntry, postPin } from "../http/pin.js";
import { invoiceReader } from "../http/read-invoice.js";
import { healthRouter } from "../http/router.js";
import { getEnvironmentParameters, getStatus } from "../http/status.js";
import { PinGuard, type VerifyPin } from "../secure-element/pin-guard.js";
import { freeBytes } from "../state/disk.js";
import type { Composition } from "./composition.js";
import { examineService } from "./examine-service.js";
import { PinRefusals } from "./pin-refusals.js";
import type { Foundation } from "./service-parts.js";

export function appOf(composition: Composition): HotApp {
  const { foundation, sources, device, authority, receipts, index, changes, eraser, backups } = composition;
  const { parts, secureElement, observation, events, access } = foundation;
  const { settings, clock, log, hooks } = parts;
  const { fiscalizer } = sources;
  const { root, requester } = hooks ?? {};
  const { requestIdLength, testInvoice = settings.card === "emulator" } = settings;
  const options = { requestIdLength, testInvoice, root, requester, clock, log };
  const invoices = new InvoiceHandlers(fiscalizer, secureElement, invoiceReader(settings), options);
  const enterPin = pinEntryOf(foundation, fiscalizer);
  const handlers: AppHandlers = {
    attention: (_request, response) => void response.status(200).end(),
    pin: postPin(enterPin, settings.answerForm),
    status: getStatus(sources, device, parts.authorityAddress),
    environmentParameters: getEnvironmentParameters(sources, root),
    invoices: invoices.post,
    lastInvoice: invoices.getLast,
    invoice: invoices.get,
    escPos: invoices.escPos,
    testInvoice: invoices.postTest,
  };
  const trusts = trustOf(settings.card, access);
  const measured = () => ({
    queued: fiscalizer.queued,
    queueLimit: settings.queueLength,
    // 0 before the first good backup; undefined if no backups are scheduled.
    lastBackup: backups && (backups.state.lastGood ?? 0),
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
    auditParts: authority.auditParts,
    changes,
    eraser,
    technician: settings.technician,
    spaceParts: {
      folder: sources.disk.folder,
      backupFolder: settings.backupFolder,
      settingsFile: () => parts.settingsAccess?.load().file,
      freeBytes: parts.freeBytes ?? freeBytes,
      clock,
    },
    log,
    examine: sharedRun(() => examineService(sources, (now) => storeLines(foundation, now, backups?.checked))),
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

function storeLines(
  { parts, folder, store }: Foundation,
  now: number,
  checked: CheckedBackups | undefined,
): Promise<readonly Check[]> {
  if (store.files.length === 0) return Promise.resolve([line("store", "ok", "storeInMemory")]);
  return checkStoreInThread({ dataDir: folder, backupFolder: parts.settings.backupFolder, now, checked });
}

function pinEntryOf({ parts, secureElement, folder }: Foundation, fiscalizer: Fiscalizer): EnterPin {
  const { settings, timer, random, log } = parts;
  // Without the setting, an emulated card has no guard, because tests may lock it.
  const guarded = settings.pinGuard ?? settings.card === "pcsc";
  const verify: VerifyPin = guarded
    ? new PinGuard(secureElement, timer, random, new PinRefusals(folder, log)).verify
    : (pin, { by }) => secureElement.verifyPin(pin, by);
  return pinEntry(secureElement, verify, async (by) => {
    const { busy } = fiscalizer;
    // A failure to settle sales does not make the PIN wrong: the next sale tries to settle them again.
    const settled = fiscalizer.recover(by).catch((error: unknown) => log.error({ err: error }, "sales in doubt"));
    // Clients verify the PIN before every call, and must not wait for the sales of other clients.
    if (!busy) await settled;
  });
}
