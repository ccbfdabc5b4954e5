/**
 * `npm run release -- --check`: makes the package for npm and the package for shops, installs and starts each with the Node that the
 * packages contain, and looks for what would stop a release.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { nodePackage } from "./node-binary.mjs";
import { npm } from "./npm.mjs";
import { pageFaults, sizeFault } from "./release-rules.mjs";
import { ROOT } from "./stage.mjs";

const READY_MS = 60_000;
const PACKAGES = [
  { script: "npm-package.mjs", name: "npm", serve: ["--control-port", "0", "--authority-port", "0"] },
  { script: "production-package.mjs", name: "production", serve: ["--card", "pcsc"] },
];

/** @returns a sentence for each fault of the packages */
export async function packageFaults() {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-check-"));
  const node = nodePackage(`node-${process.platform}-${process.arch}`);
  try {
    const faults = [];
    for (const part of PACKAGES)
      faults.push(...(await faultsOf(part, join(folder, part.name), join(node, "bin", "node"))));
    return faults;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(dirname(node), { recursive: true, force: true });
  }
}

async function faultsOf({ script, name, serve }, folder, node) {
  execFileSync(process.execPath, [join(ROOT, "deploy", script), folder], { stdio: ["ignore", "ignore", "inherit"] });
  const tarball = join(
    folder,
    readdirSync(folder).find((file) => file.endsWith(".tgz")),
  );
  const size = sizeFault(basename(tarball), statSync(tarball).size);
  const installed = install(tarball, join(folder, "installed"));
  const pages = readdirSync(installed, { recursive: true }).filter(
    (path) => path.endsWith(".md") && !path.includes("node_modules"),
  );
  const texts = pages.map((path) => [path, readFileSync(join(installed, path), "utf8")]);
  const files = new Set(readdirSync(installed, { recursive: true }));
  return [
    ...(size === undefined ? [] : [size]),
    ...pageFaults(texts, (path) => files.has(path.replace(/\/$/, ""))).map((fault) => `The package ${name}: ${fault}`),
    ...(await startFaults(name, node, join(installed, "dist", "src", "cli.js"), [
      ...serve,
      "--data-dir",
      join(folder, "data"),
    ])),
  ];
}

/** @returns the folder of tillseal */
function install(tarball, folder) {
  mkdirSync(folder, { recursive: true });
  npm(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder, tarball], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return join(folder, "node_modules", "tillseal");
}

/** Starts the service and asks it for attention. */
async function startFaults(name, node, cli, flags) {
  // Remove the settings of this shell, so that the service starts with its defaults.
  const env = Object.fromEntries(Object.entries(process.env).filter(([variable]) => !variable.startsWith("TILLSEAL_")));
  const child = spawn(node, [cli, "serve", "--port", "0", ...flags], { stdio: ["ignore", "pipe", "pipe"], env });
  const output = [];
  const timer = setTimeout(() => child.kill("SIGKILL"), READY_MS);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      output.push(line);
      const address = /http:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(line)?.[0];
      if (address === undefined) continue;
      const { ok } = await fetch(`${address}/api/v3/attention`);
      return ok ? [] : [`The package ${name} starts, but attention is refused.`];
    }
    return [`The package ${name} does not start: ${output.join(" ")} ${await errorsOf(child)}`];
  } finally {
    clearTimeout(timer);
    if (child.exitCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
  }
}

async function errorsOf(child) {
  const parts = [];
  for await (const part of child.stderr) parts.push(part);
  return Buffer.concat(parts).toString();
}
