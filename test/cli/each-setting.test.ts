/** Each setting, changed, is seen from outside: by a POS, in the console, in what the service says at its start, or on the disk. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { flag, SETTING_NAMES, type SettingName, type Settings } from "../../src/config/settings.js";
import { type RunningService, serve } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import { callService, openTill, sale, type Till } from "../support/till.js";

type See = (changed: Partial<Settings>) => Promise<unknown>;

/** What a look at a service in this process shows. */
const till =
  (look: (till: Till) => Promise<unknown>): See =>
  async (settings) =>
    look(await openTill({ settings }));

/** What a look at a service shows that `tillseal serve` has started. */
const served =
  (look: (service: RunningService) => unknown, given: Partial<Settings> = {}): See =>
  async (changed) => {
    const settings = { controlPort: 0, authorityPort: 0, dataDir: temporaryFolder(), ...given, ...changed };
    const args = Object.entries(settings).flatMap(([name, value]) => {
      const long = flag(name as SettingName);
      return typeof value === "boolean" ? [value ? long : long.replace("--", "--no-")] : [long, String(value)];
    });
    return look(await serve(args));
  };

const get = async (url: string, path: string, headers = {}) => callService(url, "GET", path, { headers });
const post = async (url: string, path: string, body = "") =>
  callService(url, "POST", `/api/v3${path}`, { headers: { "Content-Type": "text/plain" }, body });
/** The text of an answer. */
const text = (path: string) => till(async ({ url }) => (await get(url, path)).text);
/** The status of an answer. */
const status = (path: string, headers?: object) => till(async ({ url }) => (await get(url, path, headers)).status);
const statusOfSale = (invoice: object, headers: Record<string, string> = {}) =>
  till(async ({ sell }) => (await sell(sale(invoice), headers)).status);
const journal = till(async ({ sell }) => (await sell()).json<{ journal: string }>().journal);
const greeting = (given?: Partial<Settings>) => served((service) => service.greeting, given);
const answer = (path: string) => served(async ({ url }) => (await get(url, `/api/v3${path}`)).text);
const sold = async ({ url }: RunningService) => {
  await post(url, "/pin", "1234");
  return (await post(url, "/test-invoice")).text;
};
/** Whether a file is there after a sale. */
const made = (file: string, given?: Partial<Settings>) =>
  served(async (service) => (await sold(service)) !== "" && existsSync(file), given);

const containing = (part: string) => expect.stringContaining(part) as unknown;
const FOLDER = mkdtempSync(join(tmpdir(), "tillseal-test-"));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));
const inFolder = (name: string) => join(FOLDER, name);
const [PORT = 0, CONTROL_PORT = 0, AUTHORITY_PORT = 0, VSDC_PORT = 0] = await Promise.all([1, 2, 3, 4].map(freePort));
const TEA = { name: "Tea", quantity: 1, unitPrice: 1234.5, labels: ["A"], totalAmount: 1234.5 };
const DISCOUNTED = { items: [TEA, { ...TEA, name: "Discount", unitPrice: -1, totalAmount: -1 }] };
const REFUND = { transactionType: "Refund", referentDocumentNumber: "OTHERUID-OTHERUID-7" };

/** Number of backups after three days with a sale. */
const backups: See = async (changed) => {
  const [dataDir, backupFolder] = [temporaryFolder(), temporaryFolder()];
  for (const day of [1, 2, 3]) {
    const at = Date.UTC(2026, 5, day);
    const { service, stop } = await openTill({ settings: { dataDir, backupFolder, ...changed }, now: () => at });
    await vi.waitFor(() => expect(service.backupState?.lastGood).toBe(at), 20_000);
    await stop();
  }
  return readdirSync(backupFolder).length;
};

/** A test that needs more than a service: its file, and the words that name the setting there. */
const elsewhere = (file: string, words: RegExp) => ({ file, words });

/** A value of each setting, how one looks, and what one sees then, and not without the setting. */
const SEEN: Readonly<
  Record<SettingName, readonly [value: unknown, see: See, seen: unknown] | ReturnType<typeof elsewhere>>
