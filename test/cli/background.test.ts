/** A service in the background: asked how it stands, stopped, and never started twice on one data folder. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve, tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import { sale } from "../support/till.js";

const portOf = (url: string) => new URL(url).port;

describe("tillseal status", () => {
  it("says how the service stands, by its port or by its data folder", async () => {
    const dataDir = temporaryFolder();
    const { url, process } = await serve(["--data-dir", dataDir]);
    const byFolder = await tillseal(["status", "--data-dir", dataDir]);
    expect(byFolder).toMatchObject({ status: 0 });
    expect(byFolder.stdout).toContain(`runs at ${url} (process ${process.pid})`);
    expect(byFolder.stdout).toContain("1500 PIN required");
    const byPort = await tillseal(["status", "--port", portOf(url), "--json"]);
    expect(JSON.parse(byPort.stdout)).toMatchObject({ url, pid: process.pid, codes: ["1500", "0210"] });
  });

  it("says that none runs, and takes no other program for one", async () => {
    const port = await freePort();
    expect(await tillseal(["status", "--port", String(port)])).toMatchObject({
      status: 1,
      stderr: `tillseal: no tillseal runs at http://127.0.0.1:${port}\n`,
    });
    const other = createServer((_request, response) => void response.end("{}")).listen(port, "127.0.0.1");
    onTestFinished(() => void other.close());
    expect(await tillseal(["status", "--port", String(port)])).toMatchObject({ status: 1 });
  });
});

describe("tillseal stop", () => {
  it("ends the service, which leaves its folder to the next one", async () => {
    const dataDir = temporaryFolder();
    const first = await serve(["--data-dir", dataDir]);
    const open = await fetch(`${first.url}/console/events`);
    expect(await tillseal(["stop", "--data-dir", dataDir])).toMatchObject({
      status: 0,
      stdout: `stopped: ${first.url}\n`,
    });
    expect(await first.exited).toBe(0);
    await open.body?.cancel();
    expect(existsSync(join(dataDir, "tillseal.running.json"))).toBe(false);
    const second = await serve(["--data-dir", dataDir]);
    expect(await tillseal(["stop", "--port", portOf(second.url)])).toMatchObject({ status: 0 });
    expect(await tillseal(["stop", "--port", portOf(second.url)])).toMatchObject({ status: 1 });
  });

  it("ends no process that is no tillseal, whatever answers on the port", async () => {
    const port = await freePort();
    const victim = process.pid;
    const liar = createServer((_request, response) => {
      response.end(JSON.stringify({ service: "tillseal", pid: victim }));
    }).listen(port, "127.0.0.1");
    onTestFinished(() => void liar.close());
    const { status, stderr } = await tillseal(["stop", "--port", String(port)]);
    expect([status, stderr]).toEqual([1, expect.stringContaining("which is no tillseal")]);
  });
});

describe("a data folder", () => {
  it("whose service was killed is free, whatever still stands in it", async () => {
    const dataDir = temporaryFolder();
    const first = await serve(["--data-dir", dataDir]);
    await fetch(`${first.url}/api/v3/pin`, { method: "POST", body: "1234" });
    await fetch(`${first.url}/api/v3/test-invoice`, { method: "POST", body: JSON.stringify(sale()) });
    first.process.kill("SIGKILL");
    await first.exited;
    expect(JSON.parse(readFileSync(join(dataDir, "tillseal.running.json"), "utf8"))).toMatchObject({ url: first.url });
    expect(await tillseal(["status", "--data-dir", dataDir])).toMatchObject({ status: 1 });
    const second = await serve(["--data-dir", dataDir]);
    expect((await tillseal(["status", "--data-dir", dataDir])).stdout).toContain(second.url);
  });
});

describe("tillseal serve --open", () => {
  it.runIf(process.platform === "linux")("opens the console in the browser of the machine", async () => {
    const folder = temporaryFolder();
    const bin = join(folder, "bin");
    const opened = join(folder, "opened");
    mkdirSync(bin);
    writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\nprintf %s "$1" > ${opened}.new; mv ${opened}.new ${opened}\n`);
    chmodSync(join(bin, "xdg-open"), 0o755);
    const { url } = await serve(["--open"], { PATH: `${bin}:${process.env.PATH}` });
    await expect.poll(() => existsSync(opened) && readFileSync(opened, "utf8")).toBe(url);
  });
});
