/** A backup is a file that any program may have changed: its rates and addresses wait for a yes. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { Commands } from "../../src/authority/commands.js";
import { changeText } from "../../src/authority/configuration-change.js";
import { COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import type { Brought } from "../../src/bookkeeping/backup/brought.js";
import { restoreBackup } from "../../src/bookkeeping/backup/restore.js";
import { SentEnvironments } from "../../src/config/sent-environments.js";
import { AuthorityLedger } from "../../src/ledger/authority-ledger.js";
import { openStore, STORE_FILE } from "../../src/ledger/database.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { FakeAuthority } from "../support/fake-authority.js";
import { temporaryFolder } from "../support/folder.js";

const UID = "TESTCARD";
const NOW = Date.parse("2026-11-20T00:00:00Z");
const THIEF = "https://thief.test/v/?vl=";

/** The store of a folder, as a service opens it. */
async function opened(dataDir: string) {
  const store = openStore(dataDir);
  onTestFinished(() => store.close());
  const ledger = new AuthorityLedger(new SqliteLedger(store).access);
  const environments = await SentEnvironments.load(ledger);
  const later = async () => ({ kind: "later", reason: "no card" }) as const;
  const commands = new Commands({
    ledger,
    environments,
    file: undefined,
    proof: later,
    directive: later,
    clock: { now: () => NOW },
    log: pino({ level: "silent" }),
    changed: () => undefined,
  });
  return { store, ledger, commands, environment: () => environments.of(UID)?.environment };
}

type Till = Awaited<ReturnType<typeof opened>>;

/** A shop whose authority has configured its card. @returns the closed store's folder, and what was in force */
async function shop(more: (till: Till) => Promise<unknown> = async () => undefined) {
  const dataDir = temporaryFolder();
  const till = await opened(dataDir);
  const authority = new FakeAuthority();
  authority.configure(UID);
  await till.commands.take(UID, await authority.commands(), "authority");
  await till.commands.execute(UID);
  await till.commands.report(UID, authority);
  await more(till);
  till.store.close();
  return { dataDir, environment: till.environment() };
}

/** Another address of the QR code, with a valid checksum. */
const stealRoot = async ({ commands }: Till) => {
  const command = { commandId: "x", type: COMMAND_TYPE.verificationUrl, payload: THIEF, uid: UID };
  await commands.take(UID, [command], "authority");
  await commands.execute(UID);
};

function backup(dataDir: string): string {
  const file = join(temporaryFolder(), "backup.db");
  copyFileSync(join(dataDir, STORE_FILE), file);
  return file;
}

/** @returns cards whose values wait for a yes */
const restore = async (dataDir: string, file: string, agrees = async (_: Brought) => false) =>
  (await restoreBackup({ dataDir, file, at: NOW, damaged: false, agrees })).inspected.held;

it("a restored backup brings no rates and no address into force before a person has said yes, and the same ones after it", async () => {
  const { dataDir, environment } = await shop();
  const other = temporaryFolder();
  expect(await restore(other, backup(dataDir))).toEqual([UID]);
  const till = await opened(other);
  expect(till.environment()).toBeUndefined();
  const held = await till.commands.held(UID);
  const root = environment?.parameters.endpoints.root;
  expect(held?.changes.map(changeText)).toEqual(
    expect.arrayContaining([`root: nothing -> ${root}`, expect.stringMatching(/^A .*: nothing -> 20 VAT$/)]),
  );
  expect(await till.commands.confirm(UID, held?.commands.map(({ id }) => id) ?? [], false)).toBe("done");
  expect(till.environment()).toEqual(environment);
  const authority = new FakeAuthority();
  await till.commands.report(UID, authority);
  // The authority did not send these commands.
  expect(authority.reports).toEqual([]);
  expect((await till.ledger.openCommands(UID)).length).toBe(0);
});

it("a restored backup asks nothing where the present store has the same rates and addresses", async () => {
  const { dataDir, environment } = await shop();
  expect(await restore(dataDir, backup(dataDir))).toEqual([]);
  expect((await opened(dataDir)).environment()).toEqual(environment);
});

it("a restored backup waits where it differs from the present store, and shows the difference", async () => {
  const { dataDir } = await shop();
  const stolen = await shop(stealRoot);
  const file = backup(stolen.dataDir);
  const refuses = async ({ cards }: Brought) => {
    expect(cards.map(({ uid, changes }) => [uid, changes.map(({ name, after }) => [name, after])])).toEqual([
      [UID, [["root", THIEF]]],
    ]);
    return false;
  };
  expect(await restore(dataDir, file, refuses)).toEqual([UID]);
  expect.assertions(3);
  expect((await opened(dataDir)).environment()).toBeUndefined();
});

it("a restored backup applies what a person has been shown, and nothing else", async () => {
  const { dataDir, environment } = await shop();
  const file = backup(dataDir);
  const { dataDir: thief } = await shop(stealRoot);
  const agreed = temporaryFolder();
  // Another program may put another file in its place while the person reads.
  const agreesLate = async () => {
    copyFileSync(join(thief, STORE_FILE), file);
    return true;
  };
  expect(await restore(agreed, file, agreesLate)).toEqual([]);
  expect((await opened(agreed)).environment()).toEqual(environment);
});

it("a restored backup executes no command that a backup has as received", async () => {
  const { dataDir, environment } = await shop(async ({ commands }) => {
    const command = { commandId: "x", type: COMMAND_TYPE.verificationUrl, payload: THIEF, uid: UID };
    await commands.take(UID, [command], "authority");
  });
  const file = backup(dataDir);
  const other = temporaryFolder();
  expect(await restore(other, file, async () => true)).toEqual([]);
  const till = await opened(other);
  await till.commands.execute(UID);
  expect(till.environment()).toEqual(environment);
  expect((await till.commands.held(UID))?.changes).toMatchObject([{ name: "root", after: THIEF }]);
});
