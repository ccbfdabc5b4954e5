/** The data behind the console's pages: the till, receipts, events, and who may read what. */

import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import express from "express";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { systemClock, systemTimer } from "../../src/clock.js";
import { loadConfig } from "../../src/config/load.js";
import type { AuditParts } from "../../src/console/audit.js";
import { isConsolePath } from "../../src/console/console-path.js";
import type { DataParts } from "../../src/console/data.js";
import { CONSOLE_ENDPOINTS } from "../../src/console/endpoints.js";
import { ConsoleEvents } from "../../src/console/events.js";
import { indexedReceipt } from "../../src/console/indexed-receipt.js";
import type { ReceiptDetailRecord, ReceiptListRecord } from "../../src/console/records/receipts.js";
import type { TillRecord } from "../../src/console/records/till.js";
import { consoleRouter } from "../../src/console/router.js";
import type { SettingsAccess } from "../../src/console/settings.js";
import { thisMachine } from "../../src/console/trust.js";
import { verdictOf } from "../../src/console/verdict.js";
import { CardQuestions } from "../../src/fiscalizer/card-question.js";
import { Fiscalizer } from "../../src/fiscalizer/fiscalizer.js";
import { StoreHealth } from "../../src/fiscalizer/store-health.js";
import { errorHandler } from "../../src/http/errors.js";
import { listen, urlOf } from "../../src/http/listen.js";
import { openStore } from "../../src/ledger/database.js";
import { ReceiptIndex } from "../../src/ledger/receipt-index.js";
import { Receipts } from "../../src/ledger/receipts.js";
import { SqliteAuditLedger } from "../../src/ledger/sqlite-audit-ledger.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { PACKAGE_ROOT } from "../../src/package-root.js";
import { systemRandom } from "../../src/random.js";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";
import { Service } from "../../src/service.js";
import { TrafficLog } from "../../src/traffic/traffic-log.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { callService, openTill, sale, type Till } from "../support/till.js";

const priced = (amount: number) => ({
  ...sale({ payment: [{ amount, paymentType: "Cash" }] }),
  items: [{ name: "Tea", quantity: 1, unitPrice: amount, labels: ["A"], totalAmount: amount }],
});

async function get<T>(till: Pick<Till, "call">, path: string): Promise<T> {
  const answer = await till.call("GET", `/console${path}`);
  expect(answer.status).toBe(200);
  return answer.json<T>();
}

const found = async (till: Till, query: Record<string, string>) =>
  (await get<ReceiptListRecord>(till, `/receipts?${new URLSearchParams(query)}`)).receipts.map(({ number }) => number);

/** The parts behind the console's router, with an emulated card. */
function parts() {
  const store = openStore(temporaryFolder());
  const reader = new EmulatedReader();
  reader.insert(makeCard());
  const secureElement = new ApduSecureElement(reader);
  const ledger = new SqliteLedger(store);
  const audits = new SqliteAuditLedger(ledger.access);
  const clock = { now: () => Date.now() };
  const health = new StoreHealth("folder", async () => undefined);
  const fiscalizer = new Fiscalizer(
    { secureElement, ledger, audits, clock, health, environment: () => undefined },
    {
      ...{ journalHeader: "left", qrFormat: "png", requireReferentTime: false, clockDrift: 300 },
      ...{ mrc: "a-b-c", queueLength: 1 },
    },
  );
  return { secureElement, fiscalizer, audits, health, db: store.db, close: () => store.close() };
}

describe("the console's till", () => {
  it("repeats the codes of status and adds the taxpayer, the PIN attempts and the rates", async () => {
    const till = await openTill({ pinVerified: false });
    await till.pin("0000");
    const record = await get<TillRecord>(till, "/till");
    expect(record.codes).toEqual(["1500"]);
    expect(record.card).toMatchObject({ state: "ready", pin: "required", pinTriesLeft: 4, uid: "TESTCARD" });
    expect(record.rates.filter(({ current }) => current)).toHaveLength(1);
    expect(record.environment).toMatchObject({ timeZone: "Europe/Belgrade" });
  });

  it("does not ask a working card for PIN attempts, and says why a card is missing", async () => {
    const till = await openTill();
    expect((await get<TillRecord>(till, "/till")).card).toMatchObject({ pin: "verified", pinTriesLeft: null });
    till.reader.remove();
    expect((await get<TillRecord>(till, "/till")).card).toMatchObject({ state: "no-card", why: { code: "noCard" } });
    till.reader.unplug();
    expect((await get<TillRecord>(till, "/till")).card).toMatchObject({ noReader: true, why: { code: "unplugged" } });
  });
});

