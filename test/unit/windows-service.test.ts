/** The pure parts of deploy/windows; `npm run test:windows` runs the rest. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { temporaryFolder } from "../support/folder.js";

interface Tasks {
  readonly serviceTask: (script: string) => string;
  readonly shutdownTask: (script: string) => string;
  readonly asFile: (text: string) => Buffer;
}

const FOLDER = join(PACKAGE_ROOT, "deploy", "windows");
const { serviceTask, shutdownTask, asFile } = (await import(
  pathToFileURL(join(FOLDER, "installed", "task.mjs")).href
)) as Tasks;

const { closingSteps } = (await import(pathToFileURL(join(FOLDER, "installed", "rights.mjs")).href)) as {
  closingSteps: (dataDir: string) => string[][];
};

const { isOlder } = (await import(pathToFileURL(join(FOLDER, "installed", "older.mjs")).href)) as {
  isOlder: (version: string, installed: string) => boolean;
};

const SCRIPT = "C:\\Program Files\\Pekara & Ćao\\windows\\serve.cmd";

it("the code for Windows takes the data folder, and all that is in it, from the one who made it before it gives rights", () => {
  const steps = closingSteps("C:\\ProgramData\\tillseal").map((step) => step.join(" "));
  const administrators = "*S-1-5-32-544";
  expect(steps).toEqual([
    `C:\\ProgramData\\tillseal /setowner ${administrators} /t /l /q`,
    "C:\\ProgramData\\tillseal /reset /q",
    `C:\\ProgramData\\tillseal /inheritance:r /grant:r *S-1-5-18:(OI)(CI)F ${administrators}:(OI)(CI)F *S-1-5-19:(OI)(CI)M /q`,
    "C:\\ProgramData\\tillseal\\* /reset /t /l /q",
  ]);
});

it("the code for Windows sorts versions by their numbers, and candidates before the version", () => {
  const sorted = "0.9.0 1.0.0-rc.1 1.0.0-rc.2 1.0.0-rc.10 1.0.0 1.0.1-rc.1 1.2.0 1.10.0 2.0.0".split(" ");
  for (const [at, version] of sorted.entries())
    for (const [installedAt, installed] of sorted.entries())
      expect([version, installed, isOlder(version, installed)]).toEqual([version, installed, at < installedAt]);
});

const text = serviceTask(SCRIPT);

it.each([
  ["starts with Windows, without a login", "<BootTrigger>"],
  // The SID of LOCAL SERVICE, whose name is translated.
  ["has an account with minimal rights", "<UserId>S-1-5-19</UserId>"],
  ["has no time limit", "<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>"],
  ["does not stop on batteries", "<StopIfGoingOnBatteries>false<"],
  ["starts on batteries", "<DisallowStartIfOnBatteries>false<"],
  ["restarts after a failure", "<RestartOnFailure>"],
  ["runs with normal priority instead of a task's low default", "<Priority>4</Priority>"],
  [
    "quotes the path for cmd and for XML",
    "/d /s /c &quot;&quot;C:\\Program Files\\Pekara &amp; Ćao\\windows\\serve.cmd&quot;&quot;",
  ],
])("the scheduled task of the service %s", (_, part) => {
  expect(text).toContain(part);
});

it("the scheduled task of the service is written in UTF-16 with a byte order mark, which schtasks needs for letters beyond ASCII", () => {
  const bytes = asFile(text);
  expect(bytes.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xfe]));
  expect(bytes.toString("utf16le")).toContain("Ćao");
});

it("the code for Windows stops the service when Windows begins to shut down", () => {
  expect(shutdownTask(SCRIPT)).toContain("EventID=1074");
});

it("the code for Windows starts npm on Windows through cmd, because Node does not run .cmd files", async () => {
  const { npmCommand } = (await import(pathToFileURL(join(PACKAGE_ROOT, "deploy", "npm.mjs")).href)) as {
    npmCommand: (args: string[], platform: string) => unknown;
  };
  expect(npmCommand(["ci"], "win32")).toEqual(["cmd", ["/d", "/c", "npm.cmd", "ci"]]);
  expect(npmCommand(["ci"], "linux")).toEqual(["npm", ["ci"]]);
});

const scripts = ["tillseal.cmd", ...readdirSync(join(FOLDER, "installed")).map((name) => join("installed", name))];
const commands = scripts.filter((name) => name.endsWith(".cmd"));

it("the scripts for Windows are ASCII, because cmd reads them in the machine's code page", () => {
  for (const name of commands) {
    expect([name, /[^\x20-\x7e\n]/.exec(readFileSync(join(FOLDER, name), "utf8"))]).toEqual([name, null]);
  }
});

it("the scripts for Windows quote every path below a user's folder", () => {
  for (const name of commands) {
    const bare = readFileSync(join(FOLDER, name), "utf8")
      .split("\n")
      .filter((line) => /%~dp0/.test(line.replaceAll(/"[^"]*"/g, "")));
    expect([name, bare]).toEqual([name, []]);
  }
});

/** Runs service.mjs beside a program that does nothing but `cli`. */
function serviceWith(cli: string, programData = temporaryFolder()) {
  const installed = temporaryFolder();
  cpSync(join(FOLDER, "installed"), join(installed, "windows"), { recursive: true });
  mkdirSync(join(installed, "app", "dist", "src"), { recursive: true });
  writeFileSync(join(installed, "app", "dist", "src", "cli.js"), cli);
  return (...args: string[]) => {
    const env = { ...process.env, ProgramData: programData };
    return spawnSync(process.execPath, [join(installed, "windows", "service.mjs"), ...args], { env, encoding: "utf8" });
  };
}

