/** A background service: its status, its end, and only one service for each data folder. */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { serveProcess, tillseal } from "../support/command.js";
import { CLI, environmentWith } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import { pin, sell } from "../support/sell.js";
import { sale } from "../support/till.js";

const portOf = (url: string) => new URL(url).port;

it("tillseal status finds the service by its port or by its data folder", async () => {
  const dataDir = temporaryFolder();
  const { url, process } = await serveProcess(["--data-dir", dataDir]);
  const byFolder = await tillseal(["status", "--data-dir", dataDir]);
  expect(byFolder).toMatchObject({ status: 0 });
  expect(byFolder.stdout).toContain(`runs at ${url} (process ${process.pid})`);
  expect(byFolder.stdout).toContain("1500 PIN required");
  const byPort = await tillseal(["status", "--port", portOf(url), "--json"]);
  expect(JSON.parse(byPort.stdout)).toMatchObject({ url, pid: process.pid, codes: ["1500", "0210"] });
});

it("tillseal status says that none runs, and does not mistake another program for it", async () => {
  const port = await freePort();
  expect(await tillseal(["status", "--port", String(port)])).toMatchObject({
    status: 1,
    stderr: `tillseal: no tillseal is running at http://127.0.0.1:${port}; name its --port or --data-dir if it has others\n`,
  });
  const other = createServer((_request, response) => void response.end("{}")).listen(port, "127.0.0.1");
  onTestFinished(() => void other.close());
  expect(await tillseal(["status", "--port", String(port)])).toMatchObject({ status: 1 });
});

it("tillseal stop ends the service and frees its folder", async () => {
  const dataDir = temporaryFolder();
  const first = await serveProcess(["--data-dir", dataDir]);
  const open = await fetch(`${first.url}/console/events`);
  expect(await tillseal(["stop", "--data-dir", dataDir])).toMatchObject({
    status: 0,
    stdout: `stopped: ${first.url}\n`,
  });
  expect(await first.exited).toBe(0);
  await open.body?.cancel();
  expect(existsSync(join(dataDir, "tillseal.running.json"))).toBe(false);
  const second = await serveProcess(["--data-dir", dataDir]);
  expect(await tillseal(["stop", "--port", portOf(second.url)])).toMatchObject({ status: 0 });
  expect(await tillseal(["stop", "--port", portOf(second.url)])).toMatchObject({ status: 1 });
});

it("tillseal stop ends no process that does not prove to be the service, whatever answers on the port", async () => {
  const port = await freePort();
  const ours = temporaryFolder();
  const running = await serveProcess(["--data-dir", ours]);
  const stale = temporaryFolder();
  const left = { url: `http://127.0.0.1:${port}`, pid: running.process.pid, secret: "of a killed service" };
  writeFileSync(join(stale, "tillseal.running.json"), JSON.stringify(left));
  let folder: string | undefined;
  const asked: (string | undefined)[] = [];
  const liar = createServer((request, response) => {
    asked.push(request.headers.authorization);
    if (request.method === "POST") response.statusCode = 403;
    response.end(JSON.stringify({ service: "tillseal", pid: running.process.pid, folder }));
  }).listen(port, "127.0.0.1");
  onTestFinished(() => void liar.close());
  for (folder of [undefined, ours, stale]) {
    const { status, stderr } = await tillseal(["stop", "--port", String(port)]);
    expect([status > 0, stderr]).toEqual([true, expect.stringContaining("got no secret")]);
  }
  // No secret was sent, also not the one that the killed service has left at this address.
  expect(new Set(asked)).toEqual(new Set([undefined]));
  expect(running.process.exitCode).toBeNull();
  expect((await fetch(`${running.url}/api/v3/attention`)).status).toBe(200);
});

it.runIf(process.platform !== "win32")(
  "a service that hangs is named by each command that looks for it, and is not taken for stopped",
  async () => {
    const dataDir = temporaryFolder();
    const { url, process: service } = await serveProcess(["--data-dir", dataDir]);
    service.kill("SIGSTOP");
    onTestFinished(() => void service.kill("SIGCONT"));
    const hangs = `process ${service.pid} uses ${dataDir}, and no tillseal answers at ${url}: it starts, hangs, or runs in another container`;
    for (const command of ["status", "stop"]) {
      expect(await tillseal([command, "--data-dir", dataDir])).toMatchObject({
        status: 1,
        stderr: `tillseal: ${hangs}\n`,
      });
    }
    expect(await tillseal(["doctor", "--data-dir", dataDir])).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(new RegExp(`^FAIL +service +${hangs}$`, "m")),
    });
    expect((await tillseal(["incidents", "--data-dir", dataDir])).stdout).toContain("No service answers.");
  },
  60_000,
);

