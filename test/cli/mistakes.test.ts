/** A user's mistake at the terminal is answered with a sentence and exit status 2, never with a stack trace. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createEmulator, type Emulator } from "../../harness/testkit.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { makeProgram } from "../../src/commands/program.js";
import { listen, urlOf } from "../../src/http/listen.js";
import { tillseal } from "../support/command.js";
import { RECORDED_URLS } from "../support/recorded.js";

const folder = mkdtempSync(join(tmpdir(), "tillseal-mistakes-"));
const file = (name: string) => join(folder, name);
const [REAL] = RECORDED_URLS;
/** Another program, which answers every request with a page. */
const other = createServer((_request, response) => void response.end("<html>"));
let running: Emulator;

beforeAll(async () => {
  running = await createEmulator();
  for (const name of ["empty", "folders/one.yaml", "unlinked", "data/store", "card/card"]) {
    mkdirSync(file(name), { recursive: true });
  }
  writeFileSync(file("broken.yaml"), "port: [");
  writeFileSync(file("broken.json"), '{ "port": ');
  writeFileSync(
    file("bomb.yaml"),
    `a: &a [${"x,".repeat(99)}]\nb: &b [${"*a,".repeat(99)}]\nc: [${"*b,".repeat(99)}]\n`,
  );
  writeFileSync(file("list.yaml"), "[]");
  writeFileSync(file("serbia.yaml"), "environment: serbia");
  for (const [i, [line]] of CONFIG_FILES.entries()) writeFileSync(file(`config-${i}.yaml`), line);
  for (const [i, [line]] of PROFILES.entries()) writeFileSync(file(`profile-${i}.yaml`), line);
  for (const [i, [line]] of GIVENS.entries()) writeFileSync(file(`given-${i}.yaml`), line);
  for (const [i, [line]] of SCENARIOS.entries()) writeFileSync(file(`steps-${i}.yaml`), line);
  writeFileSync(file("text.txt"), "text");
  writeFileSync(file("windows-1250.yaml"), Buffer.from("name: Op\x9ata stopa\n", "latin1"));
  writeFileSync(
    file("data/store/tillseal.db"),
    "this is no database, and longer than a header of one would be".repeat(9),
  );
  writeFileSync(file("card/card/TESTCARD.json"), "{");
  symlinkSync("loop.yaml", file("loop.yaml"));
  symlinkSync("nowhere.yaml", file("unlinked/one.yaml"));
  await listen(other, { port: 0, host: "127.0.0.1" });
});
afterAll(async () => {
  await running.close();
  other.close();
  rmSync(folder, { recursive: true });
});

/** Every command that reads settings, with its other arguments. */
const WITH_SETTINGS = [
  ["serve"],
  ["status"],
  ["stop"],
  ["config"],
  ["doctor"],
  ["verify"],
  ["incidents", "list"],
  ["incidents", "confirm", "--all"],
  ["incidents", "decide", "order-1", "--signed"],
  ["audit", "status"],
  ["audit", "now"],
  ["audit", "export", "FOLDER/stick"],
  ["audit", "import", "FOLDER"],
  ["backup", "FOLDER/copy.db"],
  ["restore", "FOLDER/copy.db"],
] as const;
const ON_FILES = [["run"], ["list"], ["show"], ["coverage"]].map(([name]) => ["scenario", String(name)]);
const SERVE = ["serve", "--port", "0", "--control-port", "0"];
const NOBODY = "http://127.0.0.1:1";
const NOWHERE = ["--url", "https://localhost:1", "--ca", "FOLDER/text.txt"];
/** Each placeholder of the table is an address or a folder. */
const PLACES = { SERVICE: "http://localhost:1/api/v3", CONTROL: "http://localhost:1/control" };

