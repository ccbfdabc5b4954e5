import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { serve, serveProcess, tillseal } from "../support/command.js";
import { CLI, environmentWith } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import { answers, pin, sell } from "../support/sell.js";
import { JSON_HEADERS, sale } from "../support/till.js";

const run = promisify(execFile);
const controlOf = ({ greeting }: { greeting: string }) => /http:\S+\/control\b/.exec(greeting)?.[0] ?? "";

it("tillseal serve prints its address, the card, the PIN, a command that prints a signed receipt, and the console's address", async () => {
  const { greeting, url } = await serveProcess([]);
  const lines = greeting.trimEnd().split("\n");
  expect(lines).toHaveLength(8);
  expect(lines[0]).toBe(`tillseal listens on ${url}/api/v3`);
  expect(lines[1]).toContain("emulated card TESTCARD");
  expect(lines[2]).toContain("1234");
  expect(lines[4]).toBe(`console: ${url}/`);
  expect(lines[6]).toMatch(/^the emulated tax authority listens on https:\/\/localhost:\d+$/);
  expect(lines[7]).toBe("ready");
  const { stdout } = await run("sh", ["-c", lines[3] ?? ""]);
  expect(stdout).toContain("END OF FISCAL INVOICE");
  expect(stdout.trimEnd().split("\n").at(-1)).toBe(`${url}/#/receipts/TESTCARD-TESTCARD-1`);
});

it("tillseal serve writes nothing to the log at a first start with the recorded configuration", async () => {
  const { complaints } = await serveProcess(["--environment", "sandbox", "--data-dir", temporaryFolder()]);
  expect(complaints()).toBe("");
});

it("tillseal serve signs the first sale that comes as soon as the port is open", async () => {
  const port = await freePort();
  const started = serveProcess(["--port", String(port)]);
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers({ url }))) await delay(5);
  await pin({ url });
  expect(await sell({ url })).toMatchObject({ totalCounter: 1 });
  expect((await started).greeting).toContain(`listens on ${url}/api/v3`);
});

it.each([
  ["is down", "down: true"],
  ["answers after more than 10 s", "delay: 60s"],
])(
  "tillseal serve opens its port and prints its greeting although the authority %s, and says that it is not configured",
  async (_, fault) => {
    const scenario = join(temporaryFolder(), "authority.yaml");
    writeFileSync(
      scenario,
      `title: The authority does not answer\ngiven: { authority: { faults: { ${fault} } } }\nsteps: []\n`,
    );
    const { url, greeting } = await serve(["--scenario", scenario]);
    expect(greeting).toMatch(/\nready\n$/);
    await pin({ url });
    expect(await sell({ url })).toMatchObject({ code: "2400" });
    const status = await (await fetch(`${url}/api/v3/status`)).json();
    expect(status).toMatchObject({ gsc: expect.arrayContaining(["0100", "2400"]) });
  },
);

it("tillseal serve prints which requests a scenario lets go wrong", async () => {
  const { greeting } = await serve(["--scenario", "given/test-values"]);
  expect(greeting).toMatch(
    /which requests:\n {2}invoice items name TEST-LOST-ANSWER, repeat false +connectionDropped on/,
  );
});

it("tillseal serve prints no greeting when the port of the authority is taken", async () => {
  const { url, greeting } = await serve([]);
  const taken = /authority listens on https:\/\/localhost:(\d+)/.exec(greeting)?.[1] ?? "";
  const { stdout, stderr, status } = await tillseal(["serve", "--port", "0", "--authority-port", taken]);
  expect({ stdout, status }).toEqual({ stdout: "", status: 1 });
  expect(stderr).toContain(`port ${taken} is in use at 127.0.0.1; --authority-port 0 picks a free one`);
  expect(url).not.toContain(taken);
});

it("tillseal serve ends with the program that started it if that is killed, with --until-stdin-ends", async () => {
  const port = await freePort();
  const args = [CLI, "serve", "--port", String(port), "--control-port", "0", "--no-authority", "--until-stdin-ends"];
  const fixture = `require("node:child_process").spawn(process.execPath, ${JSON.stringify(args)}, { stdio: ["pipe", "ignore", "ignore"] })`;
  const test = spawn(process.execPath, ["-e", fixture], { stdio: "ignore", env: environmentWith() });
  const service = { url: `http://127.0.0.1:${port}` };
  while (!(await answers(service))) await delay(20);
  test.kill("SIGKILL");
  // The test's timeout is the assertion: the port closes.
  while (await answers(service)) await delay(20);
});

