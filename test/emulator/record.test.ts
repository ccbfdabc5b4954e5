/** A recorded session is a scenario that passes when replayed and holds no typed PIN. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { pino } from "pino";
import { expect, it } from "vitest";
import { parse, stringify } from "yaml";
import type { WorldStep } from "../../emulator/world/step-types.js";
import { World } from "../../emulator/world/world.js";
import { ControlServer } from "../../harness/control/control-server.js";
import { recordWorld } from "../../harness/control/serve-emulator.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { ENDPOINTS } from "../../src/http/endpoints.js";
import { serve, serveProcess, tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { untilEndMeansGivingUp } from "../support/raw.js";
import { scenarioIn, whyFailing } from "../support/scenario-file.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

const CONTROL = /http:\S+(?=\/control drives)/;

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  return fetch(url, { method: "POST", headers: { ...JSON_HEADERS, ...headers }, body: text });
}

it("tillseal serve --record writes a scenario that passes, with removals of the card and without typed PINs", async () => {
  const file = join(temporaryFolder(), "session.yaml");
  const { url, greeting, stop } = await serve(["--control-port", "0", "--record", file]);
  const [api, control] = [`${url}/api/v3`, `${CONTROL.exec(greeting)?.[0]}/control`];
  await post(`${api}/pin`, '{"pin": "7531"}');
  // A PIN in a path, where it does not belong.
  await post(`${api}/pin/7531`, "");
  await post(`${api}/invoices`, '{"PIN": "7531"}');
  await post(`${api}/pins?a=b&pin=7531`, "pin=7531");
  await fetch(`${api}/status?pin=7531`);
  await callService(url, "POST", "/api/v3/pin#7531", { body: '{"pin": 7531}' });
  await post(`${api}/pin%2F7531`, "{'pin': '7531'}");
  await post(`${api}/invoices`, "7531", { RequestId: "c" });
  await post(`${api}/pin7531`, '{"pin": [7531]}', { "X-Pin": "7531", RequestId: "7531" });
  await post(`${api}/pin`, "1234", { "Content-Type": "text/plain" });
  const sold = (await (await post(`${api}/invoices`, sale(), { RequestId: "a" })).json()) as {
    invoiceNumber: string;
  };
  await post(`${api}/invoices`, sale(), { RequestId: "a" });
  const refund = { transactionType: "Refund", referentDocumentNumber: sold.invoiceNumber };
  await post(`${api}/invoices`, { ...sale(), ...refund });
  await post(`${control}/do`, { faults: [{ on: "sign", nth: 1, kind: "removedAfter" }] });
  await post(`${api}/invoices`, sale(), { RequestId: "b" });
  await post(`${control}/do`, { card: "insert" });
  await post(`${api}/pin`, "1234", { "Content-Type": "text/plain" });
  await post(`${api}/invoices`, sale(), { RequestId: "b" });
  await fetch(`${api}/status`);
  await post(`${api}/invoices`, '{"invoiceType": 10.123456789012345678901}');
  // Under any name, in any form, while the sale stays the same.
  const strayed = {
    pinCode: 7531,
    "7531": 1,
    a: ["7531", 7531.0],
    cashier: "2468",
    dateAndTimeOfIssue: "2026-01-31T12:00:00Z",
  };
  const stray = JSON.stringify({ ...sale(), ...strayed }).replace('"7531"]', '"\\u0037531"]');
  expect((await post(`${api}/invoices`, stray, { "X-Code": "7531", RequestId: "1357" })).status).toBe(200);
  expect((await fetch(`${api}/invoices/1357`)).status).toBe(200);
  await post(`${api}/invoices`, gzipSync('{"code":"7531"}'), { "Content-Encoding": "gzip" });
  await post(`${api}/invoices`, "<pin>&#55;531</pin>");
  await fetch(`${api}/%37531`);
  // Larger than the service accepts, deeper than scenarios allow, and refused by the guard.
  expect((await post(`${api}/invoices`, JSON.stringify({ note: "x".repeat(1_200_000) }))).status).toBe(400);
  await post(`${api}/invoices`, `{"a":${"[".repeat(700)}7531${"]".repeat(700)}}`);
  await callService(url, "GET", "/api/v3/status", { headers: { Origin: "https://evil.test" } });
  await fetch(`${api}/status`);
  const traffic = await (await fetch(`${control}/traffic`)).text();
  expect(await stop()).toBe(0);
  const recorded = readFileSync(file, "utf8");
  expect(recorded).not.toMatch(/7531|37353331|%37|u0037|&#55/);
  expect(recorded).toContain('cashier: "2468"');
  expect(recorded).toContain("/api/v3/invoices/1357");
  expect(recorded).not.toContain("evil.test");
  // Signatures may have any digits.
  const requests = (
    JSON.parse(traffic) as { path: string; headers: object; body: string; apdus: { command: string }[] }[]
  ).map(({ path, headers, body, apdus }) => [path, headers, body, apdus.map(({ command }) => command.slice(0, 18))]);
  expect(JSON.stringify(requests)).not.toMatch(/7531|07050301/);
  expect(traffic).toContain("evil.test");
  expect(recorded).toContain("10.123456789012345678901");
  expect(recorded).toContain(`referentDocumentNumber: \${invoice1}`);
  expect(recorded).toContain("card: insert");
  // Easy to read: no anchors, and the journal line by line.
  expect(recorded).not.toMatch(/(^|[ -])[&*]\w+( |$)/m);
  expect(recorded).toMatch(/journal:\n +\$lines:\n +- ={12} .* ={12}\n/);
  expect(recorded).not.toContain("$match");
  expect(await tillseal(["scenario", "run", file])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("1 passed"),
  });
});

it("tillseal serve --record writes a scenario of every endpoint that passes on other ports and on another day", async () => {
  const file = join(temporaryFolder(), "session.yaml");
  const { url, stop } = await serve(["--control-port", "0", "--record", file]);
  const api = `${url}/api/v3`;
  await post(`${api}/pin`, "1234");
  expect((await post(`${api}/invoices`, sale(), { RequestId: "a" })).status).toBe(200);
  for (const { method, path } of ENDPOINTS.filter(({ name }) => name !== "pin" && name !== "invoices")) {
    const address = api + path.replace(":requestId", "a");
    const answer = method === "GET" ? await fetch(address) : await post(address, {});
    expect([path, answer.status]).toEqual([path, 200]);
  }
  expect(await stop()).toBe(0);
  const recorded = parse(readFileSync(file, "utf8")) as { given: object; steps: unknown[] };
  expect(recorded.steps).toHaveLength(ENDPOINTS.length);
  writeFileSync(file, stringify({ ...recorded, given: { ...recorded.given, clock: { at: "2026-03-05T09:08:07Z" } } }));
  expect(await tillseal(["scenario", "run", file])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("1 passed"),
  });
});

it("tillseal serve --record leaves no file that cannot be played if nothing was recorded", async () => {
  const file = join(temporaryFolder(), "session.yaml");
  const { stop } = await serve(["--control-port", "0", "--record", file]);
  expect(await stop()).toBe(0);
  expect(existsSync(file)).toBe(false);
});

it("tillseal serve --record sells on when the file becomes unwritable, and says so once", async () => {
  const folder = join(temporaryFolder(), "gone");
  mkdirSync(folder);
  const flags = ["--control-port", "0", "--record", join(folder, "session.yaml")];
  const { url, process: service } = await serveProcess(flags);
  let log = "";
  service.stderr?.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  rmSync(folder, { recursive: true });
  await post(`${url}/api/v3/pin`, "1234");
  const sold = await post(`${url}/api/v3/test-invoice`, {});
  expect(sold.status).toBe(200);
  expect(log.match(/recording has stopped: ENOENT/g)).toHaveLength(1);
});

type Act = readonly [method: string, path: string, body: unknown];

const pin = (text: string): Act => ["POST", "/api/v3/pin", text];
const sell = (fields: object): Act => ["POST", "/api/v3/invoices", { ...sale(), ...fields }];
const step = (body: WorldStep): Act => ["POST", "/control/do", body];

const ACTS: readonly Act[] = [
  pin("1234"),
  pin("4321"),
  ["POST", "/api/v3/pin", '"1234"'],
  sell({}),
  sell({ transactionType: "Refund", referentDocumentNumber: "TESTCARD-TESTCARD-1" }),
  sell({ invoiceType: "Advance", buyerId: "10:123", dateAndTimeOfIssue: "2026-01-31T12:00:00Z" }),
  sell({ items: [] }),
  sell({ pinCode: 7531, "7531": ["7531", 7531.5], cashier: "1234" }),
  ["GET", "/api/v3/status", undefined],
  ["GET", "/api/v3/environment-parameters", undefined],
  ["POST", "/api/v3/test-invoice", "{"],
  step({ card: "remove" }),
  step({ card: "insert" }),
  step({ card: { swap: "other" } }),
  step({ card: "reset" }),
  step({ card: { patch: { limit: "300" } } }),
  step({ card: { patch: { locked: true } } }),
  step({ card: { patch: { locked: false } } }),
  step({ authority: "audit" }),
  step({ authority: "disable" }),
  step({ card: "unplug" }),
  step({ card: "plug" }),
  step({ clock: { advance: "1d", ticking: false } }),
  step({ faults: [{ on: "sign", nth: 2, kind: "statusWord", statusWord: "6305" }] }),
  step({ faults: [{ on: "answer", nth: 1, kind: "connectionDropped" }] }),
  step({ faults: "clear" }),
  step({ service: "kill" }),
  ["POST", "/control/reset", {}],
];

it("a recording passes whatever was done in the session", async () => {
  const acts = fc.array(fc.constantFrom(...ACTS), { minLength: 5, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(acts, async (chosen) => {
      const file = await recorded([pin("1234"), sell({}), ...chosen, ["GET", "/api/v3/status", undefined]]);
      expect(await whyFailing(file)).toBeUndefined();
    }),
    { numRuns: 15 },
  );
});

it("a session in which a POS gave up on a late answer passes, and its answer is lost again", async () => {
  const file = join(temporaryFolder(), "session.yaml");
  const faults = [{ on: "answer", nth: 1, kind: "latency", duration: "1h" }] as const;
  const world = await World.open({ card: { pinVerified: true }, faults }, { realTime: true });
  recordWorld(world, file, (reason) => expect.fail(reason));
  const impatience = new AbortController();
  const url = `${world.url}/api/v3/invoices`;
  const headers = { ...JSON_HEADERS, RequestId: "order-1" };
  const answer = fetch(url, { method: "POST", headers, body: JSON.stringify(sale()), signal: impatience.signal });
  await expect.poll(() => world.faults.list[0]?.struck).toBe(1);
  await untilEndMeansGivingUp();
  impatience.abort();
  await expect(answer).rejects.toThrow();
  await expect.poll(() => world.traffic.entries[0]?.answer).not.toBe("");
  expect((await post(url, sale(), { RequestId: "order-1" })).headers.get("idempotent-replayed")).toBe("true");
  await world.close();
  const answers = scenarioIn(file).steps.map((step) => ("request" in step ? step.answer : undefined));
  expect(answers).toMatchObject([undefined, { dropped: true }, { status: 200 }]);
  expect(await whyFailing(file)).toBeUndefined();
});

it("a session in which settings change continues in another file, and each file passes, including the one in memory", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "day.yaml");
  const world = await World.open();
  recordWorld(world, file, (reason) => expect.fail(reason));
  const address = { port: 0, host: "127.0.0.1", allowedHosts: [], allowedOrigins: [] };
  const server = await ControlServer.open(world, { ...address, log: pino({ level: "silent" }) });
  const sellOne = async () => {
    await callService(world.url, "POST", "/api/v3/pin", { headers: JSON_HEADERS, body: '"1234"' });
    await callService(world.url, "POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: sale() });
  };
  await sellOne();
  await world.change({ languages: ["sr-Latn-RS"], journalHeader: "centred" }, { host: "127.0.0.1" });
  await sellOne();
  const { scenario } = (await (await fetch(`${server.url}/control/recording`)).json()) as { scenario: string };
  writeFileSync(join(folder, "memory.yaml"), scenario);
  await server.close();
  await world.close();
  for (const name of ["day.yaml", "day-2.yaml", "memory.yaml"]) {
    expect(scenarioIn(join(folder, name)).steps.length, name).toBe(2);
    expect(await whyFailing(join(folder, name))).toBeUndefined();
  }
  expect(scenario).toContain("FISKALNI RAČUN");
});

it("a session in which settings change survives the removal of its environment file", async () => {
  const environment = join(temporaryFolder(), "rates.yaml");
  copyFileSync(join(PACKAGE_ROOT, "fixtures", "environments", "specification.yaml"), environment);
  const { url, greeting } = await serve(["--control-port", "0", "--environment", environment]);
  rmSync(environment);
  // More than a recording in memory holds: it starts again.
  for (let i = 0; i < 1010; i++) await fetch(`${url}/api/v3/attention`);
  const recording = await fetch(`${CONTROL.exec(greeting)?.[0]}/control/recording`);
  expect(((await recording.json()) as { scenario: string }).scenario).toContain("organizationName");
});

/** The file that a session leaves behind. */
async function recorded(acts: readonly Act[]): Promise<string> {
  const file = join(temporaryFolder(), "session.yaml");
  const world = await World.open({ otherCards: { other: { uid: "OTHERONE" } } });
  recordWorld(world, file, (reason) => expect.fail(reason));
  const address = { port: 0, host: "127.0.0.1", allowedHosts: [], allowedOrigins: [] };
  const server = await ControlServer.open(world, { ...address, log: pino({ level: "silent" }) });
  for (const [method, path, body] of acts) {
    const base = path.startsWith("/control") ? server.url : world.url;
    const options = body === undefined ? {} : { headers: JSON_HEADERS, body: body as string | object };
    // A connection that breaks is what a fault asked for.
    await callService(base, method, path, options).catch(() => undefined);
  }
  await server.close();
  await world.close();
  return file;
}