describe("the verdict on a test card in a shop", () => {
  const verdictAfter = async (pinVerified: boolean) => {
    const till = await openTill({ settings: { card: "pcsc" }, pinVerified });
    const record = await get<TillRecord>(till, "/till");
    return [record.testCard, verdictOf(record).sentence];
  };

  it('replaces "ready", and stands beside other things to do', async () => {
    expect(await verdictAfter(true)).toEqual([true, "testCard"]);
    expect(await verdictAfter(false)).toEqual([true, "pinNeeded"]);
  });
});

describe("the console's receipts", () => {
  it("are found by number, counter, printed amount, beginning of a RequestId and time", async () => {
    let now = Date.parse("2026-03-01T10:00:00Z");
    const till = await openTill({ now: () => now });
    for (const [i, amount] of [100, 1234.5, 100].entries()) {
      await till.sell(priced(amount), { RequestId: `order-${i}` });
      now += 24 * 3_600_000;
    }
    const number = (counter: number) => `TESTCARD-TESTCARD-${counter}`;
    expect(await found(till, {})).toEqual([number(3), number(2), number(1)]);
    expect(await found(till, { search: number(2) })).toEqual([number(2)]);
    expect(await found(till, { search: "3" })).toEqual([number(3)]);
    expect(await found(till, { search: "1.234,50" })).toEqual([number(2)]);
    expect(await found(till, { search: "1,234.50" })).toEqual([number(2)]);
    expect(await found(till, { search: "2/2NS" })).toEqual([number(2)]);
    expect(await found(till, { search: "100.00" })).toEqual([number(3), number(1)]);
    expect(await found(till, { search: "order-" })).toEqual([number(3), number(2), number(1)]);
    expect(await found(till, { search: "%" })).toEqual([]);
    const day = { from: "2026-03-02T00:00:00Z", to: "2026-03-03T00:00:00Z" };
    expect(await found(till, day)).toEqual([number(2)]);
    expect(await found(till, { ...day, search: "order-" })).toEqual([number(2)]);
    expect(await found(till, { limit: "1" })).toEqual([number(3)]);
    // The limit counts receipts inside the period only.
    expect(
      await found(till, { from: "2026-03-01T00:00:00Z", to: "2026-03-02T00:00:00Z", search: "100", limit: "1" }),
    ).toEqual([number(1)]);
  });

  it("show text, exact amounts, QR code and verdicts", async () => {
    const till = await openTill();
    const answer = (await till.sell(priced(1234.5))).json<{ journal: string; verificationUrl: string }>();
    const { receipts } = await get<ReceiptListRecord>(till, "/receipts");
    const detail = await get<ReceiptDetailRecord>(till, `/receipts/${receipts[0]?.id}`);
    expect(detail.signed).toMatchObject({
      journal: answer.journal.split("\r\n").slice(0, -1),
      verificationUrl: answer.verificationUrl,
      hashValid: true,
      signatureValid: true,
      decoded: { totalAmount: "1234.5000", invoiceType: "Normal" },
    });
    expect(detail.answer).toContain('"totalAmount": 1234.5');
    expect(detail.signed?.qr.every((row) => /^[01]+$/.test(row) && row.length === detail.signed?.qr.length)).toBe(true);
  });

  it("say whether today's rates were used because the original's time is unknown", async () => {
    const till = await openTill();
    await till.sell();
    await till.sell(sale({ transactionType: "Refund", referentDocumentNumber: "OTHERUID-OTHERUID-7" }));
    const shown = [1, 2].map((id) => get<ReceiptDetailRecord>(till, `/receipts/${id}`));
    expect((await Promise.all(shown)).map(({ todaysRates }) => todaysRates)).toEqual([false, true]);
  });

  it("show their text even when the POS asked for none", async () => {
    const till = await openTill();
    await till.sell(sale({ options: { omitTextualRepresentation: "1" } }));
    const { signed } = await get<ReceiptDetailRecord>(till, "/receipts/1");
    expect(signed?.journal[0]).toContain("FISCAL INVOICE");
  });

  it("are not called valid while their card is not in the reader", async () => {
    const till = await openTill();
    await till.sell();
    till.reader.remove();
    const { signed } = await get<ReceiptDetailRecord>(till, "/receipts/1");
    expect(signed).toMatchObject({ hashValid: true, signatureValid: null });
  });

  it("are exported to the last one while other requests are answered", async () => {
    const dataDir = temporaryFolder();
    const till = await openTill({ settings: { dataDir } });
    await till.sell();
    await till.stop();
    const store = openStore(dataDir);
    // More than one page of the export, copied from the one that was sold.
    store.db.exec(`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO invoices (request_hash, uid, state, intent, total_counter, number, signature, answer, checksum)
      SELECT 'h', uid, state, intent, i, 'TESTCARD-TESTCARD-' || i, signature, answer, checksum FROM invoices, n WHERE id = 1`);
    store.close();
    const again = await openTill({ settings: { dataDir }, pinVerified: false });
    let ended = false;
    const exporting = again.call("GET", "/console/receipts.csv").then((answer) => {
      ended = true;
      return answer;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await again.call("GET", "/api/v3/attention")).status).toBe(200);
    expect(ended).toBe(false);
    const lines = (await exporting).text.trim().split("\n");
    expect([lines.length, lines.at(-1)?.split(",")[0]]).toEqual([20_001, "TESTCARD-TESTCARD-20000"]);
  });

  it("are called wrong when somebody changed them in the store", async () => {
    const dataDir = temporaryFolder();
    const till = await openTill({ settings: { dataDir } });
    await till.sell();
    await till.stop();
    const store = openStore(dataDir);
    store.db.exec("UPDATE invoices SET answer = json_set(answer, '$.verificationUrl', 'nothing')");
    store.close();
    const again = await openTill({ settings: { dataDir }, pinVerified: false });
    const { signed, intact } = await get<ReceiptDetailRecord>(again, "/receipts/1");
    expect([intact, signed]).toMatchObject([false, { hashValid: false, signatureValid: null }]);
  });

  it("are shown as stored and called damaged when the disk damaged them", async () => {
    const dataDir = temporaryFolder();
    const till = await openTill({ settings: { dataDir } });
    await till.sell();
    await till.stop();
    const store = openStore(dataDir);
    store.db.exec("UPDATE invoices SET answer = 'half an ans', intent = '{'");
    store.close();
    const again = await openTill({ settings: { dataDir }, pinVerified: false });
    const detail = await get<ReceiptDetailRecord>(again, "/receipts/1");
    expect(detail).toMatchObject({ intact: false, request: "{", answer: "half an ans", signed: null });
  });

  it("have no text and no request when they were adopted, and are exported, too", async () => {
    const dataDir = temporaryFolder();
    const till = await openTill({ settings: { dataDir } });
    await till.sell(sale({ options: { omitTextualRepresentation: "1" } }));
    await till.stop();
    const store = openStore(dataDir);
    store.db.exec(`UPDATE invoices SET state = 'adopted', intent = NULL, request_hash = '',
      checksum = checksum(request_id, '', uid, 'adopted', NULL, total_counter, number, signature, answer)`);
    store.close();
    const again = await openTill({ settings: { dataDir }, pinVerified: false });
    const detail = await get<ReceiptDetailRecord>(again, "/receipts/1");
    expect(detail).toMatchObject({ state: "adopted", intact: true, request: null, signed: { journal: [] } });
    expect((await again.call("GET", "/console/receipts.csv")).text).toContain("\nTESTCARD-TESTCARD-1,");
    expect((await again.call("GET", "/console/receipts.ndjson")).json()).toMatchObject({ request: null });
  });

  it("survive clients that drop their export in the middle", async () => {
    const till = await openTill();
    for (let i = 0; i < 3; i++) await till.sell();
    const { port } = new URL(till.url);
    for (let i = 0; i < 20; i++) {
      const socket = connect(Number(port), "127.0.0.1");
      await once(socket, "connect");
      socket.write("GET /console/receipts.csv HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await once(socket, "data");
      socket.destroy();
    }
    expect((await till.call("GET", "/api/v3/attention")).status).toBe(200);
  });

  it.each(["/receipts/2", "/receipts/x", "/receipts/99999999999999999999"])("answer 404 for %s", async (path) => {
    const till = await openTill();
    await till.sell();
    expect((await till.call("GET", `/console${path}`)).status).toBe(404);
  });

  it("are exported in order as NDJSON and CSV", async () => {
    const till = await openTill();
    for (let i = 0; i < 5; i++) await till.sell(priced(100 + i), { RequestId: `order-${i}` });
    const lines = (await till.call("GET", "/console/receipts.ndjson")).text.trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { requestId: string }).requestId)).toEqual(
      [0, 1, 2, 3, 4].map((i) => `order-${i}`),
    );
    const csv = await till.call("GET", "/console/receipts.csv?from=2020-01-01T00:00:00Z");
    expect(csv.headers["content-disposition"]).toBe("attachment");
    expect(csv.text.trim().split("\n")).toHaveLength(6);
    expect((await till.call("GET", "/console/receipts.csv?from=yesterday")).status).toBe(404);
  });
});

