/** The package for shops: built, unpacked, searched, installed, and run against pcscd. */
import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { VpcdLink } from "../../emulator/vpcd/vpcd-link.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { makeCard } from "../support/emulated-card.js";
import { environmentWith } from "../support/environment.js";
import { pcscdForFile } from "../support/file-pcscd.js";
import { temporaryFolder } from "../support/folder.js";
import { installed, packageFolder } from "../support/installed.js";
import { eventually } from "../support/pcsc.js";
import { deadLinks } from "../support/shop-pages.js";
import { JSON_HEADERS, sale } from "../support/till.js";

pcscdForFile();

const env = environmentWith();

interface Shrinkwrap {
  readonly packages: Record<string, { readonly version: string; readonly dev?: boolean }>;
}

interface Bill {
  readonly components: readonly { readonly name: string; readonly version: string; readonly licenses?: unknown[] }[];
}

function readJson<T>(...path: string[]): T {
  return JSON.parse(readFileSync(join(...path), "utf8")) as T;
}

const nameOf = (path: string) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);

function filesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => statSync(join(folder, name)).isFile());
}

it("the package for shops has the service and no part of the emulator", () => {
  const made = readdirSync(packageFolder());
  const tarball = made.find((name) => name.endsWith(".tgz")) ?? "";
  const out = temporaryFolder();
  execFileSync("tar", ["xzf", join(packageFolder(), tarball), "-C", out]);
  const folder = join(out, "package");
  const files = filesBelow(folder);
  expect(files).toContain("dist/src/cli.js");
  expect(files).toContain("deploy/systemd/tillseal.service");
  expect(files.filter((name) => /(emulator|harness)\/|fixtures\/|scenarios\/|test\/|\.pem$|\.ts$/.test(name))).toEqual(
    [],
  );
  for (const name of files.filter((file) => file !== "npm-shrinkwrap.json")) {
    const text = readFileSync(join(folder, name), "utf8");
    const pretends = /BEGIN [A-Z ]*PRIVATE KEY-----\r?\n|TEST ONLY|harness\/index/.exec(text)?.[0];
    // Both editions share one changelog, which names the control interface's new paths.
    const controls = name === "CHANGELOG.md" ? undefined : /\/control\//.exec(text)?.[0];
    expect([name, pretends, controls]).toEqual([name, undefined, undefined]);
  }
  const pages = files.filter((name) => name.endsWith(".md"));
  expect(pages).toContain("docs/restore.md");
  const dead = pages.flatMap((page) =>
    deadLinks(readFileSync(join(folder, page), "utf8"), page, (path) => existsSync(join(folder, path))),
  );
  expect(dead).toEqual([]);
  const manifest = readJson<Record<string, unknown>>(folder, "package.json");
  expect(Object.keys(manifest)).not.toContain("devDependencies");
  expect(Object.keys(manifest)).not.toContain("scripts");
  for (const name of ["package.json", "npm-shrinkwrap.json"]) {
    expect(readFileSync(join(folder, name), "utf8"), name).not.toContain("faker");
  }
  const { packages } = readJson<Shrinkwrap>(folder, "npm-shrinkwrap.json");
  expect(Object.entries(packages).filter(([name, { dev }]) => dev || /vitest|biome|faker/.test(name))).toEqual([]);

  const { dependencies, optionalDependencies } = readJson<Record<string, Record<string, string>>>(
    folder,
    "package.json",
  );
  expect(packages[""]).toMatchObject({ dependencies, optionalDependencies });
  for (const version of Object.values({ ...dependencies, ...optionalDependencies })) {
    expect(version).toMatch(/^(npm:[\w-]+@)?\d+\.\d+\.\d+$/);
  }

  const bill = readJson<Bill>(folder, "sbom.json");
  expect(made).toContain(`tillseal-production-${manifest.version}.sbom.json`);
  const listed = bill.components.map(({ name, version }) => `${name} ${version}`);
  const shipped = Object.entries(packages).filter(([path]) => path !== "");
  expect(listed).toEqual(expect.arrayContaining(shipped.map(([path, entry]) => `${nameOf(path)} ${entry.version}`)));
  expect(listed).toContainEqual(expect.stringMatching(/^preact \d/));
  expect(bill.components.filter(({ licenses = [] }) => licenses.length === 0)).toEqual([]);
});

