/** Routes the console's requests: the page at `/`, its files, its endpoints, and the events for every change. */
import { type Request, Router } from "express";
import type { Logger } from "pino";
import { buildOf } from "../base/build.js";
import { PACKAGE_VERSION } from "../base/package-root.js";
import type { Eraser } from "../bookkeeping/eraser.js";
import { toIso } from "../fiscal/time.js";
import { afterAnswer } from "../http/app.js";
import { plainJson } from "../http/body.js";
import { callErrors } from "../http/call-errors.js";
import { type CallHandler, type EndpointCall, endpointRouter } from "../http/endpoint-router.js";
import { CONSOLE_PREFIX, isConsolePath } from "../http/endpoints.js";
import { onlyTrusted, type Trust } from "../http/trust.js";
import type { ChangeLog } from "../ledger/change-log.js";
import type { ReceiptIndex } from "../ledger/receipt-index.js";
import type { Receipts } from "../ledger/receipts.js";
import type { ServiceStateSources } from "../state/service-state.js";
import { type AuditParts, auditHandlers } from "./audit.js";
import { dataHandlers } from "./data.js";
import { dayReportHandlers } from "./day-report.js";
import { CONSOLE_ENDPOINTS, type ConsoleEndpointName } from "./endpoints.js";
import type { ConsoleEvents } from "./events.js";
import { consoleAssets, consoleManuals, consolePage } from "./files.js";
import { helpRecord } from "./help.js";
import type { Permit } from "./permit.js";
import { getReceipts } from "./receipt-search.js";
import { getEscPos, getReceipt } from "./receipts.js";
import type { CheckRecord } from "./records/doctor.js";
import type { InfoRecord } from "./records/info.js";
import { reportsHandlers, type SignSample } from "./reports.js";
import { type SettingsAccess, settingsHandlers } from "./settings.js";
import { sheetHandlers } from "./sheets.js";
import { type SpaceParts, spaceHandlers } from "./space.js";
import { postStop, type StopAccess } from "./stop.js";
import { getTill } from "./till.js";
import { toReadHandlers } from "./to-read.js";
import { postToken, proofOf } from "./token.js";
import { type TrafficAccess, trafficHandlers } from "./traffic.js";

export interface ConsoleParts {
  readonly sources: ServiceStateSources;
  readonly receipts: Receipts;
  readonly index: ReceiptIndex;
  readonly events: ConsoleEvents;
  readonly card: "emulator" | "pcsc";
  /**
   * Returns the port of the emulator's control interface; undefined with a real card, and until the interface listens.
   */
  readonly controlPort: () => number | undefined;
  readonly settingsAccess: SettingsAccess | undefined;
  /** Lets `tillseal stop` end the process; if undefined, no request can end the process. */
  readonly stopAccess: StopAccess | undefined;
  /** Decides who may see receipts and settings. */
  readonly trusts: Trust;
  /** The console's token; undefined without the setting `consoleToken`. */
  readonly token?: string | undefined;
  /** The secret from the file `tillseal.running.json` in the data folder. */
  readonly secret: string;
  /** Decides who may change rates and addresses, end a warning and, with a real card, change settings. */
  readonly permit: Permit;
  readonly signSample: SignSample;
  readonly auditParts: AuditParts;
  readonly changes: ChangeLog;
  readonly eraser: Eraser;
  /** Value of the setting `technician`. */
  readonly technician: string | undefined;
  readonly spaceParts: Omit<SpaceParts, "asksPin">;
  /** Makes the doctor's lines about this service. */
  readonly examine: () => Promise<readonly CheckRecord[]>;
  /** Access to the kept POS requests; undefined if they are not kept. */
  readonly trafficAccess?: TrafficAccess | undefined;
  readonly log: Logger;
}

