/** The setup: the service as a shop has it, with a card that it reaches through winscard.dll and pcscd. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TaxAuthorityServer } from "../../dist/emulator/tax-authority/tax-authority-server.js";
import { CHROOT, DATA, DRIVE_C, eventually, PROGRAMS, startProgram, windows } from "./machine.mjs";
import { Till } from "./till.mjs";

const SALES = 100;
const SERVE = "C:\\Program Files\\tillseal\\windows\\serve.cmd";
const NEWER_SCHEMA = 99;
/** Arguments: a store, and the new number of its schema. Prints the number before. */
const WRITE_SCHEMA = `
const [file, schema] = process.argv.slice(1);
const db = require(process.cwd() + "/app/node_modules/better-sqlite3")(file);
console.log(db.pragma("user_version", { simple: true }));
db.pragma("user_version = " + schema);
`;
/** The setup stops the service, backs up the store and unpacks first. */
const SETUP_MS = 300_000;
const TASKS = "windows/system32/tasks";
const UNINSTALL = "HKLM\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\tillseal";
const ENVIRONMENT = "fixtures/environments/specification.yaml";
const UID = "TESTCARD";
/** Of the card in the reader. */
const CERTIFICATE = join(CHROOT, "tmp", "card.pem");
/** Between two attempts to send, and for a hundred packages through Wine. */
const SENT_MS = 120_000;

