/**
 * A disk that fails at one file of the data folder, at each file in turn: the till may refuse sales, but then it says so.
 * The faults are real errors of the system's calls, from a library that the service's process preloads.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { constants } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { tillseal } from "../support/command.js";
import { CLI, environmentWith } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";
import { silentRefusals } from "../support/silent-refusals.js";
import { contradictionsIn, surfacesOf } from "../support/surfaces.js";
import { sale } from "../support/till.js";

const SOURCE = join(PACKAGE_ROOT, "test", "slow", "faulty-disk.c");
const AT_ONCE = 4;
const SALES = 4;
/** These belong to the emulated card and authority, which a shop does not have. */
const EMULATED = /^(card|authority)/;
const JSON_HEADERS = { "Content-Type": "application/json" };

const FAULTS = [
  ["ENOSPC", "write"],
  ["EIO", "write"],
  ["EIO", "sync"],
] as const;

/** Compiles the library. @returns undefined without a compiler, which a test of CI must have */
function compiled(): string | undefined {
  const library = join(temporaryFolder(), "faulty-disk.so");
  try {
    execFileSync("cc", ["-shared", "-fPIC", "-o", library, SOURCE, "-ldl"]);
    return library;
  } catch (error) {
    if (process.env.CI === "true") throw error;
    process.stdout.write("left out: the table of faults at each file; it needs Linux and the compiler cc\n");
    return undefined;
  }
}

interface Till {
  readonly url: string;
  readonly child: ChildProcess;
  readonly output: () => string;
}

/** A data folder, and where its backups go. */
const at = (dataDir: string) => ["--data-dir", dataDir, "--backup-folder", join(dataDir, "backups")];

interface Serving {
  readonly env?: Record<string, string>;
  /** Commands of the shell before the service. */
  readonly shell?: string;
  readonly more?: readonly string[];
}

