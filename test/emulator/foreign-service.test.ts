/** A service that has not proved to be an emulator may have a real card: scenarios must not lock it or sell with it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Row } from "../../harness/scenario/row.js";
import { runScenarioFiles } from "../../harness/scenario/run-files.js";
import { createEmulator } from "../../harness/testkit.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { listen, urlOf } from "../../src/http/listen.js";
import { tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";

const SHIPPED = join(PACKAGE_ROOT, "scenarios");
const CARD_PIN = "9876";
const TRIES = 5;

interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Another maker's service with a real card: it records requests and counts PIN attempts as its card does. */
async function foreignService() {
  const arrived: Arrived[] = [];
  const card = { triesLeft: TRIES };
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const body = Buffer.concat(await request.toArray()).toString("utf8");
    arrived.push({ method, url, headers, body });
    response.setHeader("Content-Type", "application/json");
    if (method === "POST" && /pin/i.test(url)) {
      const right = body.includes(CARD_PIN) && card.triesLeft > 0;
      card.triesLeft = right ? TRIES : Math.max(card.triesLeft - 1, 0);
      response.end(JSON.stringify(right ? "0100" : card.triesLeft === 0 ? "2110" : "2100"));
    } else response.end(JSON.stringify({ said: "0000" }));
  });
  await listen(server, { port: 0, host: "127.0.0.1" });
  onTestFinished(() => void server.close());
  const posts = () => arrived.filter(({ method }) => method !== "GET");
  return { url: urlOf(server) ?? "", arrived, posts, card };
}

/** A folder of files, each with a scenario of these steps. */
function folderOf(scenarios: Readonly<Record<string, string>>): string {
  const folder = join(temporaryFolder(), "scenarios");
  mkdirSync(folder);
  for (const [name, steps] of Object.entries(scenarios)) {
    writeFileSync(join(folder, `${name}.yaml`), `name: ${name}\nsteps: [${steps}]\n`);
  }
  return folder;
}

const allowances = { riskLockingTheCard: false, issueRealReceipts: false };

async function play(path: string, baseUrl: string, allowed: Partial<typeof allowances> & { pin?: string } = {}) {
  let report = "";
  const results = await runScenarioFiles({
    paths: [path],
    allowEmpty: true,
    reporter: "json",
    remote: { baseUrl, allowed: { ...allowances, ...allowed } },
    write: (text) => {
      report += text;
    },
  });
  const { rows } = JSON.parse(report) as { rows: Row[] };
  return { failed: results.some(({ outcome }) => outcome === "failed"), rows, report };
}

const STATUS = "{ request: { method: GET, path: /api/v3/status } }";
const pinStep = (body: string) => `{ request: { path: /api/v3/pin, text: '${body}' } }`;

it("a service that has not proved to be an emulator gets no PIN and no invoice from the shipped scenarios", async () => {
  const { url, arrived, posts, card } = await foreignService();
  const { rows } = await play(SHIPPED, url);
  expect(posts()).toEqual([]);
  expect(card.triesLeft).toBe(TRIES);
  // Harmless scenarios are played.
  expect(arrived.map(({ url: path }) => path)).toContain("/api/v3/nothing");
  const reasons = rows.flatMap(({ why }) => why.reason ?? []);
  expect(reasons.length).toBeGreaterThan(50);
  expect(reasons.filter((reason) => /--pin/.test(reason)).length).toBeGreaterThan(0);
});