export function shopScenes(setup) {
  const till = new Till("http://127.0.0.1:8431");
  const program = PROGRAMS.slice(CHROOT.length);
  const tillseal = (...args) => windows(["tillseal.cmd", ...args], program);
  const service = (step) => windows(["node.exe", "windows/service.mjs", step], program);
  /** Wine does not start scheduled tasks, so the test runs what the task would. */
  const startTask = () => startProgram([SERVE]);
  const install = async (...flags) => {
    copyFileSync(setup, join(CHROOT, "tmp", "setup.exe"));
    return (await windows(["setup.exe", "/S", ...flags], "/tmp")).status;
  };
  /** Starts the task when the setup has made it, as Windows would. */
  const installAndStart = async (...flags) => {
    const began = Date.now();
    const installing = install(...flags);
    const made = join(DRIVE_C, TASKS, "tillseal");
    await eventually("the setup makes the task", () => existsSync(made) && statSync(made).mtimeMs >= began, SETUP_MS);
    task = startTask();
    return installing;
  };
  /** Makes the setup believe that another version is installed. */
  const callInstalled = (version) =>
    windows(["reg", "add", UNINSTALL, "/v", "DisplayVersion", "/d", version, "/f", "/reg:64"]);
  /** With the SQLite of the installed program. @returns the number before */
  const writeSchema = async (schema) => {
    const args = ["-e", WRITE_SCHEMA, "C:/ProgramData/tillseal/store/tillseal.db", String(schema)];
    const { status, stdout, stderr } = await windows(["node.exe", ...args], program);
    assert.equal(status, 0, stderr);
    return Number(stdout);
  };
  const owner = () => JSON.parse(readFileSync(join(DATA, "tillseal.running.json"), "utf8"));
  const waitsForPin = async () => {
    try {
      await eventually("the card waits for its PIN", async () => (await till.codes())[0] === "1500");
    } catch (error) {
      const { stdout, stderr } = await tillseal("card", "list");
      throw new Error(`${error.message}\nstatus: ${await till.codes()}\ncard list: ${stdout}${stderr}`);
    }
  };
  let task;
  let sold = 0;
  const sell = async () => {
    const answer = await till.sell(`sale-${sold + 1}`);
    assert.equal(answer.totalCounter, sold + 1, JSON.stringify(answer).slice(0, 500));
    sold += 1;
    return answer;
  };
  const ready = async () => {
    await waitsForPin();
    assert.equal(await till.pin("1234"), "0100");
  };

  return [
    [
      "a setup whose service does not answer within 60 s ends with an exit status for that, and the files stay",
      async () => {
        assert.equal(await install(), 6);
        assert.equal((await tillseal("--version")).status, 0);
      },
    ],
    [
      "setup.exe /S installs program, tasks, shortcuts and the entry in the list of programs, and waits for the service",
      async () => {
        assert.equal(await installAndStart(), 0);
        assert.notEqual((await till.codes()).length, 0);
        const { status, stdout } = await tillseal("--version");
        assert.equal(status, 0);
        for (const name of ["tillseal", "tillseal-shutdown"]) {
          assert(existsSync(join(DRIVE_C, TASKS, name)), `there is no task ${name}`);
        }
        const menu = join(DRIVE_C, "ProgramData/Microsoft/Windows/Start Menu/Programs/tillseal");
        assert.deepEqual(readdirSync(menu).sort(), ["tillseal command line.lnk", "tillseal console.url"]);
        assert(existsSync(join(DRIVE_C, "users/Public/Desktop/tillseal.url")));
        return stdout.trim();
      },
    ],
    [
      "it contains no emulator",
      async () => {
        const { status, stderr } = await tillseal("serve", "--card", "emulator");
        assert.equal(status, 2, stderr);
      },
    ],
    [
      "the task's command serves the card in the reader, and logs to its file",
      async () => {
        spawnCard();
        copyFileSync(ENVIRONMENT, join(DATA, "environment.yaml"));
        writeFileSync(join(DATA, "tillseal.yaml"), "environment: C:/ProgramData/tillseal/environment.yaml\n");
        assert.equal((await service("stop")).status, 0);
        assert.equal(await task.exited, 0);
        task = startTask();
        await ready();
        assert.match(readFileSync(join(DATA, "log/tillseal.log"), "utf8"), /"level":30/);
        assert.match(readFileSync(join(DATA, "log/start.log"), "utf8"), /^ready\r?$/m);
      },
    ],
    [
      `${SALES} sales through winscard.dll and pcscd`,
      async () => {
        while (sold < SALES) await sell();
        return `counters 1 to ${sold}`;
      },
    ],
    [
      "the doctor approves card, store and folder",
      async () => {
        const { stdout } = await tillseal("doctor", "--json");
        const { findings } = JSON.parse(stdout);
        const verdict = (subject) => findings.find((finding) => finding.subject === subject)?.verdict;
        assert.deepEqual(["PC/SC", "reader", "store", "port"].map(verdict), ["ok", "ok", "ok", "ok"], stdout);
        return findings.map(({ subject, verdict: outcome }) => `${subject} ${outcome}`).join(", ");
      },
    ],
    [
      "the key in the same card opens the authority: TLS in a child process signs with it through winscard.dll, and an audit sends every receipt",
      async () => {
        const authority = await TaxAuthorityServer.open();
        authority.register({ certificate: readFileSync(CERTIFICATE, "utf8") });
        writeFileSync(join(DATA, "ca.pem"), authority.caCertificate);
        const settings = join(DATA, "tillseal.yaml");
        const before = readFileSync(settings, "utf8");
        const restartWith = async (text) => {
          writeFileSync(settings, text);
          assert.equal((await service("stop")).status, 0);
          assert.equal(await task.exited, 0);
          task = startTask();
          await ready();
        };
        await restartWith(
          `${before}authorityUrl: ${authority.url}\nauthorityCa: C:/ProgramData/tillseal/ca.pem\nauthorityKey: card\n`,
        );
        const { status, stdout, stderr } = await tillseal("pki-pin", "--card-pin");
        assert.equal(status, 0, stdout + stderr);
        await eventually(
          "the authority has every receipt",
          () => authority.office.packages(UID).length === sold,
          SENT_MS,
        );
        // The card has taken its new environment; the next scenes need no authority.
        await restartWith(before);
        await authority.close();
        return `${sold} packages`;
      },
    ],
    [
      "it restarts after a kill, and has lost nothing",
      async () => {
        const { pid } = owner();
        await windows(["taskkill", "/f", "/pid", String(pid)]);
        await eventually("another process serves", () => owner().pid !== pid);
        await ready();
        assert.equal((await till.stored(`sale-${sold}`)).totalCounter, sold);
        await sell();
        return `sale ${sold} follows`;
      },
    ],
    [
      "when stopped in the middle of a sale it finishes the sale, and stays stopped",
      async () => {
        const sale = await till.begunSale();
        const stopping = service("stop");
        await eventually("the service accepts no new callers", async () => (await till.codes()).length === 0);
        sale.send();
        sold += 1;
        assert.equal((await sale.answer).totalCounter, sold);
        assert.equal((await stopping).status, 0);
        assert.equal(await task.exited, 0);
        return `sale ${sold} signed`;
      },
    ],
    [
      "a manual backup is complete",
      async () => {
        const { status, stdout, stderr } = await tillseal("backup", "C:\\backup.db");
        assert.equal(status, 0, stderr);
        return stdout.trim();
      },
    ],
    [
      "an upgrade that cannot back up the store changes nothing and reports it by its exit status",
      async () => {
        const inTheWay = join(DATA, "before-upgrade");
        writeFileSync(inTheWay, "");
        const status = await install();
        rmSync(inTheWay);
        assert.notEqual(status, 0);
        assert.equal((await tillseal("--version")).status, 0);
        return `exit status ${status}`;
      },
    ],
    [
      "an upgrade in place stops the service, backs up the store and keeps selling",
      async () => {
        task = startTask();
        await ready();
        const before = task;
        assert.equal(await installAndStart(), 0);
        assert.equal(await before.exited, 0);
        const [backup] = readdirSync(join(DATA, "before-upgrade"));
        assert.match(backup, /^\d{8}T\d{6}Z-\d+\.db$/);
        await ready();
        await sell();
        return `${backup}, then sale ${sold}`;
      },
    ],
    [
      "an older version does not replace a newer one, and changes nothing",
      async () => {
        await callInstalled("99.0.0");
        assert.equal(await install(), 7);
        await sell();
        return `exit status 7, then sale ${sold}`;
      },
    ],
    [
      "with /downgrade it does not either, if it cannot read the store of the newer one",
      async () => {
        assert.equal((await service("stop")).status, 0);
        assert.equal(await task.exited, 0);
        const schema = await writeSchema(NEWER_SCHEMA);
        assert.equal(await install("/downgrade"), 8);
        assert.equal(await writeSchema(schema), NEWER_SCHEMA);
        task = startTask();
        await ready();
        await sell();
        return `exit status 8, then sale ${sold}`;
      },
    ],
    [
      "with /downgrade it replaces a newer one whose store it can read, and sells on",
      async () => {
        const before = task;
        assert.equal(await installAndStart("/downgrade"), 0);
        assert.equal(await before.exited, 0);
        await ready();
        await sell();
        return `sale ${sold}`;
      },
    ],
    [
      "a backup is refused while the service runs, and restored when it is stopped; sales go on",
      async () => {
        const restore = () => tillseal("restore", "C:\\backup.db");
        const refused = await restore();
        assert.equal(refused.status, 1, refused.stdout);
        assert.match(refused.stderr, /is in use by another tillseal/);
        assert.equal((await service("stop")).status, 0);
        assert.equal(await task.exited, 0);
        const { status, stdout, stderr } = await restore();
        assert.equal(status, 0, stderr);
        const names = readdirSync(DATA);
        assert(
          names.some((name) => name.startsWith("store.before-restore-")),
          names.join(", "),
        );
        task = startTask();
        await ready();
        // The card signed a sale after the backup.
        await sell();
        return `${stdout.split(/\r?\n/)[1]}, then sale ${sold}`;
      },
    ],
    [
      "the store is intact",
      async () => {
        const { status, stdout } = await tillseal("verify");
        assert.equal(status, 0, stdout);
        return stdout.trim().split("\n").at(-1);
      },
    ],
    [
      "after the uninstallation the program is gone and the receipts stay",
      async () => {
        await windows([`${program}/uninstall.exe`, "/S", "/anyway"]);
        // The uninstaller continues from a copy of itself.
        await eventually("the program is gone", () => !existsSync(PROGRAMS));
        assert.equal(await task.exited, 0);
        assert(existsSync(join(DATA, "store/tillseal.db")));
        for (const name of ["tillseal", "tillseal-shutdown"]) {
          assert(!existsSync(join(DRIVE_C, TASKS, name)), `the task ${name} is still there`);
        }
      },
    ],
  ];
}

/** The emulator's card in the virtual reader. Its two applets have the same PIN. */
function spawnCard() {
  const args = ["dist/src/cli.js", "card", "publish", "--control-port", "0", "--certificate", CERTIFICATE];
  const card = spawn(process.execPath, args, { stdio: "ignore" });
  process.once("exit", () => card.kill("SIGKILL"));
}