/** Contents of configuration and scenario files, each with the expected error. */
const CONFIG_FILES = [
  ["port: abc", 'FOLDER/config-0.yaml: port is "abc"; expected an integer from 0 to 65535'],
  ["prot: 1", "FOLDER/config-1.yaml: prot is not known; did you mean port? Expected one of port, host"],
  ["requestIdLength: 40", "requestIdLength is 40; expected 32 or 36"],
  ["pathSegment: a/b", 'pathSegment is "a/b"; expected letters, digits and the characters . _ ~ - only'],
] as const;
const PROFILES = [
  ["uid: abc\npintries: 3", "profile-0.yaml: pintries is not known; did you mean pinTries? Expected one of "],
  ["pinAnswers: documentd", 'pinAnswers is "documentd"; did you mean documented? It must be one of '],
  ["appletVersion: new", "appletVersion must be three numbers, such as 3.1.1"],
  ["validTo: tomorrow", "validTo must be a time such as 2026-11-21T10:00:00Z"],
  ["taxpayer: { country: Serbia }", "taxpayer.country must be two capital letters, such as RS"],
  ["pkiAids: [x]", "pkiAids[0] must be 5 to 16 bytes in hexadecimal"],
] as const;
const GIVENS = [
  ["given: { card: { tries: 0 } }", "--scenario: FOLDER/given-0.yaml: given.card.tries is not known"],
  ["given: [1]", "given must be object"],
  ["card: {}", "given is missing; steps is missing"],
  ["given: { environment: serbia }", "given.environment: there is no environment serbia"],
  // The mistake that was typed stands first, whatever else follows from it.
  [
    "given: { card: { pin: 12, uid: x, pintries: 3 } }",
    "given-4.yaml: given.card.pintries is not known; did you mean pinTries? Expected one of ",
  ],
  [
    "given: { faults: [{ on: sign, kind: removedBefor }] }",
    'given-5.yaml: given.faults[0].kind is "removedBefor"; did you mean removedBefore? It must be one of ',
  ],
  ["given: { card: { pin: '12' } }", "given.card.pin must be 4 digits as text"],
  ["given: { card: { uid: abc } }", "given.card.uid must be 8 digits and capital letters"],
  ["given: { clock: { at: noon } }", "given.clock.at must be a time such as 2026-01-31T12:00:00Z"],
  ["given: { faults: [{ on: sign, kind: statusWord, statusWord: x }] }", "statusWord must be 4 hexadecimal digits"],
] as const;

const SCENARIOS = [
  ["steps: []", ": steps must have at least 1 entry\n"],
  ["steps: [{ sale: {} }]", /^tillseal: \S+:1:\d+: steps\[0\]\.sale is not known; expected one of say, /],
  ["steps: [{ card: insrt }]", 'steps[0].card is "insrt"; did you mean insert? It must be one of insert, '],
  ["expect: [{ invoice: {} }]", /^tillseal: \S+:1:\d+: expect\[0\]\.invoice is not known; expected one of say, /],
  ["name: x\nexpect: [{ times: 1 }]", "expect[0] must be an entry with exactly one of sent, signed, notSent"],
] as const;

type Mistake = readonly [args: readonly string[], complaint: RegExp | string, status?: number];