it("two emulators with --port 0 run side by side, each with its own card, store and traffic", async () => {
  const [first, second] = [await serve([]), await serve([])];
  const control = (greeting: string) => /^(http:\S+\/control) drives/m.exec(greeting)?.[1] ?? "";
  await fetch(`${control(first.greeting)}/do`, { method: "POST", body: '{"card":"remove"}' });
  await pin(second);
  expect(await sell(second)).toMatchObject({ totalCounter: 1 });
  const stores = [first, second].map(async ({ greeting }) => (await fetch(`${control(greeting)}/store`)).json());
  expect(await Promise.all(stores)).toMatchObject([{ complete: 0 }, { complete: 1 }]);
});

it("tillseal serve takes a boolean flag without a value", async () => {
  const { stdout, status } = await tillseal(["config", "--json", "--require-referent-time"]);
  expect(status).toBe(0);
  expect(stdout).toMatch(/"requireReferentTime"[^}]*true/);
});

it("tillseal serve shows a country with its card, environment and receipts; --environment overrides the rates", async () => {
  const parameters = async (url: string) =>
    (await fetch(`${url}/api/v3/environment-parameters`)).json() as Promise<Record<string, unknown>>;
  const { url } = await serve(["--country", "fj", "--no-authority"]);
  expect(await parameters(url)).toMatchObject({ country: "FJ", serverTimeZone: "Pacific/Fiji" });
  await pin({ url });
  const { tin, journal } = await sell({ url });
  expect(tin).toBe("100000001");
  expect(journal).toMatch(/Total Purchase: +[\d,]+\.\d\d\r\n/);
  const other = await serve(["--country", "fj", "--environment", "cyrillic", "--no-authority"]);
  expect(await parameters(other.url)).toMatchObject({ country: "RS" });
});

it("tillseal serve runs the tax authority, which configures the card; status has its address; --no-authority leaves it out", async () => {
  const status = async ({ url }: { url: string }) =>
    (await fetch(`${url}/api/v3/status`)).json() as Promise<{ gsc: string[]; taxAuthorityApi: string }>;
  const beside = await serve([]);
  const { taxAuthorityApi, ...configured } = await status(beside);
  const environmentSource = expect.stringContaining("tax authority");
  expect(configured).toMatchObject({ gsc: ["1500", "0210"], environmentSource });
  expect(beside.greeting).toContain(`the emulated tax authority listens on ${taxAuthorityApi}\n`);
  const alone = await serve(["--no-authority"]);
  expect(alone.greeting).not.toContain("authority");
  expect(await status(alone)).toMatchObject({ gsc: ["1500"], environmentSource: "file specification" });
  const dataDir = join(temporaryFolder(), "data");
  const first = await serve(["--data-dir", dataDir]);
  const ca = () => readFileSync(join(dataDir, "authority", "ca.crt.pem"), "utf8");
  const before = ca();
  await first.stop();
  expect(await status(await serve(["--data-dir", dataDir]))).toMatchObject({ gsc: ["1500", "0210"] });
  expect(ca()).toBe(before);
});

it("tillseal serve loses no sale when killed, and continues at the next start", async () => {
  const dataDir = join(temporaryFolder(), "data");
  const first = await serveProcess(["--data-dir", dataDir]);
  await pin(first);
  const answered: string[] = [];
  const till = async () => {
    for (let i = 0; ; i++) {
      const id = `order-${i}`;
      const answer = await sell(first, id).catch(() => undefined);
      if (!answer) return;
      answered.push(id);
      if (i === 20) first.process.kill("SIGKILL");
    }
  };
  await till();
  await first.exited;
  const second = await serveProcess(["--data-dir", dataDir]);
  await pin(second);
  expect(answered.length).toBeGreaterThan(20);
  for (const [i, id] of answered.entries()) {
    const stored = await fetch(`${second.url}/api/v3/invoices/${id}`);
    expect(await stored.json()).toMatchObject({ totalCounter: i + 1 });
  }
  // The interrupted sale is stored or was never signed: sent again, it has the next number.
  expect(await sell(second, `order-${answered.length}`)).toMatchObject({ totalCounter: answered.length + 1 });
});