describe("the console's event stream", () => {
  it("announces sales and card changes but not the console's own requests, and ends with the service", async () => {
    const till = await openTill();
    const stream = await fetch(`${till.url}/console/events`);
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    const next = async () => (await reader?.read())?.value;
    expect(await next()).toContain("event: changed");
    await get(till, "/till");
    await till.sell();
    expect(await next()).toBe("event: changed\ndata:\n\n");
    till.reader.remove();
    expect(await next()).toBe("event: changed\ndata:\n\n");
    await till.stop();
    expect(await next()).toBeUndefined();
  });
});

it("the console's event stream is not held open for a HEAD request", async () => {
  const till = await openTill();
  expect((await till.call("HEAD", "/console/events")).status).toBe(200);
});

it("the console's paths are recognised in capital letters", async () => {
  expect(["/CONSOLE/receipts.csv", "/Console", "/"].map(isConsolePath)).toEqual([true, true, true]);
  expect(["/consoles", "/api/v3/pin", "/v/"].map(isConsolePath)).toEqual([false, false, false]);
});

describe("the console of a real card, asked from another machine", () => {
  it("shows the state of the till without its turnover, and refuses everything private", async () => {
    const { secureElement, fiscalizer, audits, health, db, close } = parts();
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
      authority: () => ({ contact: "reachable" }) as const,
      inForce: () =>
        ({ environment: fiscalizer.currentEnvironment(), source: { from: "file", name: "a.yaml" } }) as const,
      clockCheck: () => undefined,
      questions: new CardQuestions(secureElement, systemTimer),
      ...{ audits, unsentLimit: 100, refusesUnsent: false, disk: { free: async () => undefined } },
    };
    app.use(
      consoleRouter({
        index: new ReceiptIndex({ store: db, dataDir: temporaryFolder(), describe: indexedReceipt }),
        ...{ sources, receipts: new Receipts(db), events: new ConsoleEvents(), card: "pcsc", trusts: thisMachine },
        trafficAccess: { log: new TrafficLog(() => systemClock, systemClock), removeOld: () => undefined },
        controlPort: () => undefined,
        settingsAccess: changes as SettingsAccess,
        stopAccess: { folder: "/var/lib/tillseal", secret: "s", stop: () => undefined },
        signSample: async () => undefined,
        auditParts: {} as AuditParts,
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
});

describe("the console of a real card", () => {
  async function cardTill(host: string) {
    const { settings } = loadConfig({ flags: { port: 0, host, card: "pcsc" } });
    const service = new Service({
      settings: { ...settings },
      reader: new EmulatedReader(),
      environment: undefined,
      clock: { now: () => Date.now() },
      random: systemRandom,
      log: pino({ level: "silent" }),
      testInvoiceByDefault: false,
      pinGuardByDefault: true,
      timer: systemTimer,
    });
    const url = await service.start();
    onTestFinished(() => service.stop());
    return url;
  }

  it("shows receipts on the machine itself", async () => {
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
  ])("trusts a caller from %s at %s as local: %s", (remoteAddress, localAddress, trusted) => {
    expect(thisMachine({ socket: { remoteAddress, localAddress } } as never)).toBe(trusted);
  });
});

describe("the console's page", () => {
  it("is small enough for a slow machine, and loads what only PDF files need on demand", () => {
    const folder = join(PACKAGE_ROOT, "dist", "console");
    const compressed = (file: string) => gzipSync(readFileSync(join(folder, file))).length;
    const index = readFileSync(join(folder, "index.html"), "utf8");
    const first = [...index.matchAll(/\/console\/(assets\/[^"]+)"/g)].map(([, file = ""]) => file);
    expect(first.length).toBeGreaterThan(1);
    expect(["index.html", ...first].reduce((sum, file) => sum + compressed(file), 0)).toBeLessThan(100_000);
    const all = readdirSync(join(folder, "assets")).map((name) => compressed(join("assets", name)));
    expect(all.reduce((sum, size) => sum + size, 0)).toBeLessThan(450_000);
  });

  it("contains no path of the machine that built it", () => {
    const folder = join(PACKAGE_ROOT, "dist", "console", "assets");
    for (const name of readdirSync(folder)) {
      // The text itself would be one endless line in the report.
      expect([name, readFileSync(join(folder, name), "utf8").includes(PACKAGE_ROOT)]).toEqual([name, false]);
    }
  });

  it("loads nothing from other hosts, and forbids it to the browser", async () => {
    const till = await openTill();
    const { headers, text } = await till.call("GET", "/");
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self' http://127.0.0.1:*; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const script = /src="([^"]+)"/.exec(text)?.[1] ?? "";
    const code = await till.call("GET", script);
    expect([code.status, code.headers["cache-control"]]).toEqual([200, "public, max-age=31536000, immutable"]);
    expect((await till.call("GET", "/console/assets/../../package.json")).status).toBe(404);
    expect((await till.call("GET", "/console/assets/nothing.js")).status).toBe(404);
  });
});