const USAGE: readonly Mistake[] = [
  [[], "Usage: tillseal"],
  [["srve"], "unknown command 'srve'\n(Did you mean serve?)"],
  [["card"], "Usage: tillseal card"],
  [["card", "eat"], "unknown command 'eat'"],
  [["sr\u001b[2Jve"], "unknown command 'sr\\u001b[2Jve'"],
  [["backup", "--\u009b2J\u202e"], "unknown option '--\\u009b2J\\u202e'"],
  [["scenario"], "Usage: tillseal scenario"],
  [["sample"], "Usage: tillseal sample"],
  ...[["report"], ["changes"], ["data", "export"], ["conformance"]].map(
    (command): Mistake => [[...command, "--nonsense"], /unknown option '--nonsense'|required option/],
  ),
  ...[
    ["--authority-url", "http://127.0.0.1:1"],
    ["--authority-key", "card"],
    ["--authority-certificate", "FOLDER/text.txt"],
    ["--authority-proxy", "http://127.0.0.1:1"],
    ["--reader", "other"],
  ].map((ignored): Mistake => [[...SERVE, ...ignored], `${ignored[0]}: has no effect with --card emulator`]),
  [["data", "erase"], "required option '--before"],
  [["report", "--from", "yesterday"], "--from: expected a day such as"],
  [["report", "--json", "--csv"], "use one of --json and --csv"],
  [["report", "--language", "de"], "Allowed choices are sr-Cyrl-RS, "],
  [["snapshot"], "Usage: tillseal snapshot"],
  [["snapshot", "save", "FOLDER/world", "--control-url", "SERVICE"], "is SERVICE, a service; expected its control"],
  [["scenario", "run", "pin", "--base-url", "CONTROL"], "is CONTROL, a control interface; expected the service"],
  [
    ["scenario", "expect", "pos/card-changed", "--control-url", "SERVICE"],
    "is SERVICE, a service; expected its control",
  ],
  [["conformance", "CONTROL"], "is CONTROL, a control interface; expected the service"],
  [["proxy", "--target", "CONTROL"], "is CONTROL, a control interface; expected the service"],
  [["snapshot", "save"], "missing required argument 'file'"],
  [["snapshot", "load"], "missing required argument 'file'"],
  [["serve", "--colour", "red"], "unknown option '--colour'"],
  [["serve", "now"], "too many arguments for 'serve'"],
  [["serve", "--port"], "option '--port <value>' argument missing"],
  [["serve", "--port", "99999"], "--port: port is 99999; expected an integer from 0 to 65535"],
  [["serve", "--port", ""], '--port: port is ""; expected an integer from 0 to 65535'],
  [[...SERVE, "--data-dir", ""], '--data-dir: dataDir is ""; expected a text that is not empty'],
  [["card", "publish", "--vpcd-host", ""], "--vpcd-host is empty; expected a host name or an address"],
  [["pki-pin", "now"], "too many arguments for 'pki-pin'"],
  [["decode"], "missing required argument 'url'"],
  [["decode", "hello"], "not a verification URL"],
  [["backup"], "name the copy, or give --before-upgrade"],
  [["backup", "--before-upgrade", "FOLDER/copy.db"], "name the copy, or give --before-upgrade"],
  [["restore"], "name the backup, or give --none without one"],
  [["card", "make-keys"], "required option '--out <dir>' not specified"],
  [["environment", "check"], "missing required argument 'file'"],
  [["incidents", "nonsense"], "too many arguments for 'list'"],
  [["incidents", "confirm"], "name the reports to confirm, or use --all"],
  [["incidents", "decide", "order-1"], "use one of --signed and --not-signed"],
  [["audit", "nonsense"], "too many arguments for 'status'"],
  [["audit", "export"], "missing required argument 'dir'"],
  [["audit", "import"], "missing required argument 'dir'"],
  [["audit", "unsent", "now"], "too many arguments for 'unsent'"],
  [["audit", "confirm", "now"], "too many arguments for 'confirm'"],
  [["authority", "serve", "--port", "70000"], "expected a number from 0 to 65535"],
  [["authority", "client-certificate", "TESTCARD"], "required option '--out <dir>' not specified"],
  [["authority", "client-certificate", "TESTCARD", "--out", "FOLDER/out"], "name the authority: --data-dir DIR"],
  [["authority", "client-certificate", "--out", "FOLDER/out", "--data-dir", "FOLDER/empty"], "expected the UID of a"],
  [["authority", "stick"], "missing required argument 'dir'"],
  [["authority", "stick", "FOLDER", "--url", "https://localhost:1"], "name the authority"],
  [["card", "info", "now"], "too many arguments for 'info'"],
  [["card", "list", "--reader", "x"], "unknown option '--reader'"],
  [["card", "publish", "--vpcd-port", "0"], "--vpcd-port is 0; expected a number from 1 to 65535"],
  [["conformance", "localhost:8431"], "<url> is localhost:8431; expected an address such as http://localhost:8431"],
  [["conformance", "http://127.0.0.1:OTHER"], "answers GET /api/v3/status with 200 and a web page", 3],
  [["conformance", "http://127.0.0.1:1", "--pin", "12345"], "--pin expects 4 digits"],
  [["mcp", "--port", "70000"], "expected a number from 0 to 65535"],
  [["proxy"], "required option '--target <url>' not specified"],
  [["proxy", "--target", "localhost:8431"], "expected an address such as http://localhost:8431"],
  [["proxy", "--target", "http://a:b@127.0.0.1:1"], "expected an address without user, password, ? and #"],
  [["proxy", "--target", "http://127.0.0.1:1", "--fault", "{"], "--fault {: expected JSON such as"],
  [
    ["proxy", "--target", "http://127.0.0.1:1", "--ca", "FOLDER/none.pem"],
    "none.pem: cannot be read: the file does not exist",
  ],
  [["sample", "sale", "CONTROL"], "is CONTROL, a control interface; expected the service"],
  [["sample", "invoice", "--count", "many"], "expected a number from 1 to"],
  [["sample", "invoice", "--type", "gift"], "--type gift is not known; expected normal-sale"],
  [["sample", "invoice", "--environment", "none"], "without tax rates an invoice has no labels"],
  [["scenario", "run"], "missing required argument 'path'"],
  [["scenario", "expect"], "missing required argument 'path'"],
  [["rehearse", "--from", "FOLDER/one.yaml", "--drive"], "cannot be used with option"],
  [["rehearse", "--require", "OPS-05", "--", "true"], "--require OPS-05: there is no such row; did you mean OPS-005?"],
  [["rehearse", "npm", "test"], "npm: write the command that tests the POS after --"],
  [["verify", "FOLDER/data"], "but got 1: FOLDER/data. --data-dir DIR names a data folder."],
  ...ON_FILES.map((command): Mistake => [[...command, ""], "a path is empty"]),
  [["scenario", "run", "FOLDER/none.yaml"], /^tillseal: \S+none.yaml: cannot be read: the file does not exist$/m],
  [
    ["scenario", "run", "xyzzy"],
    "it is neither a file nor one of audit/..., card/..., given/..., limit/..., online/..., pin/...",
  ],
  [["scenario", "run", "pin", "--shard", "3/2"], "expected i/n, such as 1/3"],
  [["scenario", "run", "pin", "--shard", "0/2"], "expected i/n, such as 1/3"],
  [["scenario", "run", "pin", "--reporter", "xml"], "Allowed choices are pretty, junit, json"],
  [["scenario", "run", "pin", "--wait", "60"], "expected a length of time such as 1h30m, 40s or 500ms"],
  [["scenario", "run", "pin", "--base-url", "localhost:8431"], "expected an address such as http://localhost:8431"],
  [["scenario", "run", "pin", "--control-url", "http://localhost:8432"], "--control-url needs --base-url"],
];

