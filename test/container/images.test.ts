/** The images: their contents, and how the service in them starts, stops and recovers. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { loadScenarios, scenarioFiles } from "../../harness/scenario/load.js";
import { PACKAGE_ROOT, PACKAGE_VERSION } from "../../src/base/package-root.js";
import { engine, engineName, startContainer } from "../support/container.js";
import { JSON_HEADERS, sale } from "../support/till.js";

interface Job {
  readonly spec: { template: { spec: { containers: { command: string[]; args: string[] }[] } } };
}

const EMULATOR = "tillseal:emulator";
const IMAGES = [EMULATOR, "tillseal:card"];

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(url, { method: "POST", headers: { ...JSON_HEADERS, ...headers }, body: text });
  return { status: answer.status, text: await answer.text() };
}

async function volume(): Promise<string> {
  const name = (await engine("volume", "create")).trim();
  onTestFinished(async () => void (await engine("volume", "rm", "-f", name)));
  return name;
}

describe.each(IMAGES)("the image %s", (image) => {
  const inside = (script: string) => engine("run", "--rm", "--entrypoint", "sh", image, "-c", script);

  it("each image runs as a user other than root, and contains no build tools", async () => {
    const tools = "gcc g++ cc make python3 node-gyp git";
    expect(await inside(`id -u; for tool in ${tools}; do command -v $tool; done; true`)).toBe("1000\n");
  });

  it("each image lists its contents in its SBOM, without development tools", async () => {
    const sbom = JSON.parse(await inside("cat /opt/tillseal/sbom.json")) as { components: { name: string }[] };
    const names = sbom.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["better-sqlite3", "express", "koffi"]));
    const tools = ["vitest", "typescript", "testcontainers"];
    expect(names.filter((name) => tools.includes(name))).toEqual([]);
    const installed = (await inside("ls /opt/tillseal/node_modules")).split("\n");
    expect(installed).toContain("better-sqlite3");
    expect(installed.filter((name) => tools.includes(name))).toEqual([]);
  });

  it("each image has a title and a volume", async () => {
    const [inspected] = JSON.parse(await engine("image", "inspect", image)) as {
      Config: { Labels: Record<string, string>; Volumes: object };
    }[];
    const config = inspected?.Config;
    expect(config?.Labels["org.opencontainers.image.title"]).toBe("tillseal");
    expect(Object.keys(config?.Volumes ?? {})).toEqual(["/data"]);
  });
});

it.each(IMAGES)("each image %s says which version and commit it is", async (image) => {
  const commit = execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" }).trim();
  expect((await engine("run", "--rm", image, "--version")).trim()).toBe(`${PACKAGE_VERSION} (${commit})`);
  const label = (name: string) =>
    engine("image", "inspect", "--format", `{{index .Config.Labels "org.opencontainers.image.${name}"}}`, image);
  expect((await label("revision")).trim()).toBe(commit);
  expect((await label("version")).trim()).toBe(PACKAGE_VERSION);
});

it("the image tillseal:card contains no emulator, and answers 1300 without a card", async () => {
  const find = "/opt/tillseal -path */node_modules -prune -o -type f -print".split(" ");
  const files = await engine("run", "--rm", "--entrypoint", "find", "tillseal:card", ...find);
  expect(files).toContain("/opt/tillseal/dist/src/cli.js");
  expect(files).not.toMatch(/(emulator|harness)\/|fixtures\/|scenarios\//);
  const { url } = await startContainer("tillseal:card");
  expect(await (await fetch(`${url}/api/v3/status`)).text()).toMatch(/"gsc":\["(1300|2220)"/);
});

it("the emulator in a container has every shipped scenario", async () => {
  const listed = JSON.parse(await engine("run", "--rm", EMULATOR, "scenario", "list", "--json")) as {
    name: string;
  }[];
  const shipped = scenarioFiles([join(PACKAGE_ROOT, "scenarios")]).flatMap(loadScenarios);
  expect(listed.map(({ name }) => name).sort()).toEqual(shipped.map(({ name }) => name).sort());
});

it("the emulator in a container plays each shard of the Kubernetes job as its pods do: not root, and only /tmp writable", async () => {
  const job = parse(readFileSync(join(PACKAGE_ROOT, "deploy", "kubernetes", "scenarios-job.yaml"), "utf8")) as Job;
  const [container] = job.spec.template.spec.containers;
  const [entrypoint = "", ...command] = [...(container?.command ?? []), ...(container?.args ?? [])];
  const mounts = ["--read-only", "--tmpfs", "/tmp", "-v", `${join(PACKAGE_ROOT, "scenarios", "pin")}:/scenarios:ro`];
  const shards = [0, 1, 2, 3].map(async (index) => {
    const shard = ["-e", `JOB_COMPLETION_INDEX=${index}`, "-e", "SHARDS=4"];
    const args = [...mounts, ...shard, "--user", "1000", "--entrypoint", entrypoint, EMULATOR, ...command];
    return [...(await engine("run", "--rm", ...args)).matchAll(/<testcase [^>]*name="([^"]+)"/g)].map(
      ([, name]) => name,
    );
  });
  const played = (await Promise.all(shards)).flat();
  const all = scenarioFiles([join(PACKAGE_ROOT, "scenarios", "pin")]).flatMap(loadScenarios);
  expect(played.sort()).toEqual(all.map(({ name }) => name).sort());
});

