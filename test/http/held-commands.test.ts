/** Commands that a person must allow, or that are wrong or hostile: the card and the sales go on. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import type { ToReadRecord } from "../../src/console/records/audits.js";
import { asleep } from "../support/asleep.js";
import { AuditingAuthority } from "../support/auditing-authority.js";
import { sentEnvironment } from "../support/fake-authority.js";
import { temporaryFolder } from "../support/folder.js";
import { JSON_HEADERS, openTill, sale, type Till, type TillOptions } from "../support/till.js";

const UID = "TESTCARD";
const NEW_ROOT = "https://other.test/v/?vl=";
const { parameters, taxRates } = sentEnvironment();
const [GROUP] = taxRates;

const post = (till: Till, path: string, body: object, headers: Record<string, string> = {}) =>
  till.call("POST", `/console/audit/${path}`, { headers: { ...JSON_HEADERS, ...headers }, body });

function file(till: Till, type: number, payload: unknown, headers?: Record<string, string>) {
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  const commands = JSON.stringify([{ commandId: `${type} ${text.length}`, type, payload: text, uid: UID }]);
  return post(till, "commands", { uid: UID, commands }, headers);
}

/** The header of a command that may read the data folder. */
function secretIn(dataDir: string) {
  const text = readFileSync(join(dataDir, "tillseal.running.json"), "utf8");
  return { Authorization: `Bearer ${(JSON.parse(text) as { secret: string }).secret}` };
}

const toRead = async (till: Till, headers: Record<string, string> = {}) =>
  (await till.call("GET", "/console/audit/changes", { headers })).json<ToReadRecord>();
const statusOf = async (till: Till) => (await till.call("GET", "/api/v3/status")).json<object>();

async function rootOf(till: Till): Promise<string> {
  const { endpoints } = (await till.call("GET", "/api/v3/environment-parameters")).json<typeof parameters>();
  return endpoints.root;
}

/** A till that is configured, with a file that would change the address of the QR code. */
async function heldTill({ settings, ...options }: TillOptions = {}, headers: Record<string, string> = {}) {
  const dataDir = settings?.dataDir ?? temporaryFolder();
  const till = await openTill({ environment: null, settings: { ...settings, dataDir }, ...options });
  if (settings?.consoleToken) {
    headers.Authorization = `Bearer ${readFileSync(join(dataDir, "tillseal.token"), "utf8").trim()}`;
  }
  const secret = secretIn(dataDir);
  expect((await file(till, COMMAND_TYPE.taxRates, taxRates, secret)).json()).toMatchObject({ held: 1 });
  expect((await file(till, COMMAND_TYPE.configuration, parameters, secret)).json()).toMatchObject({ held: 1 });
  const first = await post(till, "confirm", { uid: UID, ids: [1, 2] }, secret);
  expect(first.json()).toEqual({ confirmed: true });
  expect((await file(till, COMMAND_TYPE.verificationUrl, NEW_ROOT, secret)).json()).toMatchObject({
    results: [{ success: true }, { success: true }],
    failed: [],
    held: 1,
    waiting: 0,
    foreign: 0,
  });
  const [held] = (await toRead(till, headers)).held;
  if (!held) throw new Error("nothing waits");
  const confirm = (body: object = {}, more: Record<string, string> = {}) =>
    post(till, "confirm", { uid: UID, ids: held.ids, ...body }, more);
  return { till, held, confirm, dataDir, headers };
}

it("a file that changes what a till sells with is the shop's own: commands of anybody else do not take its place", async () => {
  const dataDir = temporaryFolder();
  const till = await openTill({ environment: null, settings: { dataDir } });
  for (let i = 0; i < 10; i++) {
    expect((await file(till, COMMAND_TYPE.timeServer, `time${"0".repeat(i)}.test`)).status).toBe(403);
  }
  expect(await toRead(till)).toEqual({ held: [], made: [] });
  expect((await file(till, COMMAND_TYPE.taxRates, taxRates, secretIn(dataDir))).json()).toMatchObject({ held: 1 });
});

