/** Behind a proxy every caller looks local: with the setting consoleToken the console asks for a token. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CONSOLE_ENDPOINTS } from "../../src/console/endpoints.js";
import type { InfoRecord } from "../../src/console/records/info.js";
import type { TillRecord } from "../../src/console/records/till.js";
import { serveProcess, tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { callService, JSON_HEADERS, openTill, type Till } from "../support/till.js";

/** The settings pages have the same check, but this till has no settings file. */
const PRIVATE = CONSOLE_ENDPOINTS.filter(({ trusted, path }) => trusted && path.startsWith("/receipts")).map(
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
