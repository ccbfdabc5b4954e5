/**
 * Runs the clients of clients/ against emulators of this build, and their pages of docs/ in an empty folder. Each client
 * has to prove every behaviour of clients/behaviours.json. CI=true installs missing packages and makes leaving anything
 * out a failure.
 * @param process.argv languages, or `--all`; default: those of `npm run test:all`
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildIfChanged } from "../../build/build.mjs";
import { howToInstall } from "../../deploy/publisher.mjs";
import { inCi, installInCi, leaveOut, succeeds } from "../support/needed.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BEHAVIOURS = JSON.parse(readFileSync(join(ROOT, "clients", "behaviours.json"), "utf8")).map(({ name }) => name);
const IN_TEST_ALL = ["php", "python", "typescript"];

const OK = /^ok (\S+)$/gm;
const MONO = "/usr/lib/mono/4.5";

/**
 * `needs` is a shell command that succeeds when `packages` are installed. `run` compiles into $OUT; without it, only the page is
 * followed. `proved` finds the names of the tests that passed; only letters are compared, because languages write names
 * differently. `section` is one of docs/languages.md.
 */
const CLIENTS = {
  php: { needs: "command -v php", packages: ["php-cli"], run: "php test.php", proved: OK, section: "PHP" },
  python: {
    needs: "command -v python3",
    packages: ["python3"],
    run: "python3 -B -m unittest -v test_till",
    proved: /^test_(\w+) .* ok$/gm,
  },
  go: {
    needs: "command -v go",
    packages: ["golang-go"],
    run: "go test -count=1 -v",
    proved: /^--- PASS: Test(\w+)/gm,
  },
  java: {
    needs: "command -v javac",
    packages: ["default-jdk-headless"],
    run: 'javac -encoding UTF-8 -Xlint:all -Werror -d "$OUT" fiscal/*.java; java -cp "$OUT" fiscal.TillTest',
    proved: OK,
    section: "Java",
  },
  csharp: {
    needs: `command -v mcs && ls ${MONO}/System.Net.Http.dll ${MONO}/System.Runtime.Serialization.dll`,
    packages: ["mono-mcs", "libmono-system-net-http4.0-cil", "libmono-system-runtime-serialization4.0-cil"],
    run: 'mcs -warnaserror -r:System.Net.Http -r:System.Runtime.Serialization -out:"$OUT/t.exe" *.cs; mono "$OUT/t.exe"',
    proved: OK,
    section: "C#",
  },
  pascal: {
    needs: "command -v fpc",
    packages: ["fpc"],
    run: 'fpc -l- -v0ew -Sew -FE"$OUT" TillTest.pas; "$OUT/TillTest"',
    proved: OK,
    section: "Free Pascal",
  },
  typescript: { needs: "command -v node", packages: [], section: "TypeScript and JavaScript" },
};

const say = (text) => process.stdout.write(`${text}\n`);
const letters = (name) => name.toLowerCase().replace(/[^a-z]/g, "");
const isThere = ({ needs }) => succeeds(needs);
/** The service refuses unknown variables with its prefix, such as those of the test run. */
const outside = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("TILLSEAL_")));
const shell = (command, cwd, env = {}) =>
  spawnSync("bash", ["-euo", "pipefail", "-c", command], {
    cwd,
    encoding: "utf8",
    timeout: 300_000,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...outside, ...env },
  });

let passed = 0;
let failed = 0;
function result(name, isRight, output) {
  if (isRight) passed += 1;
  else failed += 1;
  say(`${isRight ? "ok" : "not ok"} ${name}`);
  if (!isRight) say(output);
}

/** @returns whether it can run */
function isReady(name) {
  if (isThere(CLIENTS[name])) return true;
  leaveOut(`the client in ${name}; it needs: apt-get install ${CLIENTS[name].packages.join(" ")}`);
  if (inCi) failed += 1;
  return false;
}