const NAMES: readonly Mistake[] = [
  [[...SERVE, "--environment", "serbia"], /--environment: there is no environment serbia: .*one of ba-rs, .*, none$/m],
  [["doctor", "--environment", "serbia"], "--environment: there is no environment serbia"],
  [["doctor", "--config", "FOLDER/serbia.yaml"], "FOLDER/serbia.yaml: environment: there is no environment serbia"],
  [["sample", "invoice", "--environment", "serbia"], "--environment: there is no environment serbia"],
  [
    [...SERVE, "--profile", "nobody"],
    "--profile: there is no profile nobody: it is neither a file nor one of ba-rs, default, ",
  ],
  [["card", "publish", "--profile", "nobody"], "--profile: there is no profile nobody"],
  [
    [...SERVE, "--scenario", "pin/card-lockd"],
    /--scenario: there is no scenario pin\/card-lockd; did you mean pin\/card-locked\?\n/,
  ],
  ...ON_FILES.map(
    (command): Mistake => [
      [...command, "pin/card-lockd"],
      /no scenario pin\/card-lockd; did you mean pin\/card-locked\?\n/,
    ],
  ),
];

const UNREADABLE: readonly Mistake[] = [
  ...WITH_SETTINGS.flatMap((command): Mistake[] => [
    [
      [...command, "--config", "FOLDER/nowhere.yaml"],
      "--config: FOLDER/nowhere.yaml: cannot be read: the file does not exist",
    ],
  ]),
  [["config", "--config", "FOLDER/empty"], "--config: FOLDER/empty: cannot be read: it is a folder, not a file"],
  [
    ["config", "--config", "FOLDER/loop.yaml"],
    "FOLDER/loop.yaml: cannot be read: it is a symbolic link that leads back to itself",
  ],
  [["config", "--config", "FOLDER/text.txt/x"], "cannot be read: a part of its path is not a folder"],
  [["config", "--config", "FOLDER/broken.yaml"], /FOLDER\/broken\.yaml:1:\d+: cannot be read: Flow sequence/],
  [["config", "--config", "FOLDER/broken.json"], /FOLDER\/broken\.json:\d+:\d+: cannot be read: /],
  [["config", "--config", "FOLDER/bomb.yaml"], "FOLDER/bomb.yaml: cannot be read: Excessive alias count"],
  ...CONFIG_FILES.map(([, complaint], i): Mistake => [["config", "--config", `FOLDER/config-${i}.yaml`], complaint]),
  [["config", "--config", "FOLDER/list.yaml"], "must contain settings as key: value lines"],
  ...[
    ["config", "--config"],
    ["environment", "check"],
    ...["--environment", "--profile", "--scenario"].map((flag) => [...SERVE, flag]),
    ["scenario", "run"],
  ].map((command): Mistake => {
    const file = "FOLDER/windows-1250.yaml";
    return [[...command, file], `tillseal: ${file} is not UTF-8 (byte 9): save it as UTF-8\n`];
  }),
  ...PROFILES.map(([, complaint], i): Mistake => [[...SERVE, "--profile", `FOLDER/profile-${i}.yaml`], complaint]),
  ...GIVENS.map(([, complaint], i): Mistake => [[...SERVE, "--scenario", `FOLDER/given-${i}.yaml`], complaint]),
  ...SCENARIOS.map(([, complaint], i): Mistake => [["scenario", "run", `FOLDER/steps-${i}.yaml`], complaint]),
  ...["--environment", "--profile", "--scenario"].flatMap((flag): Mistake[] => [
    [[...SERVE, flag, "FOLDER/empty"], `${flag}: FOLDER/empty: cannot be read: it is a folder`],
    [[...SERVE, flag, "FOLDER/broken.yaml"], `${flag}: FOLDER/broken.yaml:1:`],
    [[...SERVE, flag, "FOLDER/list.yaml"], `${flag}: FOLDER/list.yaml: the file must be object`],
  ]),
  [[...SERVE, "--record", "FOLDER/empty"], "the recording cannot be written"],
  [[...SERVE, "--record", "FOLDER/nowhere/day.yaml"], "the recording cannot be written"],
  [[...SERVE, "--data-dir", "FOLDER/card"], "TESTCARD.json is damaged"],
  [["card", "publish", "--profile", "FOLDER/empty"], "--profile: FOLDER/empty: cannot be read"],
  ...ON_FILES.flatMap((command): Mistake[] => [
    [[...command, "FOLDER/broken.yaml"], /FOLDER\/broken\.yaml:1:\d+: /],
    [[...command, "FOLDER/bomb.yaml"], "FOLDER/bomb.yaml: cannot be read: Excessive alias count"],
    [[...command, "FOLDER/unlinked"], "one.yaml: cannot be read: the file does not exist"],
  ]),
  [["environment", "check", "FOLDER/nowhere.yaml"], "FOLDER/nowhere.yaml: cannot be read: the file does not exist"],
  [["environment", "check", "FOLDER/empty"], "FOLDER/empty: cannot be read: it is a folder, not a file"],
  [["scenario", "run", "FOLDER/folders"], "one.yaml: cannot be read: it is a folder, not a file"],
  [
    ["decode", REAL.url, "--key", "FOLDER/nowhere.pem"],
    "--key: FOLDER/nowhere.pem: cannot be read: the file does not exist",
  ],
  [["decode", REAL.url, "--key", "FOLDER/empty"], "--key: FOLDER/empty: cannot be read: it is a folder"],
  [["decode", REAL.url, "--key", "FOLDER/text.txt"], "neither a public key in PEM nor a certificate"],
];

