/** The console at `/`: its files, what it shows, and word of every change. */
import { Router } from "express";
import type { StandingSources } from "../fiscalizer/standing.js";
import { PACKAGE_VERSION } from "../package-root.js";
import type { Receipts } from "../store/receipts.js";
import type { ConsoleEvents } from "./events.js";
import { consoleAssets, consolePage } from "./files.js";
import { exportReceipts, getReceipt, getReceipts } from "./receipts.js";
import { CONSOLE_PREFIX, type InfoRecord } from "./records.js";
import { type SettingsDesk, settingsRouter } from "./settings.js";
import { getTill } from "./till.js";
import { everybody, onlyTrusted, thisMachine } from "./trust.js";

export interface ConsoleParts {
  readonly sources: StandingSources;
  readonly receipts: Receipts;
  readonly events: ConsoleEvents;
  readonly card: "emulator" | "pcsc";
  /** Of the emulator's control interface; undefined with a real card, and before it listens. */
  readonly controlPort: () => number | undefined;
  readonly settingsDesk: SettingsDesk | undefined;
}

export function consoleRouter({ sources, receipts, events, card, controlPort, settingsDesk }: ConsoleParts): Router {
  const router = Router();
  const trusts = card === "pcsc" ? thisMachine : everybody;
  // What tills do changes what consoles show.
  router.use((request, response, next) => {
    if (!isConsolePath(request.path)) response.once("close", events.changed);
    next();
  });
  router.get("/", consolePage(controlPort));
  router.use(`${CONSOLE_PREFIX}/assets`, consoleAssets);
  router.get(`${CONSOLE_PREFIX}/info`, (request, response) => {
    const trusted = trusts(request);
    const record: InfoRecord = {
      ...{ service: "tillseal", version: PACKAGE_VERSION, pid: process.pid, card, trusted },
      controlPort: controlPort() ?? null,
      timeZone: sources.fiscalizer.currentEnvironment()?.parameters.serverTimeZone ?? null,
    };
    response.json(record);
  });
  router.get(`${CONSOLE_PREFIX}/events`, events.stream);
  router.get(`${CONSOLE_PREFIX}/till`, getTill(sources, receipts, trusts));
  router.use(`${CONSOLE_PREFIX}/receipts`, onlyTrusted(trusts));
  router.get(`${CONSOLE_PREFIX}/receipts`, getReceipts(receipts));
  router.get(`${CONSOLE_PREFIX}/receipts.csv`, onlyTrusted(trusts), exportReceipts(receipts, "csv"));
  router.get(`${CONSOLE_PREFIX}/receipts.ndjson`, onlyTrusted(trusts), exportReceipts(receipts, "ndjson"));
  router.get(`${CONSOLE_PREFIX}/receipts/:id`, getReceipt(receipts, sources.secureElement));
  if (settingsDesk) router.use(CONSOLE_PREFIX, onlyTrusted(trusts), settingsRouter(settingsDesk));
  return router;
}

/** Requests of the console itself are no traffic of a till. */
export function isConsolePath(path: string): boolean {
  return path === "/" || path === CONSOLE_PREFIX || path.startsWith(`${CONSOLE_PREFIX}/`);
}