async function serve(
  dataDir: string,
  { env = {}, shell = "", more = ["--no-authority"] }: Serving = {},
): Promise<Till> {
  const own = [...at(dataDir), "--port", "0", "--control-port", "0", "--metrics", ...more];
  const args = [CLI, "serve", ...own, "--log-file", join(dataDir, "tillseal.log"), "--log-level", "info"];
  const child = spawn("bash", ["-c", `${shell} exec "$0" "$@"`, process.execPath, ...args], {
    env: environmentWith(env),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  while (!output.includes("\nready\n")) {
    if (child.exitCode !== null) throw new Error(`serve ended: ${output}`);
    await sleep(20);
  }
  const url = /listens on (http:\/\/[^/]+)/.exec(output)?.[1] ?? "";
  await fetch(`${url}/api/v3/pin`, { method: "POST", headers: { "Content-Type": "text/plain" }, body: "1234" });
  return { url, child, output: () => output };
}

async function stop({ child }: Till): Promise<void> {
  child.kill("SIGTERM");
  while (child.exitCode === null && child.signalCode === null) await sleep(20);
}

/** The code of a sale, and whether the till then says that it can sell. */
async function sell(url: string): Promise<{ code: string; ready: boolean }> {
  const request = { method: "POST", headers: JSON_HEADERS, body: JSON.stringify(sale()) };
  const answer = await fetch(`${url}/api/v3/invoices`, request);
  const { code = "0000" } = (await answer.json()) as { code?: string };
  const { ready } = (await (await fetch(`${url}/ready`)).json()) as { ready: boolean };
  return { code, ready };
}

async function sellAll(url: string, count: number): Promise<{ code: string; ready: boolean }[]> {
  const sold = [];
  for (let n = 0; n < count; n++) sold.push(await sell(url));
  return sold;
}

/** A data folder after a day, and the names of its files while a service runs on it. */
async function usedFolder(): Promise<{ folder: string; files: string[] }> {
  const folder = temporaryFolder();
  const till = await serve(folder, { more: [] });
  mkdirSync(join(folder, "backups"));
  for (const command of [
    ["audit", "now"],
    ["audit", "export", temporaryFolder(), "--same-disk"],
    ["backup", join(folder, "backups", "day.db")],
  ]) {
    expect((await sellAll(till.url, 2)).map(({ code }) => code)).toEqual(["0000", "0000"]);
    const { status, stderr } = await tillseal([...command, "--data-dir", folder]);
    expect([status, stderr]).toEqual([0, ""]);
  }
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter((name) => !EMULATED.test(name));
  await stop(till);
  return { folder, files: [...new Set(files.map((name) => name.replace(/^backups\/.*/, "backups/")))] };
}

/** Contradictions that stay: a finding may come between two of the questions. */
async function contradictions(url: string, dataDir: string): Promise<string[]> {
  const first = contradictionsIn(await surfacesOf(url, dataDir));
  return first.length === 0 ? first : contradictionsIn(await surfacesOf(url, dataDir));
}

const shown = (sold: readonly { code: string; ready: boolean }[]) =>
  sold.map(({ code, ready }) => `${code} ${ready ? "ready" : "not ready"}`).join(", ");

it("no two sales in a row are refused by a fault of the disk while /ready says that the till can sell, and no surface contradicts another", async () => {
  const { folder, files } = await usedFolder();
  const library = compiled();
  const rows: string[] = [];
  const silent: string[] = [];
  const play = async (file: string, n: number) => {
    const dataDir = join(temporaryFolder(), `case-${n}`);
    cpSync(folder, dataDir, { recursive: true });
    const control = join(temporaryFolder(), "fault");
    writeFileSync(control, "");
    const till = await serve(dataDir, { env: { LD_PRELOAD: library ?? "", FAULTY_DISK: control } });
    for (const [turn, [error, call]] of FAULTS.entries()) {
      writeFileSync(control, `${constants.errno[error]} ${call} ${file}`);
      const sold = await sellAll(till.url, SALES);
      rows.push(`${file.padEnd(28)} ${error.padEnd(6)} ${call.padEnd(5)} ${shown(sold)}`);
      const isCompared = process.env.TILLSEAL_TEST_WHOLE !== undefined || turn === n % FAULTS.length;
      const compared = isCompared ? await contradictions(till.url, dataDir) : [];
      const problems = [...silentRefusals(sold), ...compared];
      silent.push(...problems.map((problem) => `${file} ${error} ${call}: ${problem}`));
      writeFileSync(control, "");
      // The next fault meets a till that sells.
      await expect.poll(async () => (await sell(till.url)).code, { timeout: 10_000 }).toBe("0000");
    }
    till.child.kill("SIGKILL");
  };
  const queue = (library ? files : []).entries();
  const lane = async () => {
    for (const [n, file] of queue) await play(file, n);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  process.stdout.write(`${rows.toSorted().join("\n")}\n`);
  expect(silent).toEqual([]);
}, 600_000);

it("a limit for open files is a line in the log at the start, and before the first connection that it resets", async () => {
  const folder = temporaryFolder();
  const { url } = await serve(folder, { shell: "ulimit -n 100;" });
  const log = () => readFileSync(join(folder, "tillseal.log"), "utf8");
  expect(log()).toContain("may open only 100 files");
  const { port, hostname } = new URL(url);
  const reset = new Promise<void>((resolve) => {
    for (let n = 0; n < 100; n++) {
      const socket = connect(Number(port), hostname);
      onTestFinished(() => void socket.destroy());
      for (const event of ["error", "end"]) socket.once(event, resolve);
    }
  });
  expect(log()).not.toContain("may open no more files");
  await reset;
  expect(log().match(/may open no more files/g)).toHaveLength(1);
});

it("a limit for the size of files that stops sales shows in /ready", async () => {
  const { folder } = await usedFolder();
  const till = await serve(folder, { shell: "ulimit -f 100;" });
  const sold = await sellAll(till.url, 40);
  expect(sold.map(({ code }) => code)).toContain("1999");
  expect(silentRefusals(sold)).toEqual([]);
}, 600_000);