it("the package for shops installs exactly the versions that it names", () => {
  const folder = installed();
  const { packages } = readJson<Shrinkwrap>(folder, "npm-shrinkwrap.json");
  const there = readdirSync(join(folder, "node_modules"), { recursive: true, encoding: "utf8" })
    .filter((file) => /(^|node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(file))
    .map((file) => join("node_modules", file.replace("/package.json", "")));
  expect(there).toContain("node_modules/koffi");
  // Everything else is bundled.
  expect(there).not.toContain("node_modules/express");
  for (const path of there) {
    const { version } = readJson<{ version: string }>(folder, path, "package.json");
    expect([path, version]).toEqual([path, packages[path]?.version]);
  }
});

it("the package for shops installs with npm, supports only real cards, and sells through pcscd", async () => {
  const out = temporaryFolder();
  const command = join(installed(), "dist", "src", "cli.js");
  const refused = run(command, ["serve", "--card", "emulator"]);
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('card is "emulator"; expected pcsc')]);
  expect(run(command, ["card", "--help"]).stdout).not.toMatch(/publish|make-keys/);
  for (const name of ["serve", "card", "audit"]) expect(run(command, [name, "--help"]).stdout).not.toMatch(/emulat/i);
  expect(run(command, ["--help"]).stdout).not.toMatch(/emulat/i);
  for (const args of [
    ["scenario", "run", "--all"],
    ["sample", "--help"],
  ]) {
    const expected = `tillseal: tillseal ${args[0]} is in the developers' package; this package is for shops\n`;
    expect(run(command, args)).toMatchObject({ status: 2, stderr: expected });
  }

  const link = new VpcdLink(makeCard());
  await link.insert();
  onTestFinished(() => link.remove());
  const environment = join(PACKAGE_ROOT, "fixtures", "environments", "specification.yaml");
  const args = ["serve", "--port", "0", "--data-dir", join(out, "data"), "--environment", environment];
  const service = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], env });
  onTestFinished(() => void service.kill("SIGKILL"));
  const url = await new Promise<string>((resolve, reject) => {
    service.once("exit", () => reject(new Error("serve ended")));
    service.stdout.on("data", (chunk: Buffer) => {
      const address = /http:\/\/[^/]+/.exec(chunk.toString())?.[0];
      if (address) resolve(address);
    });
  });
  const status = async () => (await (await fetch(`${url}/api/v3/status`)).json()) as { gsc: string[] };
  await eventually(async () => (await status()).gsc.includes("1500"), "pcscd has seen the card");
  const pin = await fetch(`${url}/api/v3/pin`, { method: "POST", body: "1234" });
  expect(await pin.text()).toBe("0100");
  const answer = await fetch(`${url}/api/v3/invoices`, {
    method: "POST",
    headers: JSON_HEADERS,
    body: JSON.stringify(sale()),
  });
  expect(await answer.json()).toMatchObject({ signedBy: "TESTCARD", totalCounter: 1 });
  const test = await fetch(`${url}/api/v3/test-invoice`, { method: "POST" });
  expect(await test.json()).toMatchObject({ code: "2400" });
  const script = /src="([^"]+)"/.exec(await (await fetch(`${url}/`)).text())?.[1];
  expect((await fetch(`${url}${script}`)).status).toBe(200);
  expect(await (await fetch(`${url}/console/info`)).json()).toMatchObject({ card: "pcsc", controlPort: null });
  const place = ["--data-dir", join(out, "data")];
  // Asynchronously, because the card runs in this process.
  const say = promisify(execFile);
  expect((await say(command, ["status", ...place], { env })).stdout).toContain("0100 PIN verified");
  expect((await say(command, ["stop", ...place], { env })).stdout).toBe(`stopped: ${url}\n`);
});

function run(command: string, args: string[]): { status: number; stdout: string; stderr: string } {
  try {
    return {
      status: 0,
      stdout: execFileSync(command, args, { stdio: "pipe", env, timeout: 100_000 }).toString(),
      stderr: "",
    };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: Buffer; stderr: Buffer };
    return { status, stdout: stdout.toString(), stderr: stderr.toString() };
  }
}
