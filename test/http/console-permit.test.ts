/** Who may see and change what in the console: by the machine, the PIN and the token. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.js";
import { CONSOLE_ENDPOINTS, type ConsoleEndpointName } from "../../src/console/endpoints.js";
import type { InfoRecord } from "../../src/console/records/info.js";
import type { TillRecord } from "../../src/console/records/till.js";
import type { SettingsAccess } from "../../src/console/settings.js";
import { thisMachine } from "../../src/http/trust.js";
import { serveProcess, tillseal } from "../support/command.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { callService, JSON_HEADERS, openTill, type Till, type TillOptions } from "../support/till.js";

/** For each endpoint that changes something, a valid body, and why no PIN is asked for if none is. */
const CHANGES: Partial<Readonly<Record<ConsoleEndpointName, readonly [body: object, free?: string]>>> = {
  token: [{}, "the token is what it asks for; only with the setting consoleToken"],
  confirmReports: [{ ids: [1] }],
  decideSale: [{ id: 1, signed: false }],
  settleByTraining: [{}, "signs a Training invoice, as every POS may"],
  keyPin: [{ keyPin: "0000" }],
  startAudit: [{}, "sends only what the authority must get"],
  carried: [{ uid: "TESTCARD", entry: 1 }],
  auditCommands: [{ uid: "TESTCARD", commands: "[]" }],
  confirmCommands: [{ uid: "TESTCARD", ids: [1] }],
  refuseCommands: [{ uid: "TESTCARD", ids: [1] }],
  seenChanges: [{ ids: [1] }],
  eraseData: [{ before: "2016-01-01T00:00:00Z" }],
  freeSpace: [{}],
  tryFolder: [{ folder: "/" }],
  forgetTraffic: [{}, "a copy in memory, which many requests push out too"],
  saveSettings: [{ technician: "Ann" }],
  restart: [{}],
  stop: [{}, "asks for the secret in the data folder instead"],
};

const changing = CONSOLE_ENDPOINTS.filter(({ method }) => method !== "GET");

function settingsIn(folder: string, restart: () => void): SettingsAccess {
  const load = () => loadConfig({ flags: { port: 0 }, file: join(folder, "tillseal.yaml") });
  return { running: () => load().settings, load, restart, failed: () => null };
}

async function shop(): Promise<{ till: Till; restarts: () => number }> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "tillseal.yaml"), "{}\n");
  let restarts = 0;
  const settingsAccess = settingsIn(folder, () => restarts++);
  const dataDir = join(folder, "data");
  const till = await openTill({ settings: { card: "pcsc", dataDir }, settingsAccess });
  return { till, restarts: () => restarts };
}

const send = (till: Till, name: ConsoleEndpointName, body: object) => {
  const { method, path } = CONSOLE_ENDPOINTS.find((one) => one.name === name) ?? { method: "", path: "" };
  return till.call(method, `/console${path}`, { headers: JSON_HEADERS, body });
};

it("the console has a decision for each endpoint that changes something", () => {
  expect(Object.keys(CHANGES).toSorted()).toEqual(changing.map(({ name }) => name).toSorted());
});

it.each(Object.entries(CHANGES).flatMap(([name, [body, free]]) => (free === undefined ? [[name, body] as const] : [])))(
  "%s asks for the PIN, and refuses a wrong one",
  async (name, body) => {
    const { till, restarts } = await shop();
    const without = await send(till, name as ConsoleEndpointName, body);
    expect([without.status, without.json()]).toMatchObject([403, { code: "1500" }]);
    const wrong = await send(till, name as ConsoleEndpointName, { ...body, pin: "9999" });
    expect([wrong.status, wrong.json()]).toMatchObject([403, { code: "2100" }]);
    expect(restarts()).toBe(0);
    const right = await send(till, name as ConsoleEndpointName, { ...body, pin: "1234" });
    expect(right.status).not.toBe(403);
  },
);

it.each(
  Object.entries(CHANGES).flatMap(([name, [body, free]]) => (free === undefined ? [] : [[name, body, free] as const])),
)("%s does not ask: %s", async (name, body) => {
  const { till } = await shop();
  const answer = await send(till, name as ConsoleEndpointName, body);
  expect(answer.text).not.toContain('"pinTriesLeft":null');
});

it("no program locks the PIN of the key in the card, and with the card's PIN a person enters it", async () => {
  const card = makeCard({ pin: "1234", pkiPin: "9876" });
  const attempts = () => card.memory.load().pkiPinTriesLeft;
  const full = attempts();
  const settings = { card: "pcsc", dataDir: temporaryFolder() } as const;
  const till = await openTill({ settings, card, cardKey: "set" });
  const key = async () => (await till.call("GET", "/console/audit")).json<{ cardKey: unknown }>().cardKey;
  await expect.poll(key).not.toBe(null);
  for (const keyPin of ["0000", "0001", "0002", "0003", "0004"]) {
    const answer = await send(till, "keyPin", { keyPin });
    expect([answer.status, answer.json()]).toMatchObject([403, { code: "1500" }]);
  }
  expect((await send(till, "keyPin", { cardPin: true })).status).toBe(403);
  expect(attempts()).toBe(full);
  const entered = await send(till, "keyPin", { keyPin: "9876", pin: "1234" });
  expect(entered.json()).toEqual({ kind: "verified" });
});