// A terminal that closes sends SIGHUP.
it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "tillseal serve finishes the answer in flight at %s and ends with 0",
  async (signal) => {
    const { process, url, exited } = await serveProcess([]);
    await pin({ url });
    const sent = request(`${url}/api/v3/invoices`, {
      method: "POST",
      headers: { ...JSON_HEADERS, Expect: "100-continue" },
    });
    const answer = new Promise<string>((resolve, reject) => {
      sent.on("response", (response) => {
        response.setEncoding("utf8");
        response.toArray().then((chunks) => resolve(chunks.join("")), reject);
      });
      sent.on("error", reject);
    });
    sent.flushHeaders();
    // The service has the request's headers; the signal comes before the body.
    await once(sent, "continue");
    process.kill(signal);
    sent.end(JSON.stringify(sale()));
    expect(JSON.parse(await answer)).toMatchObject({ totalCounter: 1 });
    expect(await exited).toBe(0);
  },
);

it("tillseal serve never writes the PIN to its log", async () => {
  const { process, url } = await serveProcess(["--log-level", "debug"]);
  let log = "";
  process.stderr?.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  for (const body of ["1234", '{"pin":"1234"}', '{"pin":1234', "9876"]) {
    await fetch(`${url}/api/v3/pin`, { method: "POST", body });
  }
  await fetch(`${url}/api/v3/invoices`, { method: "POST", headers: JSON_HEADERS, body: "{" });
  expect(log).toContain('"pin":"verified"');
  expect(log).not.toMatch(/\b(1234|9876)\b/);
});

it("tillseal serve uses the requested control port or does not start, but replaces a busy default", async () => {
  const first = await serve(["--control-port", "0"]);
  const { port } = new URL(controlOf(first));
  const refused = await tillseal(["serve", "--port", "0", "--control-port", port]);
  expect(refused.stderr).toContain(`port ${port} is in use at 127.0.0.1; --control-port 0 picks a free one`);
  expect(refused.status).toBe(1);
  const [one, other] = [await serve([]), await serve([])];
  expect(controlOf(one)).not.toBe(controlOf(other));
  for (const running of [one, other]) expect((await fetch(`${controlOf(running)}/card`)).status).toBe(200);
});

it("tillseal serve starts from the given of a scenario, and from its other settings for the rest", async () => {
  const folder = temporaryFolder();
  const scenario = join(folder, "locked.yaml");
  writeFileSync(
    scenario,
    "name: a locked card\ntags: [card]\ngiven:\n  card: { pinTriesLeft: 0 }\nsteps:\n  - unknown: here\n",
  );
  const profile = join(folder, "card.yaml");
  writeFileSync(profile, 'uid: MYCARD01\npin: "4321"\n');
  const { url, greeting } = await serve(["--scenario", scenario, "--profile", profile, "--answer-form", "device"]);
  expect(greeting).toContain("MYCARD01");
  const answer = await fetch(`${url}/api/v3/pin`, { method: "POST", body: "4321" });
  expect(await answer.text()).toBe("2110");
});

it("tillseal serve reads a card profile and an environment from files", async () => {
  const folder = temporaryFolder();
  const profile = join(folder, "card.yaml");
  writeFileSync(profile, 'uid: MYCARD01\npin: "4321"\ncounters: { total: 41, TS: 6 }\n');
  const { url, greeting } = await serve(["--profile", profile, "--environment", "cyrillic"]);
  expect(greeting).toContain("MYCARD01");
  await fetch(`${url}/api/v3/pin`, { method: "POST", body: "4321" });
  const answer = await fetch(`${url}/api/v3/test-invoice`, { method: "POST" });
  expect(await answer.json()).toMatchObject({ invoiceNumber: "MYCARD01-MYCARD01-42", invoiceCounter: "7/42ОП" });
});