it("a file that changes what a till sells with waits for a yes, shows old beside new, and stops no sale", async () => {
  const { till, held } = await heldTill();
  expect(held).toEqual({
    uid: UID,
    ids: [3],
    changes: [{ name: "root", group: null, before: parameters.endpoints.root, after: NEW_ROOT }],
    asksTwice: false,
  });
  expect(await statusOf(till)).toMatchObject({ gsc: ["0100"], mssc: ["9002", "9019"] });
  expect((await till.call("GET", "/ready")).status).toBe(200);
  expect((await till.sell()).status).toBe(200);
  expect(await rootOf(till)).toBe(parameters.endpoints.root);
});

it("a file that changes what a till sells with needs the card's PIN: a wrong one costs an attempt, the right one applies it", async () => {
  const { till, confirm } = await heldTill();
  const without = await confirm();
  expect([without.status, without.json()]).toMatchObject([403, { code: "1500", pinTriesLeft: null }]);
  const wrong = await confirm({ pin: "9999" });
  expect([wrong.status, wrong.json()]).toMatchObject([403, { code: "2100" }]);
  expect(till.cardState().pinTriesLeft).toBe(4);
  expect(await rootOf(till)).toBe(parameters.endpoints.root);
  const right = await confirm({ pin: "1234" });
  expect([right.status, right.json()]).toEqual([200, { confirmed: true }]);
  expect(await rootOf(till)).toBe(NEW_ROOT);
  expect((await confirm({ pin: "1234" })).status).toBe(404);
});

it("a file that changes what a till sells with does not let a program use the last attempt, but a person at the console", async () => {
  const { till, confirm } = await heldTill({
    profile: { pinTriesLeft: 1 },
    settings: { pinGuard: true },
    pinVerified: false,
  });
  const program = await confirm({ pin: "1234" });
  expect([program.status, program.json(), program.headers.warning]).toMatchObject([
    403,
    { code: "2100" },
    expect.stringContaining("was not sent"),
  ]);
  expect(till.cardState().pinTriesLeft).toBe(1);
  expect((await confirm({ pin: "1234" }, { Origin: till.url })).status).toBe(200);
});

it("a file that changes what a till sells with needs no PIN from a caller with the console's token, or with the secret in the data folder", async () => {
  const { confirm, headers } = await heldTill({ settings: { consoleToken: true } });
  expect((await confirm({}, headers)).json()).toEqual({ confirmed: true });
  const other = await heldTill();
  const { Authorization } = secretIn(other.dataDir);
  expect((await other.confirm({}, { Authorization: `${Authorization}x` })).status).toBe(403);
  expect((await other.confirm({}, { Authorization })).json()).toEqual({ confirmed: true });
});

it("a file that changes what a till sells with needs a second yes to change a known group, and is refused with the same rights", async () => {
  const { till, dataDir } = await heldTill();
  const secret = secretIn(dataDir);
  await file(till, COMMAND_TYPE.taxRates, { ...GROUP, validFrom: "2016-01-01T00:00:00Z" }, secret);
  const [held] = (await toRead(till)).held;
  const body = { uid: UID, ids: held?.ids, pin: "1234" };
  expect(held).toMatchObject({ asksTwice: true, ids: [3, 4] });
  expect((await post(till, "confirm", body)).json()).toEqual({ confirmed: false });
  expect((await post(till, "refuse", { ...body, pin: "" })).status).toBe(403);
  expect((await post(till, "refuse", body)).status).toBe(204);
  expect(await toRead(till)).toEqual({ held: [], made: [] });
  expect(await statusOf(till)).toMatchObject({ mssc: ["9002"] });
  expect((await file(till, COMMAND_TYPE.verificationUrl, NEW_ROOT, secret)).json()).toMatchObject({
    held: 0,
    results: [{ success: false }, { success: false }],
  });
});

