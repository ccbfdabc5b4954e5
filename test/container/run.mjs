/** Builds the images and runs the tests that need a container engine. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { leaveOut } from "../support/needed.mjs";
import { findEngine } from "./engine.mjs";

const BASE = "docker.io/library/node:24-bookworm-slim";
const TARGETS = ["emulator", "card", "pcscd"];
/** With the registry's name, podman and Docker mean the same image by `tillseal:emulator`. */
const imageOf = (target) => `docker.io/library/tillseal:${target}`;

const COMMIT = execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" }).trim();
const VERSION = JSON.parse(readFileSync("package.json", "utf8")).version;

const engine = await findEngine();
if (!engine) {
  leaveOut("the container tests; they need: an engine on DOCKER_HOST or the usual socket");
  process.exit();
}
const { cli, stop } = engine;
const env = { ...process.env, ...engine.env, ENGINE: cli };
const run = (command, args, options = {}) => spawnSync(command, args, { stdio: "inherit", env, ...options }).status;
const say = (text) => process.stdout.write(`${text}\n`);

function base() {
  const quiet = { stdio: "ignore" };
  if (run(cli, ["image", "inspect", BASE], quiet) === 0 || run(cli, ["pull", BASE], quiet) === 0) return true;
  say("no registry can be reached: the base is built from Debian's packages");
  return run("docker/offline-base.sh", []) === 0;
}

function build(target) {
  say(`building tillseal:${target}`);
  // A health check is not part of the OCI format, which is podman's default.
  const format = cli === "podman" ? ["--format", "docker"] : [];
  // Podman takes a label with a build argument from its cache, with the commit of an older build.
  const labels = [`revision=${COMMIT}`, `version=${VERSION}`].flatMap((label) => [
    "--label",
    `org.opencontainers.image.${label}`,
  ]);
  const from = [
    "--build-arg",
    `COMMIT=${COMMIT}`,
    ...labels,
    "-f",
    "docker/Dockerfile",
    "--target",
    target,
    "-t",
    imageOf(target),
  ];
  const built = spawnSync(cli, ["build", ...format, "--network", "host", ...from, "."], { env, encoding: "utf8" });
  if (built.status !== 0) say(`${built.stdout}${built.stderr}`);
  else run(cli, ["image", "inspect", "--format", "{{.Size}} bytes", imageOf(target)]);
  return built.status === 0;
}

let status = 1;
if (base() && TARGETS.every(build)) {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", "container", ...process.argv.slice(2)];
  status = run(process.execPath, vitest, {
    env: { ...env, TILLSEAL_TEST_ENGINE: cli },
  });
}
stop();
process.exit(status ?? 1);