it.each([
  ["a wrong PIN", pinStep("0000")],
  ["half a PIN", pinStep('{"pin":')],
  ["a PIN and another", pinStep('{"pin":"1234","old":"0000"}')],
  ["a PIN among steps at the same time", `{ parallel: [${STATUS}, ${pinStep("0000")}] }`],
  ["a PIN in bytes", "{ request: { path: /api/v3/pin, bytes: '30303030' } }"],
  ["a PIN in a path in capitals", "{ request: { path: /API/V3/PIN/, text: '0000' } }"],
  ["a PIN in an address", "{ request: { method: GET, path: '/api/v3/status?code=0000' } }"],
  ["a PIN in an escaped address", "{ request: { method: GET, path: '/api/v3/status?code=%30%30%30%30' } }"],
  ["a PIN in a header", "{ request: { method: GET, path: /api/v3/status, headers: { X-Code: '0000' } } }"],
  [
    "a PIN for a header of another endpoint",
    "{ request: { invoice: { invoiceType: Training }, headers: { X-Code: '0000' } } }",
  ],
  ["a PIN in the body of a GET", "{ request: { method: GET, path: /api/v3/status, text: '0000' } }"],
  ["a PIN elsewhere", "{ request: { path: /api/v3/verify, json: { code: 0 } } }"],
  ["a PIN in an escaped path", "{ request: { path: '/api/v3/%70in', text: '0000' } }"],
  ["a PIN in an invoice", "{ request: { invoice: { invoiceType: Training, Pin: '0000' } } }"],
  ["a sale", "{ request: { invoice: {} } }"],
  ["an invoice without a type", "{ request: { path: /api/v3/invoices, json: { items: [] } } }"],
  ["an invoice of two types", "{ request: { invoice: { invoiceType: Training, INVOICETYPE: Normal } } }"],
  ["an invoice of two types in text", `{ request: { text: '{"invoiceType":"Training","invoiceType":"Normal"}' } }`],
  ["an invoice whose type is a number", "{ request: { invoice: { invoiceType: 0 } } }"],
  ["an invoice that is not JSON", "{ request: { text: 'invoiceType=Training' } }"],
  ["a list of invoices", "{ request: { json: [{ invoiceType: Training }] } }"],
  ["a sale with a query", "{ request: { path: '/api/v3/invoices?type=Training', json: { invoiceType: Training } } }"],
  ["a test invoice", "{ request: { path: /api/v3/test-invoice } }"],
  ["another method", "{ request: { method: DELETE, path: /api/v3/invoices } }"],
])("a service that has not proved to be an emulator does not get %s, or any step before it", async (_, step) => {
  const { url, arrived } = await foreignService();
  const { rows } = await play(folderOf({ hidden: `${STATUS}, ${step}` }), url);
  expect(rows).toMatchObject([
    { outcome: "not applicable", why: { reason: expect.stringMatching(/^step 2, line 2: .*--/) } },
  ]);
  expect(arrived).toEqual([]);
});

it("a service that has not proved to be an emulator gets nothing from a scenario whose later steps need control of the card", async () => {
  const { url, arrived } = await foreignService();
  const { rows } = await play(folderOf({ later: `${STATUS}, { card: remove }` }), url);
  expect(rows).toMatchObject([{ outcome: "not applicable", why: { reason: expect.stringContaining("step 2") } }]);
  expect(arrived).toEqual([]);
});

it("a service that has not proved to be an emulator gets no PIN that its own answers supplied", async () => {
  const { url, arrived } = await foreignService();
  const ask = "{ request: { method: GET, path: /api/v3/key }, answer: { capture: { key: said } } }";
  const steps = `${ask}, { request: { method: GET, path: '/api/v3/\${key}' } }`;
  const { rows } = await play(folderOf({ echo: steps, pin: `${ask}, ${pinStep(`\${key}`)}` }), url);
  expect(rows).toMatchObject([{ outcome: "not applicable" }, { outcome: "not applicable" }]);
  expect(arrived.map(({ url: path }) => path)).toEqual(["/api/v3/key"]);
});

