/** Root runs commands on the data folder of another user, who has put links in the place of every file there. */

import { execFile } from "node:child_process";
import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { makeProgram } from "../../src/commands/program.js";
import { openStore } from "../../src/ledger/database.js";
import { serve, serveProcess, tillsealProcess } from "../support/command.js";
import { CLI, environmentWith, MAY_BE_OTHER_USER, MAY_MOUNT, OTHER_USER } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";
import { built } from "../support/killed-at.js";
import { JSON_HEADERS, sale } from "../support/sale.js";
import { pin, sell } from "../support/sell.js";
import { openTill } from "../support/till.js";

const OWNER = 4711;

/** The names that commands and the service use in a data folder. */
const FILES = ["running.json", "room", "serial", "token"];
const FOLDERS = ["store.new", "before-upgrade", "card", "authority"];

/** The arguments of the commands that have some. A command that is not here gets none. */
const ARGUMENTS: Readonly<Record<string, (outside: string) => readonly string[]>> = {
  "audit export": (outside) => [join(outside, "stick"), "--uid", "TESTCARD", "--same-disk"],
  "audit import": (outside) => [join(outside, "stick")],
  backup: (outside) => [join(outside, "copy.db")],
  "data export": (outside) => [join(outside, "exported")],
  "data erase": () => ["--before", "2099-01-01", "--yes"],
  "incidents confirm": () => ["1"],
  "incidents decide": () => ["order-1", "--signed"],
  restore: (outside) => [join(outside, "backup.db")],
  report: () => ["--from", "2026-01-01"],
  serve: () => ["--port", "0", "--authority-url", "http://127.0.0.1:1"],
};

function commandsWithFolder(command: Command, path: readonly string[] = []): string[] {
  const below = command.commands.flatMap((one) => commandsWithFolder(one, [...path, one.name()]));
  const longs = command.options.map(({ long }) => long);
  return longs.includes("--data-dir") && longs.includes("--config") ? [path.join(" "), ...below] : below;
}

const RECURSIVE = { recursive: true, encoding: "utf8" } as const;

interface Machine {
  readonly dataDir: string;
  readonly outside: string;
}

function machine(link: (dataDir: string, outside: string) => void): Machine {
  const [dataDir, outside] = [temporaryFolder(), temporaryFolder()];
  openStore(dataDir).close();
  writeFileSync(join(outside, "secret"), "root's", { mode: 0o644 });
  mkdirSync(join(outside, "stick"));
  for (const name of ["", ...readdirSync(dataDir, RECURSIVE)]) chownSync(join(dataDir, name), OWNER, OWNER);
  link(dataDir, outside);
  return { dataDir, outside };
}

/** The parts of a tree that a command must not change. */
function stateOf(folder: string): (string | number)[][] {
  return readdirSync(folder).map((name) => {
    const { mode, uid, size } = statSync(join(folder, name));
    return [name, mode, uid, size];
  });
}

describe.runIf(process.getuid?.() === 0)("a command that root runs on another user's data folder", async () => {
  const commands = commandsWithFolder(await makeProgram());

  it("is tried in each of its forms", () => {
    expect(commands.length).toBeGreaterThan(15);
    expect(commands).toEqual(expect.arrayContaining(Object.keys(ARGUMENTS)));
  });

  it.each(commands)("follows no link there: %s", async (name) => {
    const { dataDir, outside } = machine((folder, other) => {
      rmSync(join(folder, "tillseal.lock"));
      symlinkSync(join(other, "secret"), join(folder, "tillseal.lock"));
      for (const file of FILES) symlinkSync(join(other, `made-by-${file}`), join(folder, `tillseal.${file}`));
      for (const file of FOLDERS) symlinkSync(other, join(folder, file));
    });
    const before = stateOf(outside);
    const args = ARGUMENTS[name]?.(outside) ?? [];
    await tillsealProcess([...name.split(" "), ...args, "--data-dir", dataDir, "--card", "pcsc"]);
    expect(stateOf(outside).filter(([file]) => file !== "copy.db" && file !== "exported")).toEqual(before);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("root's");
    expect(strangers(dataDir)).toEqual([]);
  });
});

/** Runs commands one after the other in one process, whose user has no home folder. */
const RUN_ALL = `
  const { makeProgram, runProgram } = await import(${built("src", "commands", "program.js")});
  const { runIn } = await import(${built("src", "commands", "surroundings.js")});
  const { EventEmitter } = await import("node:events");
  const { PassThrough } = await import("node:stream");
  for (const args of JSON.parse(process.argv[1])) {
    const [stdin, stdout, stderr] = [0, 1, 2].map(() => new PassThrough({ encoding: "utf8" }));
    const exit = () => undefined;
    const around = Object.assign(new EventEmitter(), { stdin, stdout, stderr, env: process.env, exit });
    await runIn(around, async () => runProgram(await makeProgram(), args));
    console.log(JSON.stringify([args.join(" "), (stdout.read() ?? "") + (stderr.read() ?? "")]));
  }`;

it.runIf(MAY_BE_OTHER_USER)(
  "a user without a home folder and without variables is asked in a sentence to name the data folder, by each command",
  async () => {
    const commands = commandsWithFolder(await makeProgram());
    const lines = commands.map((name) => [...name.split(" "), ...(ARGUMENTS[name]?.("/tmp") ?? [])]);
    const [command, ...before] = OTHER_USER;
    const script = ["--input-type=module", "-e", RUN_ALL, JSON.stringify(lines)];
    const { stdout } = await promisify(execFile)(
      command,
      [...before, "TILLSEAL_CARD=pcsc", process.execPath, ...script],
      { timeout: 60_000 },
    );
    const said = stdout.trim().split("\n");
    const sentence =
      "tillseal: this user has no home folder, so the data folder has no default: name it with --data-dir DIR or TILLSEAL_DATA_DIR\n";
    expect(said.map((line) => JSON.parse(line) as unknown)).toEqual(lines.map((line) => [line.join(" "), sentence]));
  },
);

