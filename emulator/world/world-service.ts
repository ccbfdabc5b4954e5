/** Makes a shop's service, with the world's cards, clock and faults, and with the verification page. */
import { type Request, type RequestHandler, Router } from "express";
import { durationOf } from "../../src/base/duration.js";
import { systemRandom } from "../../src/base/random.js";
import { loadConfig } from "../../src/config/load.js";
import { logOf } from "../../src/config/log.js";
import type { Settings } from "../../src/config/settings.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import { isSale } from "../../src/http/endpoints.js";
import { guard } from "../../src/http/guard.js";
import type { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import type { FaultySend } from "../../src/http/traffic/watch-answer.js";
import { TEMPORARY_SERIAL_NUMBER } from "../../src/service/device.js";
import { Service } from "../../src/service/service.js";
import { waitingTimer } from "../faults/emulated-clock.js";
import { sendWithFaults } from "../faults/faulty-answer.js";
import { faultyLedger, tryWriting } from "../faults/faulty-ledger.js";
import { requestInWork } from "../faults/sent-request.js";
import type { AuthorityRecords } from "../tax-authority/verification.js";
import { VERIFICATION_PATH, verificationRouter } from "../tax-authority/verification-page.js";
import type { Given } from "./given.js";
import type { WorldParts } from "./parts.js";
import type { WorldAuthority } from "./world-authority.js";
import type { WorldFolder } from "./world-folder.js";
import type { WorldOptions } from "./world-options.js";

export interface WorldServiceParts {
  readonly given: Given;
  readonly options: WorldOptions & { readonly port: number };
  readonly folder: WorldFolder;
  readonly parts: WorldParts;
  readonly traffic: TrafficLog;
  /** Returns the time on the world's current clock, ms since the epoch. */
  readonly now: () => number;
  readonly authority: WorldAuthority | undefined;
  readonly controlPort: () => number | undefined;
  readonly records: AuthorityRecords;
  /** Signal that is aborted when the service stops, so that faults no longer hold back answers. */
  readonly ended: AbortSignal;
  /** The service waits for this function before it opens its port. */
  readonly beforeListening: () => Promise<void>;
}

export function makeService(world: WorldServiceParts): Service {
  const { given, folder, parts, now, authority } = world;
  const { host = "127.0.0.1", log = { logLevel: "silent" }, port, backups } = world.options;
  const { reader } = parts;
  const repeatable = world.options.dataDir === undefined || given.seed !== undefined;
  const deviceSerialNumber = given.settings?.deviceSerialNumber ?? (repeatable ? TEMPORARY_SERIAL_NUMBER : undefined);
  const flags = { ...given.settings, deviceSerialNumber, port, host, dataDir: folder.path, ...log, ...backups };
  const { settings } = loadConfig({ flags });
  const timer = waitingTimer(parts.clock);
  const ahead = given.clock?.ahead === undefined ? undefined : durationOf(given.clock.ahead);
  const root = verificationRoot(world.options, parts.environment, calledAddress);
  return new Service({
    settings,
    memory: folder.memoryStore,
    reader,
    get environment() {
      return configuredByAuthority(given) ? undefined : parts.environment;
    },
    environmentName: parts.environmentName,
    clock: { now },
    timer: parts.clock,
    authorityTimer: timer,
    random: systemRandom,
    log: logOf(log),
    openAuthority: authority && (({ uid }) => authority.clientOf(uid, timer)),
    authorityAddress: () => authority?.server?.url,
    askTime: ahead === undefined ? undefined : async () => now() - ahead,
    controlPort: world.controlPort,
    settingsAccess: world.options.settingsAccess,
    endProcess: world.options.endProcess,
    hooks: {
      before: inFront(world, settings),
      watch: watching(world, settings),
      wrote: world.traffic.wrote,
      isSameAddress: (before, after) => isMoved(before, after, authority?.server?.url),
      beforeListening: world.beforeListening,
      ...(root ? { root } : {}),
      tryWrite: () => tryWriting(parts, folder.path),
      ledger: (ledger) =>
        faultyLedger(ledger, { ended: world.ended, ...parts }, folder.path, () => parts.cards.flush()),
      // If several cards have this UID, the store belongs to the first of them.
      baseline: (uid) => parts.cards.withUid(uid)?.memory.load().startCounter,
    },
  });
}

/** Whether the environment comes from the authority and not from a file. */
export function configuredByAuthority({ authority }: Given): boolean {
  return authority !== undefined && authority.configures !== false;
}

/** Returns the handler of the verification page. The traffic log does not contain requests for this page. */
function inFront({ options, records, authority }: WorldServiceParts, settings: Settings): RequestHandler {
  const router = Router();
  router.use("/v", (_request, response, next) => {
    if (authority?.server?.office.faults.down) response.destroy();
    else next();
  });
  // Allow the public host name only here, because customers need only the verification page.
  const hosts = options.publicAddress === undefined ? [] : [new URL(options.publicAddress).hostname];
  router.use("/v", guard({ ...settings, allowedHosts: [...settings.allowedHosts, ...hosts] }));
  router.use(verificationRouter(records));
  return router;
}

/** Records the requests of the POS, and applies faults to the answers. */
function watching({ traffic, parts, ended }: WorldServiceParts, settings: Settings): RequestHandler {
  const times = { ended, ...parts };
  const faultySend: FaultySend = (request) => {
    const answer = { on: "answer", request: () => requestInWork(traffic, request) } as const;
    const due = isSale(request) ? parts.faults.due(answer) : [];
    return due.length === 0 ? undefined : (held, done) => sendWithFaults(held, due, times, done);
  };
  return traffic.handler(faultySend, () => settings.pathSegment);
}

/** Matches addresses below .test. Such names never resolve (RFC 6761), so no phone can open these addresses. */
const NOWHERE = /^https?:\/\/[^/]+\.test\//;

/** Nothing else than a host and a port, so that a Host header cannot change the rest of the URL. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

/**
 * Returns a function that gives the beginning of a verification URL, before its data. It leads to the till's service,
 * also for the online service, which has no verification page. Undefined if receipts keep the environment's address.
 * @param called the address of the till's service that customers reach without the setting `publicAddress`
 */
export function verificationRoot<Called extends unknown[]>(
  { ownAuthority, publicAddress }: Pick<WorldOptions, "ownAuthority" | "publicAddress">,
  environment: FiscalEnvironment | undefined,
  called: (...by: Called) => string,
): ((...by: Called) => string) | undefined {
  if (!ownAuthority || !environment || !NOWHERE.test(environment.parameters.endpoints.root)) return undefined;
  return (...by) => (publicAddress?.replace(/\/+$/, "") ?? called(...by)) + VERIFICATION_PATH;
}

/** Whether an address of the authority has only moved to another port. @param authority its present base URL */
function isMoved(before: string, after: string, authority: string | undefined): boolean {
  if (authority === undefined || !URL.canParse(before) || !URL.canParse(after)) return false;
  const [old, present] = [new URL(before), new URL(after)];
  old.port = present.port;
  return old.href === present.href && present.origin === authority;
}

/**
 * Returns the base URL that the POS called; the guard has allowed its host. We do not use the address on which the
 * service listens, because customers cannot reach that address if the service runs in a container, behind a mapped port
 * or behind a proxy.
 */
function calledAddress({ headers: { host = "" }, socket }: Request): string {
  return `http://${HOST.test(host) ? host : `localhost:${socket.localPort}`}`;
}