/** The settings pages have the same check, but this till has no settings file. */
const PRIVATE = CONSOLE_ENDPOINTS.filter(({ callers, path }) => callers && path.startsWith("/receipts")).map(
  ({ method, path }) => [method, `/console${path.replace(":id", "1")}`],
) as readonly (readonly [string, string])[];

async function openTokenTill(card: "emulator" | "pcsc" = "pcsc", dataDir = temporaryFolder()) {
  const till = await openTill({ settings: { card, dataDir, consoleToken: true } });
  const file = join(dataDir, "tillseal.token");
  return { till, dataDir, file, token: readFileSync(file, "utf8").trim() };
}

const give = (till: Till, token: unknown) =>
  till.call("POST", "/console/token", { headers: JSON_HEADERS, body: { token } });

async function cookieFor(till: Till, token: string): Promise<string> {
  const answer = await give(till, token);
  expect(answer.status).toBe(204);
  return String(answer.headers["set-cookie"]);
}

const statuses = async (till: Till, headers: Record<string, string>) => {
  const received: number[] = [];
  for (const [method, path] of PRIVATE) received.push((await till.call(method, path, { headers })).status);
  return [...new Set(received)];
};

it.each(["pcsc", "emulator"] as const)(
  "with a token, the console of a service with card %s shows its private pages only to callers with the token or its cookie",
  async (card) => {
    const { till, token } = await openTokenTill(card);
    await till.sell();
    const cookie = (await cookieFor(till, token)).split(";")[0] ?? "";
    for (const headers of [
      {},
      { "X-Forwarded-For": "127.0.0.1", Forwarded: "for=127.0.0.1" },
      { Authorization: `Bearer ${token.slice(1)}` },
      { Authorization: `Basic ${token}` },
      { Authorization: token },
      { Cookie: `${cookie.split("=")[0]}=${token}` },
      { Cookie: `${cookie}x` },
      { Cookie: `x${cookie}` },
      { Cookie: `${cookie.split("=")[0]}=` },
      { Cookie: "=" },
    ] as Record<string, string>[]) {
      expect(await statuses(till, headers), JSON.stringify(headers)).toEqual([403]);
      expect((await till.call("GET", "/console/info", { headers })).json<InfoRecord>()).toMatchObject({
        trusted: false,
        asksToken: true,
        folder: null,
      });
      expect((await till.call("GET", "/console/till", { headers })).json<TillRecord>()).toMatchObject({
        audit: null,
        last: [],
      });
    }
    for (const [, path] of PRIVATE) expect((await till.call("GET", `${path}?token=${token}`)).status).not.toBe(200);
    for (const headers of [{ Authorization: `Bearer ${token}` }, { Cookie: `a=b; ${cookie}; c=d` }] as Record<
      string,
      string
    >[]) {
      expect((await till.call("GET", "/console/receipts", { headers })).json()).toMatchObject({
        receipts: [{ number: "TESTCARD-TESTCARD-1" }],
      });
      expect((await till.call("GET", "/console/info", { headers })).json()).toMatchObject({
        trusted: true,
        asksToken: true,
      });
      expect((await till.call("GET", "/console/till", { headers })).json<TillRecord>().last).toHaveLength(1);
    }
  },
);

it("the token is made once per folder, is long, and is readable only by its owner", async () => {
  const first = await openTokenTill();
  expect(first.token).toMatch(/^[\w-]{43}$/);
  expect(statSync(first.file).mode & 0o777).toBe(0o600);
  await first.till.stop();
  const again = await openTokenTill("pcsc", first.dataDir);
  const other = await openTokenTill();
  expect([again.token === first.token, other.token === first.token]).toEqual([true, false]);
  const headers = { Cookie: (await cookieFor(other.till, other.token)).split(";")[0] ?? "" };
  expect(await statuses(again.till, headers)).toEqual([403]);
});

it("the token is exchanged for a cookie that scripts, other sites and other paths do not get", async () => {
  const { till, token } = await openTokenTill();
  const cookie = await cookieFor(till, ` ${token}\n`);
  expect(cookie).toMatch(/^tillseal-[\w-]{8}=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/console$/);
  expect(cookie).not.toContain(token);
  const site = { ...JSON_HEADERS, Origin: "https://evil.test", "Sec-Fetch-Site": "cross-site" };
  expect((await till.call("POST", "/console/token", { headers: site, body: { token } })).status).toBe(403);
});

