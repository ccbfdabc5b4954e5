/** docker/compose.yaml: the emulator, the scenarios as in CI, and a shop's setup without hardware. */
import { execFile, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { callAuthority } from "../support/authority-client.js";
import { answering, ready } from "../support/container.js";
import { freePort } from "../support/free-port.js";
import { JSON_HEADERS, sale } from "../support/till.js";

const run = promisify(execFile);
const FILE = join(PACKAGE_ROOT, "docker", "compose.yaml");
const SHOP_SERVICES = ["pcscd", "published-card", "authority", "client-certificate", "shop"];
const PROFILES = ["--profile", "ci", "--profile", "pcsc", "--profile", "pos"];

const hasPlugin = spawnSync("docker", ["compose", "version"]).status === 0;
const [command, ...first] = hasPlugin ? ["docker", "compose"] : ["docker-compose"];

/** Variables of compose.yaml. */
let ports: Record<string, string>;
beforeAll(async () => {
  const names = [
    "TILLSEAL_PUBLISHED_PORT",
    "TILLSEAL_PUBLISHED_CONTROL_PORT",
    "TILLSEAL_PUBLISHED_SHOP_PORT",
    "TILLSEAL_PUBLISHED_CARD_CONTROL_PORT",
    "TILLSEAL_PUBLISHED_AUTHORITY_PORT",
  ];
  const free = await Promise.all(names.map(async (name) => [name, String(await freePort())] as const));
  ports = Object.fromEntries(free);
});

const url = (name: string) => `http://127.0.0.1:${ports[name]}`;

async function compose(...args: string[]): Promise<string> {
  const options = { env: { ...process.env, ...ports }, maxBuffer: 64 * 1024 * 1024 };
  return (await run(command ?? "", [...first, "-p", "tillseal-test", "-f", FILE, ...args], options)).stdout;
}

const remove = () => compose(...PROFILES, "down", "-v", "--remove-orphans");

function afterwards(): void {
  onTestFinished(async () => void (await remove()));
}

/** What docker-compose 1.29 says when it loses a container that it attaches to. Its successors have no such fault. */
const LOST = "'NoneType' object has no attribute 'log_stream'";

/** `up` in the foreground, once more after that fault of docker-compose. */
async function upAttached(...args: string[]): Promise<void> {
  try {
    await compose(...args);
  } catch (error) {
    if (!(error instanceof Error && error.message.includes(LOST))) throw error;
    await remove();
    await compose(...args);
  }
}

it("docker compose up starts the emulator, which sells and can be controlled", async () => {
  afterwards();
  await compose("up", "-d", "--no-build");
  const service = url("TILLSEAL_PUBLISHED_PORT");
  await answering(`${service}/api/v3/attention`, () => compose("logs"));
  await ready(() => compose("logs", "emulator"));
  expect(await (await fetch(`${service}/api/v3/pin`, { method: "POST", body: "1234" })).text()).toBe("0100");
  expect((await fetch(`${service}/api/v3/test-invoice`, { method: "POST" })).status).toBe(200);
  const card = await fetch(`${url("TILLSEAL_PUBLISHED_CONTROL_PORT")}/control/card`);
  expect(await card.json()).toMatchObject({ counters: { total: 1, TS: 1 } });
});

it("docker compose up with the profile ci plays a part of the scenarios and leaves a JUnit report and an exit status", async () => {
  afterwards();
  const report = join(PACKAGE_ROOT, "docker", "reports", "scenarios.xml");
  rmSync(report, { force: true });
  // test/emulator/scenario.test.ts plays all.
  ports.SHARD = "1/20";
  await upAttached("--profile", "ci", "up", "--no-build", "--exit-code-from", "scenarios", "scenarios");
  const xml = readFileSync(report, "utf8");
  expect((xml.match(/<testcase /g) ?? []).length).toBeGreaterThan(5);
  expect(xml).not.toMatch(/<failure/);
  // Files that say what a POS must send are not for this command, and the online service answers inside its container only.
  const played = xml.replaceAll(/<testsuite name="(pos|online)\/.*?<\/testsuite>/gs, "");
  expect(played).not.toMatch(/<skipped/);
});

/** A POS and its tests in one. */
const POS = `
const call = (path, init) => fetch(process.env.TILLSEAL_URL + "/api/v3" + path, init);
await call("/status");
await call("/pin", { method: "POST", headers: { "Content-Type": "text/plain" }, body: "1234" });
const answer = await call("/invoices", { method: "POST", headers: ${JSON.stringify(JSON_HEADERS)}, body: JSON.stringify(${JSON.stringify(sale())}) });
process.exit(answer.status === 200 ? 0 : 1);
`;

it("docker compose with the profile pos runs a POS's tests in their container, and then judges what they sent", async () => {
  afterwards();
  const folder = mkdtempSync(join(tmpdir(), "tillseal-pos-"));
  writeFileSync(join(folder, "pos.mjs"), POS, { mode: 0o644 });
  chmodSync(folder, 0o755);
  Object.assign(ports, { POS_IMAGE: "tillseal:emulator", POS_FOLDER: folder, POS_TESTS: "node pos.mjs" });
  // docker-compose 1.29 with podman cannot wait for a health check, so each service is started by itself.
  await compose("up", "-d", "--no-build", "emulator");
  await answering(`${url("TILLSEAL_PUBLISHED_PORT")}/api/v3/attention`, () => compose("logs"));
  const rehearse = () => compose("--profile", "pos", "run", "--rm", "--no-deps", "rehearse");
  await expect(rehearse()).rejects.toMatchObject({ code: 3 });
  await compose("--profile", "pos", "run", "--rm", "--no-deps", "pos");
  expect(await rehearse()).toMatch(/^passed +COND-LOCAL/m);
  ports.REHEARSE_FLAGS = "--require OPS-008";
  await expect(rehearse()).rejects.toMatchObject({ code: 1 });
});

it("docker compose up with the profile pcsc sells through pcscd with the shop's image, and continues after a restart; the authority audits the card at its limit", async () => {
  const { up, pin, pinAnswer, sell, card, gsc } = shopWithCard();
  await up();
  await pin();
  expect(await sell()).toEqual([200, expect.objectContaining({ signedBy: "TESTCARD", totalCounter: 1 })]);
  await compose(...PROFILES, "down");
  await up();
  const server = {
    url: `https://localhost:${ports.TILLSEAL_PUBLISHED_AUTHORITY_PORT}`,
    caCertificate: await compose("exec", "-T", "authority", "cat", "/data/ca.crt.pem"),
  };
  await card({ limit: "400" });
  await callAuthority(server, "PATCH", "/admin/faults", { body: { down: true } });
  await pin();
  for (const totalCounter of [2, 3, 4])
    expect(await sell()).toEqual([200, expect.objectContaining({ signedBy: "TESTCARD", totalCounter })]);
  expect(await sell()).toEqual([400, expect.objectContaining({ code: "2210" })]);
  await callAuthority(server, "DELETE", "/admin/faults");
  // The service may not know yet that the authority answers again; each attempt makes it ask.
  const now = () =>
    compose("exec", "-T", "shop", "tillseal", "audit", "now").then(
      () => true,
      () => false,
    );
  await expect.poll(now, { timeout: 30_000 }).toBe(true);
  await expect.poll(gsc, { timeout: 30_000 }).toEqual(["0100", "0210"]);
  expect(await sell()).toEqual([200, expect.objectContaining({ totalCounter: 5 })]);
  const audited = await callAuthority(server, "GET", "/admin/cards/TESTCARD");
  // The service may have audited first; then the command starts another audit.
  const proof = expect.objectContaining({ sum: "400", accepted: true });
  expect(audited.json()).toMatchObject({ gaps: [], proofs: expect.arrayContaining([proof]) });
  await card({ locked: true });
  // The change of the lock pulls the card out and puts it in again.
  await expect.poll(pinAnswer, { timeout: 30_000 }).toBe("2110");
});

/** The profile pcsc, from outside. */
function shopWithCard() {
  afterwards();
  const shop = `${url("TILLSEAL_PUBLISHED_SHOP_PORT")}/api/v3`;
  const gsc = async () => ((await (await fetch(`${shop}/status`)).json()) as { gsc: string[] }).gsc;
  const pinAnswer = async () => (await fetch(`${shop}/pin`, { method: "POST", body: "1234" })).text();
  return {
    gsc,
    up: async () => {
      await compose("--profile", "pcsc", "up", "-d", "--no-build", ...SHOP_SERVICES);
      await answering(`${shop}/attention`, () => compose("--profile", "pcsc", "logs"));
      await expect.poll(gsc, { timeout: 30_000 }).toEqual(["1500", "0210"]);
    },
    pinAnswer,
    pin: async () => expect(await pinAnswer()).toBe("0100"),
    sell: async () => {
      const body = JSON.stringify(sale());
      const sold = await fetch(`${shop}/invoices`, { method: "POST", headers: JSON_HEADERS, body });
      return [sold.status, await sold.json()];
    },
    card: async (change: object) => {
      const control = `${url("TILLSEAL_PUBLISHED_CARD_CONTROL_PORT")}/control/do`;
      await fetch(control, { method: "POST", body: JSON.stringify({ card: { patch: change } }) });
    },
  };
}