it("a service that has not proved to be an emulator gets Training invoices, and others only when real receipts are allowed", async () => {
  const { url, posts } = await foreignService();
  const folder = folderOf({
    sale: "{ request: { invoice: {} } }",
    test: "{ request: { path: /api/v3/test-invoice } }",
    training: "{ request: { invoice: { invoiceType: Training } } }",
  });
  const types = () =>
    posts().map(({ url: path, body }) => /"invoiceType":"(\w+)/.exec(body)?.[1] ?? path.replace("/api/v3/", ""));
  await play(folder, url);
  await play(folder, url, { riskLockingTheCard: true, pin: CARD_PIN });
  expect(types()).toEqual(["Training", "Training"]);
  await play(folder, url, { issueRealReceipts: true });
  expect(types().slice(2)).toEqual(["Normal", "test-invoice", "Training"]);
});

const right = Object.fromEntries(["1234", '"1234"', '{"pin":"1234"}'].map((body, i) => [`right-${i}`, pinStep(body)]));

it("a service that has not proved to be an emulator gets the PIN of --pin when a scenario sends the emulated card's, and no other PIN", async () => {
  const { url, posts, card } = await foreignService();
  const { report } = await play(folderOf({ ...right, wrong: pinStep("0000") }), url, { pin: CARD_PIN });
  expect(posts().map(({ body }) => body)).toEqual([CARD_PIN, `"${CARD_PIN}"`, `{"pin":"${CARD_PIN}"}`]);
  expect(card.triesLeft).toBe(TRIES);
  expect(report).not.toContain(CARD_PIN);
});

it("a service that has not proved to be an emulator loses only one attempt to a wrong --pin", async () => {
  const { url, card } = await foreignService();
  const again = `{ parallel: [${pinStep("1234")}, ${pinStep("1234")}] }`;
  const { failed } = await play(folderOf({ again, ...right }), url, { pin: "1111" });
  expect([failed, card.triesLeft]).toEqual([true, TRIES - 1]);
});

it("a service that has not proved to be an emulator gets wrong PINs only when locking the card is allowed, and unknown requests only when both risks are allowed", async () => {
  const { url, posts, card } = await foreignService();
  const folder = folderOf({ elsewhere: "{ request: { path: /api/v3/verify, text: '0000' } }", pin: pinStep("0000") });
  await play(folder, url, { issueRealReceipts: true });
  expect(posts()).toEqual([]);
  await play(folder, url, { riskLockingTheCard: true });
  expect(card.triesLeft).toBe(TRIES - 1);
  await play(folder, url, { riskLockingTheCard: true, issueRealReceipts: true });
  expect(posts().map(({ url: path }) => path)).toEqual(["/api/v3/pin", "/api/v3/verify", "/api/v3/pin"]);
});

it("tillseal scenario run refuses to run when --control-url and --base-url are different emulators, and changes neither", async () => {
  const { url, arrived } = await foreignService();
  const emulators = await Promise.all([createEmulator(), createEmulator()]);
  onTestFinished(() => void Promise.all(emulators.map((emulator) => emulator.close())));
  const [one, other] = emulators;
  await fetch(`${one.url}/api/v3/pin`, { method: "POST", body: one.card.pin });
  const before = [one.card.state, other.card.state];
  for (const baseUrl of [url, other.url]) {
    const against = ["--base-url", baseUrl, "--control-url", one.controlUrl];
    const { status, stdout, stderr } = await tillseal(["scenario", "run", SHIPPED, ...against]);
    expect(stderr).toContain(`${baseUrl} is not the emulator that --control-url drives`);
    expect([status > 0, stdout]).toEqual([true, ""]);
  }
  expect(arrived.map(({ method, url: path }) => [method, path])).toEqual([["GET", "/api/v3/status"]]);
  expect([one.card.state, other.card.state]).toEqual(before);
});

it("tillseal scenario run accepts risky flags only for a service that is not an emulator", async () => {
  const { url, posts } = await foreignService();
  const folder = folderOf({ pin: pinStep("1234"), wrong: pinStep("0000"), sale: "{ request: { invoice: {} } }" });
  const risks = ["--pin", CARD_PIN, "--risk-locking-the-card", "--issue-real-receipts"];
  await tillseal(["scenario", "run", folder, "--base-url", url, ...risks]);
  expect(posts().map(({ url: path }) => path)).toEqual(["/api/v3/pin", "/api/v3/invoices", "/api/v3/pin"]);
  for (const flags of [
    ["--pin", "1234"],
    ["--base-url", url, "--control-url", url, "--issue-real-receipts"],
  ]) {
    expect((await tillseal(["scenario", "run", folder, ...flags])).stderr).toContain("that has no --control-url");
  }
  const malformed = await tillseal(["scenario", "run", folder, "--base-url", url, "--pin", "12345"]);
  expect(malformed.stderr).toContain("--pin expects 4 digits");
  expect(malformed.stderr).not.toContain("12345");
});
