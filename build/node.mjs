/**
 * `node build/node.mjs PROGRAM [ARGUMENT...]`: builds if a source has changed, and runs a program of this checkout with a Node that
 * package.json allows. On a machine with Node 20.19 or 23 this is the Node 24 of build/older-node: npm leaves out an optional package whose
 * `engines` do not fit, so other machines do not download it. A program that people start themselves imports this file, and so does
 * src/cli.ts: with another Node the program starts again.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { platform, arch, versions } = process;
const isWindows = platform === "win32";

const PARENT_CHECK_INTERVAL_MS = 250;

const PACKAGE = `node-${isWindows ? "win" : platform}-${arch}`;
/** Not the link in .bin, which npm up to 11.6 removes. */
const OLDER_NODE = join(ROOT, "node_modules", PACKAGE, "bin", isWindows ? "node.exe" : "node");

/** A terminal sends SIGINT to every process, other senders only to the first. On Windows, `kill` would end the program at once. */
const passesOn = (signal) => !isWindows && !(signal === "SIGINT" && isatty(0));

/** Whether `engines` of package.json have this version. */
export function isAllowed(version) {
  const [major, minor] = version.split(".").map(Number);
  return major >= 24 || (major === 22 && minor >= 14);
}

/** @returns the exit status */
async function run(node, args) {
  const child = spawn(node, args, { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => passesOn(signal) && child.kill(signal));
  if ("npm_lifecycle_event" in process.env) endAfterShell(child);
  return new Promise((resolve) => {
    child.once("error", () => resolve(refuse("npm's Node.js does not run here: install Node.js 24.")));
    child.once("exit", (status, signal) => resolve(status ?? 128 + constants.signals[signal]));
  });
}

/** npm passes SIGTERM to the shell of a script, and the shell ends without its program. */
function endAfterShell(child) {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    child.kill("SIGTERM");
  }, PARENT_CHECK_INTERVAL_MS).unref();
}

function refuse(advice) {
  const needed = "tillseal needs Node.js 22.14, or 24 and later";
  process.stderr.write(`tillseal: this is Node.js ${versions.node}; ${needed}. ${advice}\n`);
  return 1;
}

async function runOlder(args) {
  process.env.PATH = `${dirname(OLDER_NODE)}${delimiter}${process.env.PATH}`;
  if (existsSync(OLDER_NODE)) return run(OLDER_NODE, args);
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, "build", "older-node", "package.json"), "utf8"));
  return refuse(
    PACKAGE in optionalDependencies ? "Run npm ci: it installs one for this folder." : "Install one of them.",
  );
}

const isProgram = process.argv[1] === fileURLToPath(import.meta.url);
if (!isAllowed(versions.node)) process.exit(await runOlder([...process.execArgv, ...process.argv.slice(1)]));
if (isProgram) {
  const status = await run(process.execPath, [join(ROOT, "build", "build.mjs"), "--if-changed"]);
  process.exit(status === 0 ? await run(process.execPath, process.argv.slice(2)) : status);
}
