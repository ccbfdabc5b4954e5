/** docker/compose.yaml: the emulator, the scenarios as a CI runs them, and the path of a shop without hardware. */
import { execFile, spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { PACKAGE_ROOT } from "../../src/package-root.js";
import { answering, ready } from "../support/container.js";
import { freePort } from "../support/free-port.js";
import { JSON_HEADERS, sale } from "../support/till.js";

const run = promisify(execFile);
const FILE = join(PACKAGE_ROOT, "docker", "compose.yaml");
const PROFILES = ["--profile", "ci", "--profile", "pcsc"];

const hasPlugin = spawnSync("docker", ["compose", "version"]).status === 0;
const [command, ...first] = hasPlugin ? ["docker", "compose"] : ["docker-compose"];

let ports: Record<string, string>;
beforeAll(async () => {
  const names = [
    ...["TILLSEAL_PUBLISHED_PORT", "TILLSEAL_PUBLISHED_CONTROL_PORT", "TILLSEAL_PUBLISHED_SHOP_PORT"],
    "TILLSEAL_PUBLISHED_CARD_CONTROL_PORT",
  ];
  const free = await Promise.all(names.map(async (name) => [name, String(await freePort())] as const));
  ports = Object.fromEntries(free);
});

const url = (name: string) => `http://127.0.0.1:${ports[name]}`;

async function compose(...args: string[]): Promise<string> {
  const options = { env: { ...process.env, ...ports }, maxBuffer: 64 * 1024 * 1024 };
  return (await run(command ?? "", [...first, "-p", "tillseal-test", "-f", FILE, ...args], options)).stdout;
}

/** Takes everything down again, volumes and all. */
function afterwards(): void {
  onTestFinished(async () => void (await compose(...PROFILES, "down", "-v", "--remove-orphans")));
}

describe("docker compose up", () => {
  it("starts the emulator, which sells and is driven", async () => {
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

  it("with the profile ci plays the scenarios against it, and leaves a JUnit report and an exit status", async () => {
    afterwards();
    const report = join(PACKAGE_ROOT, "docker", "reports", "scenarios.xml");
    rmSync(report, { force: true });
    await compose("--profile", "ci", "up", "--no-build", "--exit-code-from", "scenarios", "scenarios");
    const xml = readFileSync(report, "utf8");
    expect((xml.match(/<testcase /g) ?? []).length).toBeGreaterThan(120);
    expect(xml).not.toMatch(/<failure|<skipped/);
  });

  it("with the profile pcsc sells through pcscd with the image of a shop, and goes on where it was", async () => {
    afterwards();
    const services = ["pcscd", "published-card", "shop"];
    const shop = `${url("TILLSEAL_PUBLISHED_SHOP_PORT")}/api/v3`;
    const gsc = async () => ((await (await fetch(`${shop}/status`)).json()) as { gsc: string[] }).gsc[0];
    const up = async () => {
      await compose("--profile", "pcsc", "up", "-d", "--no-build", ...services);
      await answering(`${shop}/attention`, () => compose("--profile", "pcsc", "logs"));
      await expect.poll(gsc, { timeout: 30_000 }).toBe("1500");
    };
    const sell = async () => {
      expect(await (await fetch(`${shop}/pin`, { method: "POST", body: "1234" })).text()).toBe("0100");
      const body = JSON.stringify(sale());
      const sold = await fetch(`${shop}/invoices`, { method: "POST", headers: JSON_HEADERS, body });
      return [sold.status, await sold.json()];
    };
    await up();
    expect(await sell()).toEqual([200, expect.objectContaining({ signedBy: "TESTCARD", totalCounter: 1 })]);
    await compose(...PROFILES, "down");
    await up();
    expect(await sell()).toEqual([200, expect.objectContaining({ signedBy: "TESTCARD", totalCounter: 2 })]);
    const card = `${url("TILLSEAL_PUBLISHED_CARD_CONTROL_PORT")}/control/card`;
    await fetch(card, { method: "PATCH", body: JSON.stringify({ locked: true }) });
    expect(await (await fetch(`${shop}/pin`, { method: "POST", body: "1234" })).text()).toBe("2110");
  });
});
