/** A container engine for the tests: the running one or, in CI as root on Debian, a podman that is started here. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inCi, installInCi } from "../support/needed.mjs";

const PACKAGES = ["podman", "runc", "netavark", "aardvark-dns", "iptables", "debootstrap", "docker-compose", "tar"];
const isRoot = process.getuid?.() === 0;

const works = (command, args, env = {}) =>
  spawnSync(command, args, { stdio: "ignore", env: { ...process.env, ...env } }).status === 0;

/** @returns `{ cli, env, stop }`, or undefined when there is no engine and none may be started */
export async function findEngine() {
  if (works("docker", ["info"])) return { cli: "docker", env: {}, stop: () => undefined };
  if (!inCi || !isRoot || !existsSync("/etc/debian_version")) return undefined;
  if (!["podman", "debootstrap", "docker-compose", "runc"].every((tool) => works("which", [tool]))) {
    installInCi(PACKAGES);
  }
  return startPodman();
}

/** Has its own settings and storage, so nothing else on the machine changes. */
async function startPodman() {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "tillseal", "engine");
  const run = join(tmpdir(), `tillseal-engine-${process.pid}`);
  for (const made of [folder, run]) mkdirSync(made, { recursive: true });
  // crun fails when limits cannot be raised and both cgroup versions exist; runc with these limits works.
  writeFileSync(
    join(run, "containers.conf"),
    `[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
`,
  );
  const [graph, state] = [join(folder, "storage"), join(run, "state")];
  writeFileSync(
    join(run, "storage.conf"),
    `[storage]\ndriver = "overlay"\ngraphroot = "${graph}"\nrunroot = "${state}"\n`,
  );
  const socket = `unix://${join(run, "podman.sock")}`;
  const env = {
    CONTAINERS_CONF: join(run, "containers.conf"),
    CONTAINERS_STORAGE_CONF: join(run, "storage.conf"),
    DOCKER_HOST: socket,
    // Ryuk asks for rights that podman's socket does not give; the tests stop their containers themselves.
    TESTCONTAINERS_RYUK_DISABLED: "true",
  };
  const service = spawn("podman", ["system", "service", "--time=0", socket], {
    stdio: ["ignore", "ignore", openSync(join(run, "service.log"), "a")],
    env: { ...process.env, ...env },
  });
  const stop = () => {
    service.kill();
    rmSync(run, { recursive: true, force: true });
  };
  for (let tries = 0; tries < 100; tries++) {
    if (existsSync(join(run, "podman.sock"))) return { cli: "podman", env, stop };
    await delay(100);
  }
  throw new Error("podman was started and does not answer");
}