/** Valid arguments that cannot be carried out. */
const FAILED: readonly Mistake[] = [
  [["authority", "stick", "FOLDER", "--data-dir", "FOLDER/empty"], "tillseal authority serve prints its folder", 1],
  [["authority", "stick", "FOLDER/empty", ...NOWHERE], "no whole answer from the authority at https://localhost:1", 1],
  [["incidents", "--port", "OTHER"], "no tillseal is running at http://127.0.0.1:OTHER", 1],
  [["incidents", "confirm", "--all", "--data-dir", "FOLDER/empty"], "there is no FOLDER/empty/store/tillseal.db", 1],
  [
    ["snapshot", "save", "FOLDER/world", "--control-url", `${NOBODY}/control`],
    `no answer from an emulator at ${NOBODY}`,
    1,
  ],
  [["backup", "--data-dir", "FOLDER/data", "FOLDER/empty"], "FOLDER/empty exists already", 1],
  [[...SERVE, "--data-dir", "FOLDER/text.txt"], "the data folder is a file, or one of its parts is: ENOTDIR", 1],
  [[...SERVE, "--data-dir", "FOLDER/data"], "The store is damaged (FOLDER/data)", 1],
  [[...SERVE, "--host", "nowhere.invalid"], "host nowhere.invalid cannot be resolved on this machine", 1],
  [[...SERVE, "--control-host", "192.0.2.1"], "control-host 192.0.2.1 is not an address of this machine", 1],
  [[...SERVE, "--port", "OTHER"], "port OTHER is in use at 127.0.0.1; --port 0 picks a free one", 1],
  [[...SERVE, "--port", "RUNNING"], "in use at 127.0.0.1 by a tillseal that runs already, with its console at", 1],
  [["status", "--port", "OTHER"], "no tillseal is running at http://127.0.0.1:OTHER", 1],
  [["stop", "--port", "OTHER"], "no tillseal is running at http://127.0.0.1:OTHER", 1],
  [["environment", "check", "FOLDER/list.yaml"], "FOLDER/list.yaml: the file must be object", 1],
  [["stop", "--data-dir", "FOLDER/text.txt"], "no tillseal is running with the data folder FOLDER/text.txt", 1],
  [["backup", "--data-dir", "FOLDER/empty", "FOLDER/copy.db"], "there is no FOLDER/empty/store/tillseal.db", 1],
  [["backup", "--data-dir", "FOLDER/data", "FOLDER/copy.db"], "The store is damaged (FOLDER/data)", 1],
  [["restore", "--data-dir", "FOLDER/empty", "FOLDER/text.txt"], "FOLDER/text.txt is not an intact backup", 1],
  [["incidents", "--data-dir", "FOLDER/data"], "The store is damaged (FOLDER/data)", 1],
  [["audit", "--data-dir", "FOLDER/data"], "FOLDER/data", 1],
  [["verify", "--data-dir", "FOLDER/data"], "The store is damaged (FOLDER/data)", 1],
  [["verify", "--data-dir", "FOLDER/empty"], "there is no FOLDER/empty/store/tillseal.db", 1],
  [["verify", "--data-dir", "FOLDER/\u001b[2J"], "there is no FOLDER/\\u001b[2J/store/tillseal.db", 1],
  [["backup", "--data-dir", "FOLDER/data", "FOLDER/text.txt"], "FOLDER/text.txt exists already", 1],
  [["backup", "--data-dir", "FOLDER/data", "FOLDER/nowhere/copy.db"], "the folder FOLDER/nowhere does not exist", 1],
  [["card", "make-keys", "--out", "FOLDER/text.txt"], "EEXIST: file already exists", 1],
  [
    ["scenario", "run", "pin", "--base-url", "http://127.0.0.1:OTHER", "--control-url", "http://127.0.0.1:OTHER"],
    "what answers at http://127.0.0.1:OTHER is not a control interface",
    1,
  ],
  [["scenario", "run", "FOLDER/empty"], "nothing was played: there is no scenario in FOLDER/empty", 3],
];

