/**
 * `node service.mjs install | uninstall | start | wait | stop | backup | readable | unsent`, as administrator: the service on Windows, as a scheduled task.
 * `stop` and `uninstall` refuse if a signed receipt would be lost; `--anyway` behind them stops the service then, too.
 * The setup calls it. You can call it too, in the folder where tillseal is installed. The exit status is 1 if a step failed.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { closingSteps } from "./rights.mjs";
import { asFile, serviceTask, shutdownTask } from "./task.mjs";

const here = import.meta.dirname;
const dataDir = join(process.env.ProgramData ?? "C:\\ProgramData", "tillseal");
const startLog = join(dataDir, "log", "start.log");
const TASKS = { tillseal: [serviceTask, "serve.cmd"], "tillseal-shutdown": [shutdownTask, "stop.cmd"] };

/** ms; the first start of a version converts the store. */
const SERVICE_START_LIMIT_MS = 60_000;
const QUESTION_INTERVAL_MS = 1_000;

const steps = { install, uninstall, start, wait, stop, backup, readable, unsent };
const step = steps[process.argv[2]];
if (!step) {
  console.error(`usage: node service.mjs ${Object.keys(steps).join(" | ")}`);
  process.exit(2);
}
try {
  await step();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function install() {
  // Every user may make folders in ProgramData, also a link to another folder.
  if (fs.lstatSync(dataDir, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Error(`${dataDir} is a link; remove it, and run the setup again`);
  }
  fs.mkdirSync(join(dataDir, "log"), { recursive: true });
  for (const args of closingSteps(dataDir)) windows("icacls", ...args);
  const folder = fs.mkdtempSync(join(tmpdir(), "tillseal-task-"));
  try {
    for (const [name, [make, script]] of Object.entries(TASKS)) {
      const file = join(folder, "task.xml");
      fs.writeFileSync(file, asFile(make(join(here, script))));
      windows("schtasks", "/create", "/tn", name, "/xml", file, "/f");
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  start();
  console.log(`tillseal starts with Windows; its data is in ${dataDir}`);
}

function uninstall() {
  end();
  for (const name of Object.keys(TASKS)) attempt(() => windows("schtasks", "/delete", "/tn", name, "/f"));
  console.log(`tillseal no longer starts with Windows; your data stays in ${dataDir}`);
}

function start() {
  attempt(() => fs.rmSync(startLog));
  windows("schtasks", "/run", "/tn", "tillseal");
}

/** Waits until the service of this version answers. */
async function wait() {
  const until = Date.now() + SERVICE_START_LIMIT_MS;
  const { version } = JSON.parse(fs.readFileSync(join(here, "..", "app", "package.json"), "utf8"));
  while (runningVersion() !== version) {
    if (Date.now() > until) throw new Error(silence());
    await delay(QUESTION_INTERVAL_MS);
  }
  console.log("the service answers");
}

/** @returns undefined if no service answers */
function runningVersion() {
  try {
    return JSON.parse(tillseal("status", "--json", "--data-dir", dataDir)).version;
  } catch {
    return undefined;
  }
}

function silence() {
  const text = fs.existsSync(startLog) ? fs.readFileSync(startLog, "utf8").trim() : "";
  const words = text === "" ? "is empty or missing: Windows may not have started the task tillseal." : `says: ${text}`;
  return `The service did not answer within ${SERVICE_START_LIMIT_MS / 1000} s. ${startLog} ${words}`;
}

function stop() {
  end();
  console.log("stopped; the scheduled task tillseal starts it again with Windows, and start.cmd starts it now");
}

/** First stops the service, which finishes its answers. Then ends its task, which would start the service again after a failure. */
function end() {
  const refusal = refusalOf(...process.argv.slice(3));
  if (refusal !== undefined && runningVersion() !== undefined) throw new Error(refusal);
  attempt(() => windows("schtasks", "/end", "/tn", "tillseal"));
  // A service that hangs may stay when its task has ended.
  const left = refusal === undefined ? undefined : refusalOf();
  if (left !== undefined && !left.includes("no tillseal is running")) throw new Error(left);
}

/** @returns why the service was not stopped; undefined if it was */
function refusalOf(...flags) {
  try {
    tillseal("stop", ...flags, "--data-dir", dataDir);
  } catch (error) {
    return error.stderr.trim();
  }
}

/** Copies the store before an upgrade. The service is stopped, so the copy is complete. */
function backup() {
  if (!fs.existsSync(join(dataDir, "store", "tillseal.db"))) return;
  console.log(tillseal("backup", "--before-upgrade", "--data-dir", dataDir).trim());
}

/** Fails if this version cannot read the store, for example one that a newer version has converted. It changes nothing. */
function readable() {
  if (fs.existsSync(join(dataDir, "store", "tillseal.db"))) tillseal("changes", "--data-dir", dataDir);
}

/** Fails if receipts may not have reached the tax authority, also if a restore was interrupted, or the store is gone but not the lock. */
function unsent() {
  if (
    fs.existsSync(dataDir) &&
    fs.readdirSync(dataDir).some((name) => name.startsWith("store") || name === "tillseal.lock")
  )
    tillseal("audit", "unsent", "--data-dir", dataDir);
}

function tillseal(...args) {
  return execFileSync(process.execPath, [join(here, "..", "app", "dist", "src", "cli.js"), ...args], quiet());
}

/** @throws Error with the output of the Windows program */
function windows(program, ...args) {
  try {
    execFileSync(program, args, quiet());
  } catch (error) {
    const output = `${error.stdout ?? ""}${error.stderr ?? ""}`.trim() || error.message;
    throw new Error(`${program} ${args.join(" ")} failed: ${output}`);
  }
}

function quiet() {
  return { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8", windowsHide: true, maxBuffer: 2 ** 28 };
}

function attempt(action) {
  try {
    action();
  } catch {
    // The task does not run or does not exist.
  }
}