it.runIf(process.platform === "linux")("tillseal stop names the supervisor that starts the service again", async () => {
  const dataDir = temporaryFolder();
  const supervised = join(temporaryFolder(), "supervised.mjs");
  const cli = JSON.stringify(pathToFileURL(CLI).href);
  writeFileSync(supervised, `process.env.SYSTEMD_EXEC_PID = String(process.pid);\nawait import(${cli});\n`);
  const { url } = await serveProcess(["--data-dir", dataDir], {}, supervised);
  expect(await tillseal(["stop", "--data-dir", dataDir])).toMatchObject({
    status: 0,
    stdout: `stopped: ${url}\nsystemd may start it again at once: systemctl stop tillseal keeps it stopped\n`,
  });
});

it.runIf(process.platform === "linux")(
  "tillseal stop sees the end of a process whose parent never asks for it",
  async () => {
    const dataDir = temporaryFolder();
    const args = [process.execPath, CLI, "serve", "--port", "0", "--data-dir", dataDir];
    const parent = spawn("sh", ["-c", '"$@" >/dev/null & exec sleep 600', "sh", ...args], { env: environmentWith() });
    onTestFinished(() => void parent.kill());
    await expect
      .poll(async () => (await tillseal(["status", "--data-dir", dataDir])).status, { timeout: 30_000 })
      .toBe(0);
    expect(await tillseal(["stop", "--data-dir", dataDir])).toMatchObject({ status: 0, stderr: "" });
  },
  90_000,
);

it("tillseal stop loses no receipt that only the memory has, unless a person says so", async () => {
  const dataDir = temporaryFolder();
  const service = await serveProcess(["--data-dir", dataDir, "--control-port", "0", "--no-authority"]);
  const control = /http:\S+\/control\b/.exec(service.greeting)?.[0];
  const fault = { on: "storeAnswer", kind: "diskFull" };
  const headers = { "Content-Type": "application/json" };
  await fetch(`${control}/do`, { method: "POST", headers, body: JSON.stringify({ faults: [fault] }) });
  await pin(service);
  expect(await sell(service)).toMatchObject({ code: "1999" });
  expect(await tillseal(["stop", "--data-dir", dataDir])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("1 signed receipt would be lost: the store cannot be written"),
  });
  expect((await fetch(`${service.url}/api/v3/attention`)).status).toBe(200);
  expect(await tillseal(["stop", "--anyway", "--data-dir", dataDir])).toMatchObject({ status: 0 });
  await service.exited;
});

it("tillseal stop needs the secret of the data folder and nothing else", async () => {
  const dataDir = temporaryFolder();
  const { url, exited } = await serveProcess(["--data-dir", dataDir]);
  const post = (...headers: [string, string][]) => fetch(`${url}/console/stop`, { method: "POST", headers });
  expect((await post()).status).toBe(403);
  for (const given of ["Bearer ", "Bearer ü"]) expect((await post(["Authorization", given])).status).toBe(403);
  const { secret } = JSON.parse(readFileSync(join(dataDir, "tillseal.running.json"), "utf8")) as { secret: string };
  expect((await post(["Authorization", `Bearer ${secret}x`])).status).toBe(403);
  expect((await post(["Authorization", `Bearer ${secret}`])).status).toBe(202);
  expect(await exited).toBe(0);
});

it("tillseal stop finishes the answer that is in flight", async () => {
  const { url, exited } = await serveProcess(["--data-dir", temporaryFolder(), "--pin-guard", "true"]);
  const pin = async (digits: string) => (await fetch(`${url}/api/v3/pin`, { method: "POST", body: digits })).text();
  expect(await pin("0000")).toBe("2100");
  // The PIN waits for a second.
  const waiting = pin("1234");
  expect(await tillseal(["stop", "--port", portOf(url)])).toMatchObject({ status: 0 });
  expect([await waiting, await exited]).toEqual(["0100", 0]);
});

it("a data folder is free after its service was killed, whatever files are left in it", async () => {
  const dataDir = temporaryFolder();
  const first = await serveProcess(["--data-dir", dataDir]);
  await fetch(`${first.url}/api/v3/pin`, { method: "POST", body: "1234" });
  await fetch(`${first.url}/api/v3/test-invoice`, { method: "POST", body: JSON.stringify(sale()) });
  first.process.kill("SIGKILL");
  await first.exited;
  expect(JSON.parse(readFileSync(join(dataDir, "tillseal.running.json"), "utf8"))).toMatchObject({ url: first.url });
  expect(await tillseal(["status", "--data-dir", dataDir])).toMatchObject({ status: 1 });
  const second = await serveProcess(["--data-dir", dataDir]);
  expect((await tillseal(["status", "--data-dir", dataDir])).stdout).toContain(second.url);
});

it.runIf(process.platform === "linux")("tillseal serve --open opens the console in the machine's browser", async () => {
  const folder = temporaryFolder();
  const bin = join(folder, "bin");
  const opened = join(folder, "opened");
  mkdirSync(bin);
  writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\nprintf %s "$1" > ${opened}.new; mv ${opened}.new ${opened}\n`);
  chmodSync(join(bin, "xdg-open"), 0o755);
  const { url } = await serveProcess(["--open"], { PATH: `${bin}:${process.env.PATH}` });
  await expect.poll(() => existsSync(opened) && readFileSync(opened, "utf8")).toBe(url);
});