it.each([
  [{ TILLSEAL_PROT: "1" }, "TILLSEAL_PROT: there is no such setting; did you mean TILLSEAL_PORT?"],
  [{ TILLSEAL_TEST_INVIOCE: "true" }, "TILLSEAL_TEST_INVIOCE: there is no such setting"],
  [{ TILLSEAL_PORT: "nothing" }, 'TILLSEAL_PORT: port is "nothing"; expected an integer'],
  [{ TILLSEAL_ENVIRONMENT: "serbia" }, "TILLSEAL_ENVIRONMENT: there is no environment serbia"],
  [{ TILLSEAL_CONFIG: "/nowhere.yaml" }, "TILLSEAL_CONFIG: /nowhere.yaml: cannot be read"],
])("a TILLSEAL_ variable that is wrong is reported: %j", async (variables, complaint) => {
  const { status, stderr } = await tillseal(["doctor"], variables);
  expect([status, stderr]).toEqual([2, expect.stringContaining(complaint)]);
  expect(stderr).not.toContain("    at ");
});

it("a TILLSEAL_ variable of the repository's compose file is ignored", async () => {
  const compose = readFileSync(join(PACKAGE_ROOT, "docker", "compose.yaml"), "utf8");
  const names = [...compose.matchAll(/\$\{(TILLSEAL_\w+)/g)].flatMap(([, name = ""]) => name);
  const variables = [...names, "TILLSEAL_CACHE"].map((name) => [name, "http://192.168.1.20:8431"]);
  expect(names).toContain("TILLSEAL_PUBLISHED_PORT");
  const checked = await tillseal(["config", "--json"], Object.fromEntries(variables));
  expect(checked).toMatchObject({ status: 0, stderr: "" });
});

it("a TILLSEAL_ variable that an orchestrator sets for a service named tillseal is ignored", async () => {
  const variables = {
    TILLSEAL_SERVICE_HOST: "10.0.0.1",
    TILLSEAL_SERVICE_PORT_HTTP: "8431",
    TILLSEAL_PORT: "tcp://10.0.0.1:8431",
    TILLSEAL_PORT_8431_TCP_ADDR: "10.0.0.1",
    TILLSEAL_SHOP_PORT: "tcp://10.0.0.2:8431",
  };
  const { status, stdout } = await tillseal(["config", "--json"], variables);
  const { settings } = JSON.parse(stdout) as { settings: { setting: string; value: unknown }[] };
  expect([status, settings[0]]).toMatchObject([0, { setting: "port", value: 8431 }]);
});

/** Leaf commands, such as `scenario run`. */
function commandsOf(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(" ")];
  return command.commands.flatMap((below) => commandsOf(below, [...path, below.name()]));
}