it("a file that changes what a till sells with is shown after the yes until a person has seen it", async () => {
  const { till, confirm } = await heldTill();
  await confirm({ pin: "1234" });
  const { held, made } = await toRead(till);
  expect([held, made]).toMatchObject([[], [{ uid: UID, changes: [{ name: "root", after: NEW_ROOT }] }]]);
  expect(await statusOf(till)).toMatchObject({ gsc: ["0100"], mssc: ["9002", "9019"] });
  const { findings } = (await till.call("GET", "/console/till")).json<{ findings: object[] }>();
  expect(findings).toMatchObject([{ key: "configurationChanged", severity: "warns" }]);
  const ids = made.map(({ id }) => id);
  expect((await post(till, "seen", { ids })).status).toBe(403);
  expect((await post(till, "seen", { ids, pin: "1234" })).status).toBe(204);
  expect((await post(till, "seen", { ids, pin: "1234" })).status).toBe(404);
  expect(await statusOf(till)).toMatchObject({ mssc: ["9002"] });
});

it.each([
  ["confirm", { uid: UID }],
  ["confirm", { ids: [1] }],
  ["refuse", { uid: UID, ids: [] }],
  ["seen", { ids: ["1"] }],
  ["commands", { uid: UID }],
  ["carried", { uid: UID, entry: 0 }],
])(
  "a file that changes what a till sells with refuses %s with %j as the caller's mistake, which costs no attempt",
  async (path, body) => {
    const till = await openTill({ environment: null });
    expect((await post(till, path, { ...body, pin: "9999" })).json()).toMatchObject({ code: "2806" });
    expect(till.cardState().pinTriesLeft).toBe(5);
  },
);
const DAY_MS = 86_400_000;

const until = (check: () => void) => vi.waitFor(check, { timeout: 10_000 });

async function opened(authority: AuditingAuthority, options: TillOptions = {}) {
  const timer = { now: () => 0, sleep: asleep };
  const till = await openTill({ timer, openAuthority: () => authority, profile: { limit: "400" }, ...options });
  return { till, round: () => roundOf(till, authority) };
}

async function roundOf(till: Till, authority: AuditingAuthority): Promise<void> {
  const { asked } = authority;
  void till.service.talkToAuthority();
  await until(() => expect(authority.asked).toBeGreaterThan(asked));
}

const SALE = sale({ items: [{ name: "Tea", quantity: 1, labels: ["A"], unitPrice: 100, totalAmount: 100 }] });

async function sells(till: Till, times: number): Promise<void> {
  for (let i = 0; i < times; i++) expect((await till.sell(SALE)).status).toBe(200);
}

/** A till whose card has asked for a proof of audit, which the authority holds back. */
async function requested(options: TillOptions = {}) {
  const authority = new AuditingAuthority();
  authority.holds = true;
  const { till, round } = await opened(authority, options);
  await sells(till, 3);
  await round();
  await until(() => expect(authority.requests).toHaveLength(1));
  return { authority, till, round };
}

it("the service finds the right proof after a wrong one", async () => {
  const { authority, till, round } = await requested();
  authority.wrongProofs = 1;
  authority.prove();
  authority.prove();
  await round();
  await until(() => expect(authority.reports.map(([, success]) => success)).toEqual([false, true]));
  expect(till.cardState().sum).toBe(0n);
});

it.each([
  ["a directive without a byte", COMMAND_TYPE.directive, '""'],
  ["a directive of 70,000 bytes", COMMAND_TYPE.directive, Buffer.alloc(70_000).toString("base64")],
  ["a proof of 255 bytes", COMMAND_TYPE.proofOfAudit, Buffer.alloc(255).toString("base64")],
  ["a proof of 70,000 bytes", COMMAND_TYPE.proofOfAudit, Buffer.alloc(70_000).toString("base64")],
])("the service reports %s as failed and goes on selling", async (_case, type, payload) => {
  const { authority, till, round } = await requested();
  authority.command(type, payload, { uid: UID, commandId: "odd" });
  await round();
  await until(() => expect(authority.reports).toEqual([["odd", false]]));
  expect(till.cardState().sum).toBe(3_000_000n);
  await sells(till, 1);
});

it("the service asks for a proof again when the clock was set back since the first request", async () => {
  const time = { now: Date.UTC(2026, 5, 1) };
  const { authority, round } = await requested({ now: () => time.now });
  time.now -= 2 * DAY_MS;
  await round();
  await until(() => expect(authority.requests).toHaveLength(2));
});