/** A service that answers, and refuses to stop without --anyway. */
const REFUSES = `if (process.argv[2] === "status") console.log('{"version":"1"}');
else if (!process.argv.includes("--anyway")) { console.error("1 signed receipt would be lost"); process.exit(1); }`;

it.each([
  ["stop", 1, "1 signed receipt would be lost"],
  ["uninstall", 1, "1 signed receipt would be lost"],
  ["stop --anyway", 0, "the scheduled task tillseal starts it again with Windows"],
  ["uninstall --anyway", 0, "tillseal no longer starts with Windows"],
])("the scripts for Windows end no service that would lose a receipt: %s", (step, status, message) => {
  const ended = serviceWith(REFUSES)(...step.split(" "));
  expect([ended.status, ended.stdout + ended.stderr]).toEqual([status, expect.stringContaining(message)]);
});

const GONE = "no tillseal is running with the data folder";

it.each([
  ["has ended", GONE, 0, "stopped"],
  ["still hangs", "process 7 holds the data folder, and does not answer", 1, "process 7 holds the data folder"],
])(
  "the scripts for Windows end the task of a service that does not answer, and say whether it %s",
  (_, left, status, message) => {
    const marker = join(temporaryFolder(), "asked");
    const hung = `if (process.argv[2] === "stop") {
    console.error(require("fs").existsSync(${JSON.stringify(marker)}) ? ${JSON.stringify(left)} : "process 7 does not answer");
    require("fs").writeFileSync(${JSON.stringify(marker)}, "");
  }
  process.exit(1);`;
    const ended = serviceWith(hung)("stop");
    expect([ended.status, ended.stdout + ended.stderr]).toEqual([status, expect.stringContaining(message)]);
  },
);

it("the scripts for Windows show no log of an earlier start as that of the next one", () => {
  const programData = temporaryFolder();
  const log = join(programData, "tillseal", "log", "start.log");
  mkdirSync(join(log, ".."), { recursive: true });
  writeFileSync(log, "the port is taken");
  serviceWith("", programData)("start");
  expect(existsSync(log)).toBe(false);
});

it.each(["store", "store.new", "tillseal.lock"])(
  "the uninstaller for Windows asks whether receipts have not reached the tax authority while the folder has %s",
  (name) => {
    const programData = temporaryFolder();
    const service = serviceWith("console.error('asked: ' + process.argv.slice(2)); process.exit(1);", programData);
    const unsent = () => service("unsent");
    expect(unsent().status).toBe(0);
    mkdirSync(join(programData, "tillseal", name), { recursive: true });
    expect(unsent()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`asked: audit,unsent,--data-dir,${join(programData, "tillseal")}`),
    });
  },
);

it("the uninstaller for Windows refuses to remove receipts that have not arrived, also without a person, unless it is told to", () => {
  const script = readFileSync(join(FOLDER, "tillseal.nsi"), "utf8");
  const [, steps = ""] = /Section "Uninstall"([\s\S]*?)service \$3/.exec(script) ?? [];
  expect(steps).toMatch(/"unsent"[\s\S]*"\/anyway"[\s\S]* \/SD IDNO IDYES remove\s+SetErrorLevel 5\s+Abort/);
});