const rows = [...USAGE, ...NAMES, ...UNREADABLE, ...FAILED].map(([args, complaint, status = 2]) => {
  return { args, complaint, status };
});

it("tillseal has a mistake in this table for every command", async () => {
  const tried = rows.map(({ args }) => `${args.join(" ")} `);
  const untried = commandsOf(await makeProgram()).filter((name) => !tried.some((args) => args.startsWith(`${name} `)));
  expect(untried).toEqual([]);
});

it.each(rows)("tillseal answers $args with $complaint and $status", async ({ args, complaint, status }) => {
  const port = new URL(urlOf(other) ?? "").port;
  const places = { ...PLACES, FOLDER: folder, OTHER: port, RUNNING: new URL(running.url).port };
  const filled = (text: string) => Object.entries(places).reduce((all, place) => all.replaceAll(...place), text);
  const ended = await tillseal(args.map(filled));
  if (typeof complaint === "string") expect(ended.stderr).toContain(filled(complaint));
  else expect(ended.stderr.replaceAll(folder, "FOLDER")).toMatch(complaint);
  expect(ended.stderr).toMatch(/^(tillseal: |Usage: )/);
  expect(ended.stderr).not.toContain("    at ");
  expect(ended.stderr).not.toMatch(/[^\P{Cc}\n]/u);
  expect([ended.stdout, ended.status]).toEqual(["", status]);
});