function prove(name) {
  const { run, proved } = CLIENTS[name];
  const out = mkdtempSync(join(tmpdir(), "tillseal-client-"));
  const env = { TILLSEAL: `${process.execPath} ${join(ROOT, "dist", "src", "cli.js")}`, OUT: out };
  const folder = join(ROOT, "clients", name);
  const { status, stdout, stderr } = shell(run, folder, env);
  const judged = shell('$TILLSEAL rehearse -- bash -euo pipefail -c "$RUN"', folder, { ...env, RUN: run });
  const unstarted = shell(run, folder, { ...env, TILLSEAL: "not-a-command" });
  rmSync(out, { recursive: true, force: true });
  const output = `${stdout}${stderr}`;
  const names = new Set([...output.matchAll(proved)].map(([, proof]) => letters(proof)));
  for (const behaviour of BEHAVIOURS) result(`${name}: ${behaviour}`, names.has(letters(behaviour)), "not proved");
  result(
    `${name}: ends well, with nothing that is not in the list`,
    status === 0 && names.size === BEHAVIOURS.length,
    output,
  );
  result(`${name}: is right for rehearse, too`, judged.status === 0, judged.stdout + judged.stderr);
  // A status of null means a signal: one fixture sent it to its own group.
  const message = `${unstarted.stdout}${unstarted.stderr}`;
  result(
    `${name}: says that tillseal did not start`,
    unstarted.status > 0 && message.includes("not-a-command"),
    message,
  );
}

/** @returns {string | undefined} a folder with the tarball where `npm run build:npm` puts it in a checkout */
function pack() {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-page-"));
  const out = join(folder, "checkout", "out");
  mkdirSync(out, { recursive: true });
  const { status, stderr } = shell(`npm pack --ignore-scripts --silent --pack-destination "${out}"`, ROOT);
  if (status === 0) return folder;
  result("the page: the package is packed", false, stderr);
  return undefined;
}

/**
 * Runs the commands with which README.md gets the package before it is published, and those of docs/languages.md for one language,
 * as printed. Only the package itself is made before.
 */
function followSection(section, folder) {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const [start, ...sections] = readFileSync(join(ROOT, "docs", "languages.md"), "utf8").split(/^(?=## )/m);
  const install = howToInstall(version, false, { repository: "" });
  const text = [install, start, ...sections.filter((one) => one.startsWith(`## ${section}\n`))]
    .join("\n")
    .replace(/^npm ci && npm run build:npm\n/m, "");
  const blocks = [...text.matchAll(/```sh\n(.*?)```(?:\n\n```text\n(.*?)```)?/gs)];
  const env = { npm_config_ignore_scripts: "true", npm_config_prefer_offline: "true", npm_config_loglevel: "error" };
  const [, code] = /```ts\n(.*?)```/s.exec(text) ?? [];
  let at = join(folder, "checkout");
  for (const [, command, printed] of blocks) {
    const { status, stdout, stderr } = shell(command, at, env);
    at = join(at, /\bcd (\S+)/.exec(command)?.[1] ?? "");
    if (code !== undefined) writeFileSync(join(at, "till.test.ts"), code);
    const [first] = command.split("\n");
    result(`${section}: ${first}`, status === 0 && (printed === undefined || stdout === printed), stdout + stderr);
    if (printed === undefined) continue;
    const last = command.trimEnd().split("\n").at(-1);
    const judged = shell(`npx --no tillseal rehearse -- ${last}`, at, env);
    result(`${section}: ${last}, under rehearse`, judged.status === 0, judged.stdout + judged.stderr);
  }
  result(`${section}: the page has commands`, blocks.length >= 2, "");
  rmSync(at, { recursive: true, force: true });
}

function followSections(sections) {
  const folder = sections.length === 0 ? undefined : pack();
  if (folder === undefined) return;
  for (const section of sections) followSection(section, folder);
  rmSync(folder, { recursive: true, force: true });
}

const [...asked] = process.argv.slice(2);
const known = Object.keys(CLIENTS);
const names = asked.length === 0 ? IN_TEST_ALL : asked.includes("--all") ? known : asked;
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  say(`there is no client in ${unknown.join(", ")}; expected ${known.join(", ")} or --all`);
  process.exit(2);
}
installInCi(names.flatMap((name) => (isThere(CLIENTS[name]) ? [] : CLIENTS[name].packages)));
buildIfChanged();
const ready = names.filter(isReady);
for (const name of ready.filter((one) => CLIENTS[one].run !== undefined)) prove(name);
followSections(ready.flatMap((name) => CLIENTS[name].section ?? []));
say(`${passed} passed, ${failed} failed`);
const reports = process.env.TILLSEAL_TEST_REPORTS;
if (reports !== undefined) {
  writeFileSync(join(reports, "clients.json"), JSON.stringify({ numPassedTests: passed, numFailedTests: failed }));
}
process.exit(failed === 0 ? 0 : 1);