it("the emulator in a container ends with status 1 when a scenario fails", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-container-"));
  writeFileSync(join(folder, "wrong.yaml"), "name: wrong\nsteps: [{ check: { pin: verified } }]\n", { mode: 0o644 });
  const args = ["run", "--rm", "--user", "0", "-v", `${folder}:/mine:ro`, EMULATOR, "scenario", "run", "/mine"];
  await expect(engine(...args)).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining("0 passed, 1 failed"),
  });
});

it("the emulator in a container is healthy by its own check", async () => {
  const { id } = await startContainer(EMULATOR);
  // podman asks systemd to run the check regularly; without systemd it is run by hand.
  if (engineName() === "podman") await engine("healthcheck", "run", id);
  const health = async () => (await engine("inspect", "-f", "{{.State.Health.Status}}", id)).trim();
  await expect.poll(health, { timeout: 30_000 }).toBe("healthy");
});

it("the emulator in a container gives receipts whose QR code leads to its mapped port and to its page", async () => {
  const { url } = await startContainer(EMULATOR);
  await post(`${url}/api/v3/pin`, "1234");
  const { verificationUrl } = JSON.parse((await post(`${url}/api/v3/invoices`, sale())).text) as Record<string, string>;
  expect(verificationUrl).toContain(`${url}/v/?vl=`);
  const verdict = await fetch(verificationUrl ?? "", { headers: { Accept: "application/json" } });
  expect(await verdict.json()).toMatchObject({ isValid: true });
});

it("the emulator in a container reports a full disk, signs nothing meanwhile, and sells again once there is room", async () => {
  const { url, exec } = await startContainer(EMULATOR, ["--user", "0", "--tmpfs", "/data:rw,size=1m"]);
  await post(`${url}/api/v3/pin`, "1234");
  await exec("sh", "-c", "head -c 2m /dev/zero > /data/filling 2>/dev/null; true");
  const codes = async () => (await (await fetch(`${url}/api/v3/status`)).json()) as { gsc: string[]; mssc: string[] };
  expect(await post(`${url}/api/v3/invoices`, sale(), { RequestId: "a" })).toMatchObject({
    status: 500,
    text: expect.stringContaining("The disk is full (/data). Free some space; the sale was not signed."),
  });
  expect(await codes()).toMatchObject({ gsc: ["1999", "0100", "0210"], mssc: ["9002", "9008"] });
  await exec("rm", "/data/filling");
  expect(await codes()).toMatchObject({ gsc: ["0100", "0210"], mssc: ["9002"] });
  const sold = await post(`${url}/api/v3/invoices`, sale(), { RequestId: "a" });
  expect(sold.text).toContain('"totalCounter":1');
});

it("the emulator in a container sells with a read-only root file system", async () => {
  const { url, exec } = await startContainer(EMULATOR, ["--read-only"]);
  await expect(exec("touch", "/opt/tillseal/x")).rejects.toThrow("Read-only file system");
  await post(`${url}/api/v3/pin`, "1234");
  expect((await post(`${url}/api/v3/invoices`, sale())).status).toBe(200);
});

it("the emulator in a container finishes the current sale when it is stopped, and exits cleanly", async () => {
  const { id, url, control, ended } = await startContainer(EMULATOR, ["-v", `${await volume()}:/data`]);
  await post(`${url}/api/v3/pin`, "1234");
  await post(`${control}/control/do`, { faults: [{ on: "sign", kind: "latency", duration: "2s" }] });
  const selling = post(`${url}/api/v3/invoices`, sale(), { RequestId: "a" });
  await expect
    .poll(async () => (await (await fetch(`${control}/control/store`)).json()) as object)
    .toMatchObject({ open: 1 });
  await engine("kill", "--signal", "TERM", id);
  expect(await selling).toMatchObject({ status: 200, text: expect.stringContaining('"totalCounter":1') });
  expect(await ended()).toBe(0);
});

it("the emulator in a container has lost nothing after a kill and a restart on its volume", async () => {
  const data = ["-v", `${await volume()}:/data`];
  const first = await startContainer(EMULATOR, data);
  await post(`${first.url}/api/v3/pin`, "1234");
  const sold = await post(`${first.url}/api/v3/invoices`, sale(), { RequestId: "a" });
  await post(`${first.control}/control/do`, { faults: [{ on: "sign", kind: "latency", duration: "60s" }] });
  const lost = post(`${first.url}/api/v3/invoices`, sale(), { RequestId: "b" }).catch(() => "no answer");
  await expect
    .poll(async () => (await (await fetch(`${first.control}/control/store`)).json()) as object)
    .toMatchObject({ open: 1 });
  await engine("kill", "--signal", "KILL", first.id);
  expect(await lost).toBe("no answer");
  const second = await startContainer(EMULATOR, data);
  expect(await (await fetch(`${second.url}/api/v3/invoices/a`)).text()).toBe(sold.text);
  await post(`${second.url}/api/v3/pin`, "1234");
  const again = await post(`${second.url}/api/v3/invoices`, sale(), { RequestId: "b" });
  expect(again).toMatchObject({ status: 200, text: expect.stringContaining('"totalCounter":2') });
});
