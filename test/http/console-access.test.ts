/** Who may read what in the console of a real card. */
import { createServer } from "node:http";
import express from "express";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { systemClock, systemTimer } from "../../src/base/clock.js";
import { systemRandom } from "../../src/base/random.js";
import { loadConfig } from "../../src/config/load.js";
import type { AuditParts } from "../../src/console/audit.js";
import type { DataParts } from "../../src/console/data.js";
import { CONSOLE_ENDPOINTS } from "../../src/console/endpoints.js";
import { ConsoleEvents } from "../../src/console/events.js";
import { indexedReceipt } from "../../src/console/indexed-receipt.js";
import { consoleRouter } from "../../src/console/router.js";
import type { SettingsAccess } from "../../src/console/settings.js";
import { Fiscalizer } from "../../src/fiscalizer/fiscalizer.js";
import { StoreHealth } from "../../src/fiscalizer/store-health.js";
import { errorHandler } from "../../src/http/errors.js";
import { listen, urlOf } from "../../src/http/listen.js";
import { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { thisMachine } from "../../src/http/trust.js";
import { AuditLedger } from "../../src/ledger/audit-ledger.js";
import { openStore } from "../../src/ledger/database.js";
import { ReceiptIndex } from "../../src/ledger/receipt-index.js";
import { Receipts } from "../../src/ledger/receipts.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";
import { Service } from "../../src/service/service.js";
import { CardQuestions } from "../../src/state/card-question.js";
import { freeBytes } from "../../src/state/disk.js";
import { StoreFactsReader } from "../../src/state/store-facts.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { inForce } from "../support/invoices.js";
import { callService } from "../support/till.js";

/** The parts behind the console's router, with an emulated card. */
function parts() {
  const store = openStore(temporaryFolder());
  const reader = new EmulatedReader();
  reader.insert(makeCard());
  const secureElement = new ApduSecureElement(reader);
  const ledger = new SqliteLedger(store);
  const audits = new AuditLedger(ledger.access);
  const clock = { now: () => Date.now() };
  const health = new StoreHealth("folder", async () => undefined);
  const fiscalizer = new Fiscalizer({
    secureElement,
    ledger,
    audits,
    environment: inForce(undefined),
    unsentLimit: { most: undefined },
    settings: { ...loadConfig({}).settings, mrc: "a-b-c" },
    clock,
    health,
  });
  const stored = new StoreFactsReader({ ledger, audits, newCard: "sells", version: () => undefined });
  return { secureElement, fiscalizer, stored, audits, health, db: store.db, close: () => store.close() };
}

it("the console of a real card, asked from another machine shows the state of the till without its turnover, and refuses everything private", async () => {
  const { secureElement, fiscalizer, stored, audits, health, db, close } = parts();
  const changes: Partial<SettingsAccess> = {};
  const app = express();
  // The remote address of a real connection cannot be chosen in a test.
  app.use((request, _response, next) => {
    Object.defineProperty(request.socket, "remoteAddress", { value: "192.168.1.31", configurable: true });
    next();
  });
  const sources = {
    secureElement,
    fiscalizer,
    health,
    clock: { now: () => Date.now() },
    shop: true,
    indexDamaged: () => false,
    backupsAhead: () => 0,
    damaged: () => 0,
    authority: () => ({ contact: "reachable" }) as const,
    inForce: () =>
      ({
        environment: fiscalizer.currentEnvironment(),
        source: { kind: "file", name: "a.yaml" },
        unusable: { timeZone: undefined, languages: [] },
      }) as const,
    toRead: () => ({ held: [], made: [] }),
    clockCheck: () => undefined,
    questions: new CardQuestions(secureElement, systemTimer),
    stored,
    audits,
    unsentLimit: 100,
    refusesUnsent: () => false,
    disk: { folder: "", free: async () => undefined },
  };
  app.use(
    consoleRouter({
      index: new ReceiptIndex({ store: db, dataDir: temporaryFolder(), describe: indexedReceipt }),
      sources,
      receipts: new Receipts(db),
      events: new ConsoleEvents(),
      card: "pcsc",
      trusts: thisMachine,
      trafficAccess: { log: new TrafficLog(() => systemClock, systemClock), removeOld: () => undefined },
      controlPort: () => undefined,
      technician: undefined,
      spaceParts: {
        folder: temporaryFolder(),
        backupFolder: undefined,
        settingsFile: () => undefined,
        freeBytes,
        clock: systemClock,
      },
      examine: async () => [],
      settingsAccess: changes as SettingsAccess,
      secret: "s",
      stopAccess: { folder: "/var/lib/tillseal", stop: () => undefined },
      permit: async () => true,
      signSample: async () => undefined,
      auditParts: { isConnected: () => false } as AuditParts,
      dataParts: {} as DataParts,
    }),
  );
  app.use(errorHandler(pino({ level: "silent" })));
  const server = createServer(app);
  await listen(server, { port: 0, host: "127.0.0.1" });
  const url = urlOf(server) ?? "";
  for (const { method, path, trusted } of CONSOLE_ENDPOINTS) {
    if (path === "/events" || path === "/token") continue;
    const answer = await callService(url, method, `/console${path.replace(":id", "1")}`);
    // This caller does not have the secret that ends the service.
    expect([path, answer.status]).toEqual([path, trusted || path === "/stop" ? 403 : 200]);
  }
  expect((await callService(url, "GET", "/console/till")).json()).toMatchObject({ audit: null, last: [] });
  expect((await callService(url, "GET", "/console/info")).json()).toMatchObject({ trusted: false, folder: null });
  await new Promise((resolve) => server.close(resolve));
  close();
});

async function cardTill(host: string) {
  const { settings } = loadConfig({ flags: { port: 0, host, card: "pcsc" } });
  const service = new Service({
    settings: { ...settings },
    reader: new EmulatedReader(),
    environment: undefined,
    clock: { now: () => Date.now() },
    random: systemRandom,
    log: pino({ level: "silent" }),
    timer: systemTimer,
  });
  const url = await service.start();
  onTestFinished(() => service.stop());
  return url;
}

it("the console of a real card shows receipts on the machine itself", async () => {
  const url = await cardTill("127.0.0.1");
  expect((await fetch(`${url}/console/receipts`)).status).toBe(200);
  expect(await (await fetch(`${url}/console/info`)).json()).toMatchObject({ trusted: true, controlPort: null });
});

it.each([
  ["127.0.0.1", "127.0.0.1", true],
  ["::1", "::1", true],
  ["::ffff:127.0.0.1", "::ffff:127.0.0.1", true],
  ["192.168.1.20", "192.168.1.20", true],
  ["192.168.1.31", "192.168.1.20", false],
  ["1270.0.0.1", "192.168.1.20", false],
  ["fe80::1", "fe80::2", false],
])("the console of a real card trusts a caller from %s at %s as local: %s", (remoteAddress, localAddress, trusted) => {
  expect(thisMachine({ socket: { remoteAddress, localAddress } } as never)).toBe(trusted);
});