it.each([undefined, null, "", 1, ["x"], "x".repeat(43)])("the token is refused when it is %j", async (token) => {
  const { till } = await openTokenTill();
  const answer = await give(till, token);
  expect([answer.status, answer.headers["set-cookie"]]).toEqual([403, undefined]);
});

it("the token does not exist when the setting is off", async () => {
  const till = await openTill({ settings: { card: "pcsc" } });
  expect((await give(till, "x")).status).toBe(404);
  expect((await till.call("GET", "/console/info")).json()).toMatchObject({ trusted: true, asksToken: false });
});

it("the token appears in no log and no traffic, and the commands status and stop find it", async () => {
  const dataDir = join(temporaryFolder(), "till");
  const {
    url,
    greeting,
    process: service,
    exited,
  } = await serveProcess([
    ...["--control-port", "0", "--data-dir", dataDir, "--console-token", "true", "--log-level", "debug"],
  ]);
  let log = greeting;
  for (const stream of [service.stdout, service.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
  }
  const token = readFileSync(join(dataDir, "tillseal.token"), "utf8").trim();
  const till = { call: (method, path, call) => callService(url, method, path, call) } as Till;
  const cookie = await cookieFor(till, token);
  await give(till, `${token}x`);
  const headers = { Authorization: `Bearer ${token}`, Cookie: cookie.split(";")[0] ?? "" };
  await callService(url, "GET", "/console/receipts", { headers });
  await callService(url, "GET", "/api/v3/status", { headers });
  const control = /http:\S+(?=\/control drives)/.exec(greeting)?.[0];
  const traffic = await (await fetch(`${control}/control/traffic`)).text();
  expect(traffic).toContain("/api/v3/status");
  const status = await tillseal(["status", "--data-dir", dataDir]);
  expect(status.stdout).toContain("audit: 0");
  expect(await tillseal(["stop", "--data-dir", dataDir])).toMatchObject({ status: 0 });
  expect(await exited).toBe(0);
  for (const text of [log, traffic, status.stdout]) {
    expect(text).not.toContain(token);
    expect(text).not.toContain(cookie.split(/[=;]/)[1]);
  }
});

const cardTill = ({ settings, ...options }: TillOptions = {}) =>
  openTill({ ...options, settings: { card: "pcsc", trafficMinutes: 5, ...settings } });

/** What a till needs to have every endpoint of the console but that of the token. */
function everyEndpoint(): TillOptions {
  const load = () => loadConfig({ flags: { port: 0 } });
  const settingsAccess = { running: () => load().settings, load, restart: () => undefined, failed: () => null };
  return { settingsAccess, endProcess: () => undefined };
}

it.each([
  ["no JSON", '{"pin":"7391","token":"7391'],
  ["a list", '["7391"]'],
  ["nothing", ""],
  ["fields of a wrong type", '{"pin":7391,"token":7391,"keyPin":7391,"ids":"7391","7391":{}}'],
])("every endpoint refuses a caller without the token before it looks at a body that is %s", async (_what, body) => {
  const till = await cardTill({ ...everyEndpoint(), settings: { consoleToken: true, dataDir: temporaryFolder() } });
  for (const { method, path } of changing) {
    const answer = await till.call(method, `/console${path}`, { headers: JSON_HEADERS, body });
    expect([path, answer.status, answer.json()]).toEqual([path, 403, { message: expect.any(String), details: [] }]);
    expect(answer.text).not.toContain("7391");
  }
});

it("the console of a real card, asked from another machine shows the state of the till without its turnover, and refuses everything private", async () => {
  const till = await cardTill({
    ...everyEndpoint(),
    // The remote address of a real connection cannot be chosen in a test.
    hooks: {
      before: (request, _response, next) => {
        Object.defineProperty(request.socket, "remoteAddress", { value: "192.168.1.31", configurable: true });
        next();
      },
    },
  });
  await till.sell();
  for (const { method, path, callers } of CONSOLE_ENDPOINTS) {
    if (path === "/events" || path === "/token") continue;
    const answer = await till.call(method, `/console${path.replace(":id", "1")}`);
    // This caller does not have the secret that ends the service.
    expect([path, answer.status]).toEqual([path, callers || path === "/stop" ? 403 : 200]);
  }
  expect((await till.call("GET", "/console/till")).json()).toMatchObject({ audit: null, last: [] });
  expect((await till.call("GET", "/console/info")).json()).toMatchObject({ trusted: false, folder: null });
});

it("the console of a real card shows receipts on the machine itself", async () => {
  const { call } = await cardTill();
  expect((await call("GET", "/console/receipts")).status).toBe(200);
  expect((await call("GET", "/console/info")).json()).toMatchObject({ trusted: true, controlPort: null });
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
