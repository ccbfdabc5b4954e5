/**
 * What the suites need from the machine. Only CI=true installs Debian packages; there, a missing program is a failure.
 * Elsewhere the suite leaves its tests out and says so.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import "../../build/node.mjs";

/** Begins each line that names tests which did not run; test/run.mjs repeats them at the end. */
export const LEFT_OUT = "left out: ";

export const inCi = process.env.CI === "true";
const isRoot = process.getuid?.() === 0;

/** @param what the tests that do not run, with what they need */
export function leaveOut(what) {
  process.stdout.write(`${LEFT_OUT}${what}\n`);
  if (inCi) process.exitCode = 1;
}

/** Installs Debian packages with CI=true, and does nothing otherwise. */
export function installInCi(packages) {
  if (!inCi || packages.length === 0 || !existsSync("/etc/debian_version")) return;
  process.stdout.write(`installing ${packages.join(", ")}\n`);
  aptGet("update");
  aptGet("install", "-y", "--no-install-recommends", ...packages);
}

function aptGet(...args) {
  const [command, ...more] = [...(isRoot ? [] : ["sudo", "-n"]), "apt-get", ...args, "-qq"];
  execFileSync(command, more, { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
}

/** Whether a shell command succeeds. */
export const succeeds = (command) => spawnSync("sh", ["-c", command], { stdio: "ignore" }).status === 0;

/** Whether npm's registry answers. */
export const hasRegistry = () => succeeds("npm view npm version --fetch-retries=0 --fetch-timeout=5000");