export function consoleRouter({
  sources,
  receipts,
  index,
  events,
  card,
  controlPort,
  settingsAccess,
  stopAccess,
  trusts,
  token,
  secret,
  permit,
  signSample,
  auditParts,
  changes,
  eraser,
  technician,
  spaceParts,
  examine,
  trafficAccess,
  log,
}: ConsoleParts): Router {
  const router = Router();
  const asksToken = token !== undefined;
  const asksPin = card === "pcsc" && !asksToken;
  // With the emulator, allow every caller, because there is no shop to protect.
  const inShop: Permit = card === "pcsc" ? permit : async () => undefined;
  const build = buildOf();
  // Notify open consoles after POS requests, because these change what consoles show.
  const notify = afterAnswer(events.changed);
  router.use((request, response, next) => {
    // Of the console's own requests, only changes must be shown in other open consoles.
    const changes = request.method === "PUT" || request.method === "POST";
    if (!isConsolePath(request.path) || changes) notify(request, response, next);
    else next();
  });
  router.get("/", consolePage());
  router.use(`${CONSOLE_PREFIX}/assets`, consoleAssets);
  router.use(`${CONSOLE_PREFIX}/manuals`, consoleManuals);
  // A browser must not keep receipts on its disk.
  router.use(CONSOLE_PREFIX, (_request, response, next) => {
    response.setHeader("Cache-Control", "no-store");
    next();
  });
  const info = ({ request }: EndpointCall): InfoRecord => ({
    service: "tillseal",
    version: PACKAGE_VERSION,
    build,
    proof: proofFor(request, secret),
    pid: process.pid,
    card,
    trusted: trusts(request),
    asksToken,
    asksPin,
    folder: (trusts(request) && stopAccess?.folder) || null,
    traffic: trafficAccess !== undefined && trusts(request),
    controlPort: controlPort() ?? null,
    timeZone: sources.inForce().environment?.timeZone ?? null,
    now: toIso(sources.clock.now()),
  });
  const handlers: Handlers = {
    info,
    events: events.stream,
    till: getTill({ sources, receipts, trusts, auditParts, technician }),
    receipts: getReceipts(receipts, index),
    ...sheetHandlers(receipts, () => sources.inForce().environment),
    receipt: getReceipt(receipts, index, sources.secureElement),
    receiptEscPos: getEscPos(receipts),
    ...dayReportHandlers(receipts, sources),
    ...reportsHandlers(sources.fiscalizer, receipts, signSample),
    ...auditHandlers(auditParts),
    ...toReadHandlers(auditParts.commands, auditParts.wake),
    ...dataHandlers(changes, eraser, sources.clock),
    ...spaceHandlers({ ...spaceParts, asksPin }),
    doctor: examine,
    help: helpRecord,
    ...(trafficAccess ? trafficHandlers(trafficAccess) : {}),
    ...(settingsAccess ? settingsHandlers(settingsAccess, inShop) : {}),
    ...(stopAccess ? { stop: postStop(stopAccess, secret, sources.fiscalizer) } : {}),
    ...(asksToken ? { token: postToken(token) } : {}),
  };
  const permits: Record<string, Permit> = { permitted: permit, "permitted in a shop": inShop };
  const endpoints = endpointRouter(CONSOLE_ENDPOINTS, ({ name }) => handlers[name], {
    trusted: onlyTrusted(trusts, asksToken),
    permit: async ({ callers = "all" }, call) => permits[callers]?.(call),
    read: plainJson,
  });
  router.use(CONSOLE_PREFIX, endpoints, callErrors(log));
  return router;
}

function proofFor({ query: { nonce }, socket }: Request, secret: string): string | null {
  return typeof nonce === "string" && nonce !== "" ? proofOf(secret, nonce, socket.localPort ?? 0) : null;
}

/**
 * Handlers of the endpoints. An endpoint without a handler is left out: for example, the service has no endpoint for
 * the token if the setting `consoleToken` is off.
 */
type Handlers = { readonly [N in ConsoleEndpointName]?: CallHandler };