/** Every command that writes or reads a file outside the data folder, with what it answers. */
const OUTSIDE = [
  ["backup", "copy.db"],
  ["data", "export", "exported"],
  ["audit", "export", "stick", "--same-disk"],
  ["audit", "export", "stick", "--same-disk", "--from", "copy.db"],
  ["audit", "import", "stick"],
] as const;

it.runIf(process.getuid?.() === 0)(
  "root uses files that only root may touch, while the service of another user runs, in each command that names some",
  async () => {
    const { dataDir, outside } = machine(() => undefined);
    const place = (name: string) => (/^(copy.db|exported|stick)$/.test(name) ? join(outside, name) : name);
    writeFileSync(join(outside, "settings.yaml"), "{}\n", { mode: 0o600 });
    const run = (args: readonly string[]) =>
      tillsealProcess([...args.map(place), "--data-dir", dataDir, "--config", join(outside, "settings.yaml")]);
    const service = await serveProcess(["--data-dir", dataDir, "--no-authority", "--control-port", "0"]);
    await pin(service);
    expect(await sell(service)).toMatchObject({ totalCounter: 1 });
    mkdirSync(join(outside, "stick", "TESTCARD"));
    writeFileSync(join(outside, "stick", "TESTCARD", "TESTCARD.commands"), "[]", { mode: 0o600 });
    for (const args of OUTSIDE) expect([args, await run(args)]).toMatchObject([args, { status: 0, stderr: "" }]);
    expect(strangers(outside, 0)).toEqual([]);
    service.process.kill("SIGKILL");
    await service.exited;
    expect(await run(["restore", "copy.db"])).toMatchObject({ status: 0, stderr: "" });
    expect(strangers(dataDir)).toEqual([]);
  },
  60_000,
);

/** Files in a folder that do not belong to its owner. Links are the owner's. */
function strangers(folder: string, owner = OWNER): string[] {
  const entries = readdirSync(folder, { ...RECURSIVE, withFileTypes: true }).filter((one) => !one.isSymbolicLink());
  const files = entries.map(({ parentPath, name }) => join(parentPath, name));
  // Node 24 lists what is behind a link to a folder, too.
  return files.filter((file) => realpathSync(file) === file && statSync(file).uid !== owner);
}

/** Runs tillseal with another disk mounted on a folder, as a stick would be. */
async function withStick(mountPoint: string, args: readonly string[]) {
  const disk = temporaryFolder();
  for (const name of ["lower", "upper", "work"]) mkdirSync(join(disk, name));
  const layers = ["lower", "upper", "work"].map((name) => `${name}dir=${join(disk, name)}`).join();
  const mount = `mount -t overlay overlay -o ${layers} "$1" && shift && exec "$@"`;
  const line = ["-m", "sh", "-c", mount, "sh", mountPoint, process.execPath, CLI, ...args];
  await promisify(execFile)("unshare", line, { env: environmentWith() });
  return join(disk, "upper");
}

it.runIf(MAY_MOUNT)(
  "a copy on another disk counts as carried, one in the mount point does not",
  async () => {
    const [dataDir, mountPoint] = [temporaryFolder(), temporaryFolder()];
    const { url } = await serve(["--data-dir", dataDir, "--no-authority"]);
    const post = (path: string, body: object) =>
      fetch(`${url}/api/v3${path}`, { method: "POST", headers: JSON_HEADERS, body: JSON.stringify(body) });
    await post("/pin", { pin: "1234" });
    await post("/invoices", sale());
    const unsent = async () => (await tillsealProcess(["audit", "unsent", "--data-dir", dataDir])).status;
    const exporting = ["audit", "export", mountPoint, "--data-dir", dataDir];
    expect((await tillsealProcess(exporting)).status).toBe(1);
    expect((await tillsealProcess([...exporting, "--same-disk"])).status).toBe(0);
    expect(await unsent()).toBe(1);
    const stick = await withStick(mountPoint, exporting);
    expect(readdirSync(join(stick, "TESTCARD"))).toContain("TESTCARD-TESTCARD-1.json");
    expect(await unsent()).toBe(0);
  },
  60_000,
);

/** Runs tillseal with the data folder on a disk that cannot be written. */
async function onReadOnlyDisk(dataDir: string, args: readonly string[]) {
  const mount = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"';
  const line = ["-m", "sh", "-c", mount, "sh", dataDir, process.execPath, CLI, ...args, "--data-dir", dataDir];
  return promisify(execFile)("unshare", line, { env: environmentWith() });
}

it.runIf(MAY_MOUNT).each(["verify", "changes", "report", "audit status", "incidents"])(
  "a command that only reads works on a disk that cannot be written: %s",
  async (command) => {
    const dataDir = temporaryFolder();
    const till = await openTill({ settings: { dataDir } });
    await till.sell();
    await till.stop();
    const before = readdirSync(dataDir);
    const { stdout } = await onReadOnlyDisk(dataDir, command.split(" "));
    expect(stdout).toMatch(/nothing is wrong|Total|TESTCARD|program|no reports/);
    expect(readdirSync(dataDir)).toEqual(before);
  },
  60_000,
);