> = {
  port: [PORT, served(({ url }) => new URL(url).port), `${PORT}`],
  host: ["127.0.0.2", served(({ url }) => url), containing("//127.0.0.2:")],
  card: ["pcsc", served(async ({ url }) => (await get(url, "/console/info")).text), containing('"card":"pcsc"')],
  reader: elsewhere("test/pcsc/two-readers.test.ts", /reader/),
  pcscModule: elsewhere("vitest.config.ts", /TILLSEAL_PCSC_MODULE: "pcsclite"/),
  dataDir: [inFolder("data"), made(inFolder("data/store/tillseal.db")), true],
  environment: ["none", served(sold, { authority: false }), containing("2400")],
  technician: ["Ana 011", text("/console/till"), containing("Ana 011")],
  profile: ["yjlqteqr", answer("/status"), containing("YJLQTEQR")],
  country: ["ba-rs", answer("/environment-parameters"), containing('"BA"')],
  scenario: ["pin/card-locked", served(async ({ url }) => (await post(url, "/pin", "1234")).text), "2110"],
  record: [inFolder("day.yaml"), made(inFolder("day.yaml")), true],
  controlPort: [CONTROL_PORT, greeting(), containing(`:${CONTROL_PORT}/control`)],
  controlHost: ["127.0.0.2", greeting(), containing("//127.0.0.2:")],
  authority: [false, greeting(), expect.not.stringMatching(/authority/)],
  authorityPort: [AUTHORITY_PORT, greeting(), containing(`:${AUTHORITY_PORT}`)],
  vsdc: [true, greeting(), containing("V-SDC")],
  vsdcPort: [VSDC_PORT, greeting({ vsdc: true }), containing(`:${VSDC_PORT}`)],
  publicAddress: ["http://shop.test/x", served(sold), containing('"http://shop.test/x/v/')],
  languages: [["sr-Latn-RS"], journal, containing("FISKALNI RAČUN")],
  journalHeader: ["left", journal, expect.not.stringMatching(/^TIN:/m)],
  numberForm: ["comma", journal, expect.stringMatching(/\d,\d\d\b/)],
  answerForm: ["device", till(async ({ pin }) => (await pin("9999")).status), 423],
  pinGuard: [
    true,
    till(async ({ pin, cardState }) => {
      for (let n = 0; n < 2; n++) await pin("9999");
      return cardState().pinTriesLeft;
    }),
    4,
  ],
  requestIdLength: [36, statusOfSale({}, { RequestId: "x".repeat(36) }), 200],
  queueLength: elsewhere("test/http/queue.test.ts", /settings: \{ queueLength \}/),
  pathSegment: ["a-token", status("/a-token/api/v3/attention"), 200],
  negativeItems: [true, statusOfSale(DISCOUNTED), 200],
  requireReferentTime: [true, statusOfSale(REFUND), 400],
  clockDrift: elsewhere("test/http/authority.test.ts", /clockDrift: /),
  testInvoice: [false, till(async ({ call }) => (await call("POST", "/api/v3/test-invoice")).status), 400],
  allowedHosts: [["till.test"], status("/api/v3/attention", { Host: "till.test" }), 200],
  allowedOrigins: [["https://pos.test"], status("/api/v3/attention", { Origin: "https://pos.test" }), 200],
  consoleToken: [true, status("/console/receipts"), 403],
  deviceMake: ["Acme", text("/api/v3/status"), containing('"make":"Acme"')],
  makerCodes: ["0001-1002", till(async ({ sell }) => (await sell()).text), containing("0001-1002")],
  deviceSerialNumber: ["N-7", text("/api/v3/status"), containing('"deviceSerialNumber":"N-7"')],
  authorityUrl: elsewhere("test/authority/configured.test.ts", /authorityUrl: /),
  authorityCertificate: elsewhere("test/authority/configured.test.ts", /authorityCertificate: /),
  authorityKey: elsewhere("test/authority/configured.test.ts", /authorityKey: /),
  authorityPassphraseFile: elsewhere("test/authority/configured.test.ts", /authorityPassphraseFile: /),
  authorityCa: elsewhere("test/authority/configured.test.ts", /authorityCa: /),
  authorityProxy: elsewhere("test/authority/configured.test.ts", /authorityProxy: /),
  unsentLimit: [
    1,
    till(async ({ sell, call }) => {
      await sell();
      return (await call("GET", "/api/v3/status")).text;
    }),
    containing("1100"),
  ],
  newCard: elsewhere("test/http/audit-old-card.test.ts", /newCard: "waits"/),
  auditShare: elsewhere("test/http/audit.test.ts", /auditShare: /),
  auditAge: elsewhere("test/http/audit.test.ts", /auditAge: /),
  backupFolder: elsewhere("test/http/scheduled-backup.test.ts", /backupFolder/),
  backupKeep: [2, backups, 2],
  retentionYears: elsewhere("test/http/erase.test.ts", /retentionYears: /),
  trafficMinutes: [5, served(async ({ url }) => (await get(url, "/console/traffic")).status, { card: "pcsc" }), 200],
  metrics: [true, status("/metrics"), 200],
  logLevel: ["info", made(inFolder("till.log"), { logFile: inFolder("till.log") }), true],
  logFile: [inFolder("log"), made(inFolder("log"), { logLevel: "info" }), true],
};

it.each(SETTING_NAMES)("the setting %s changes what one sees", async (name) => {
  const row = SEEN[name];
  if ("file" in row) return expect(readFileSync(join(PACKAGE_ROOT, row.file), "utf8")).toMatch(row.words);
  const [value, see, seen] = row;
  expect(await see({})).not.toEqual(seen);
  expect(await see({ [name]: value })).toEqual(seen);
});
