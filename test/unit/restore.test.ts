import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/ledger/database.js";
import { restoreStore } from "../../src/ledger/restore.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { newIntent } from "../contract/ledger.contract.js";
import { temporaryFolder } from "../support/folder.js";

/** A folder with a store that has a log, as after a kill, and an empty backup. */
async function killed(): Promise<{ dataDir: string; file: string }> {
  const running = temporaryFolder();
  const store = openStore(running);
  const file = join(temporaryFolder(), "backup.db");
  const empty = temporaryFolder();
  openStore(empty).close();
  copyFileSync(join(empty, "tillseal.db"), file);
  await new SqliteLedger(store).commit([newIntent("order-1")]);
  const dataDir = temporaryFolder();
  for (const suffix of ["", "-wal", "-shm"]) {
    copyFileSync(join(running, `tillseal.db${suffix}`), join(dataDir, `tillseal.db${suffix}`));
  }
  store.close();
  // A service leaves its lock file there.
  copyFileSync(join(empty, "tillseal.lock"), join(dataDir, "tillseal.lock"));
  return { dataDir, file };
}

const base64 = (file: string) => readFileSync(file, "base64");
const restored = (dataDir: string, file: string) => restoreStore({ dataDir, file, at: 0, inspect: () => undefined });

it("a restore refuses a store that a service writes, also if its lock file was deleted", async () => {
  const { file } = await killed();
  const dataDir = temporaryFolder();
  const store = openStore(dataDir);
  const ledger = new SqliteLedger(store);
  await ledger.commit([newIntent("order-1")]);
  const restore = () => restored(dataDir, file);
  expect(restore).toThrow(`${dataDir} is in use by another tillseal; stop it`);
  rmSync(join(dataDir, "tillseal.lock"));
  expect(restore).toThrow(`${dataDir} is in use by another program; stop it`);
  await ledger.commit([newIntent("order-2")]);
  store.close();
  expect(restore().kept).toHaveLength(1);
});

/** Gives a file another name, and a log beside it. */
const withLog = (name: string) => (file: string) => {
  const renamed = join(dirname(file), name);
  renameSync(file, renamed);
  writeFileSync(`${renamed}-wal`, "receipts");
  return renamed;
};

function withoutTables(file: string): void {
  rmSync(file);
  openDatabase(file).exec("CREATE TABLE other (a)").close();
}

/** Spoils the last page, which a look at the tables does not read. */
function garbled(file: string): void {
  const content = readFileSync(file);
  writeFileSync(file, content.fill("x", content.length - 4096));
}

it.each<[string, (file: string, dataDir: string) => unknown]>([
  ["there is no ", (file) => `${file}.db`],
  [" is not a file", dirname],
  [" is not a backup: it is empty", (file) => writeFileSync(file, "")],
  [" is the store itself", (_, dataDir) => join(dataDir, "tillseal.db")],
  [" is not an intact backup: ", (file) => writeFileSync(file, "this was never a store".repeat(1000))],
  [" is not an intact backup: ", (file) => truncateSync(file, statSync(file).size / 2)],
  [" is not an intact backup: ", garbled],
  [" is not a backup of tillseal: it has no receipts' tables", withoutTables],
  [" is not a backup: \\S+-wal beside it has a part of its receipts", withLog("copy.db")],
  [
    " is not a backup: \\S+-wal beside it has a part of its receipts",
    withLog("copy.before-restore-20260101T000000Z.db"),
  ],
  [" is not a backup: \\S+-wal beside it has a part of its receipts", withLog("copy.before-restore-2026T00Z")],
])("a restore refuses a file, and changes nothing: it says %s", async (problem, change) => {
  const { dataDir, file } = await killed();
  const before = contentOf(dataDir);
  const changed = change(file, dataDir);
  expect(() => restored(dataDir, typeof changed === "string" ? changed : file)).toThrow(new RegExp(`^\\S*${problem}`));
  expect(contentOf(dataDir)).toEqual(before);
});

it.each(["tillseal.db", "tillseal.db-wal", "tillseal.db.partial", "tillseal.lock"])(
  "a restore refuses a folder in which %s is a link, and leaves its target alone",
  async (name) => {
    const [{ file }, dataDir, secret] = [await killed(), temporaryFolder(), join(temporaryFolder(), "secret")];
    writeFileSync(secret, "secret");
    symlinkSync(secret, join(dataDir, name));
    expect(() => restored(dataDir, file)).toThrow(`${join(dataDir, name)} is a link; remove it, and restore again`);
    expect([readFileSync(secret, "utf8"), readdirSync(dataDir)]).toEqual(["secret", [name]]);
  },
);

it("a restore restores into a new private folder with a link that is no file of the store, and back what it has kept", async () => {
  const { file } = await killed();
  const dataDir = join(temporaryFolder(), "data", "new");
  expect(restored(dataDir, file).kept).toEqual([]);
  expect([dataDir, join(dataDir, "tillseal.db")].map((name) => statSync(name).mode & 0o777)).toEqual([0o700, 0o600]);
  const other = await killed();
  symlinkSync(file, join(other.dataDir, "my-backup.db"));
  const [name = ""] = restored(other.dataDir, other.file).kept;
  expect(await saleIn(other.dataDir)).toBeUndefined();
  for (const suffix of ["", "-wal"]) renameSync(name + suffix, `${name}-12${suffix}`);
  expect(restored(other.dataDir, `${name}-12`).kept).toEqual([name]);
  expect(await saleIn(other.dataDir)).toMatchObject({ state: "intent" });
  for (const count of [2, 3]) expect(restored(other.dataDir, name).kept[0]).toBe(`${name}-${count}`);
});

it("a restore replaces a damaged store, also if its lock file was deleted", async () => {
  const { dataDir, file } = await killed();
  rmSync(join(dataDir, "tillseal.lock"));
  writeFileSync(join(dataDir, "tillseal.db"), "this was a store".repeat(1000));
  restored(dataDir, file);
  expect(await saleIn(dataDir)).toBeUndefined();
});

it("a restore leaves the present store as it was if the copy cannot get its name", async () => {
  const { dataDir, file } = await killed();
  const before = readdirSync(dataDir);
  const rename = () => {
    throw Object.assign(new Error("EBUSY: resource busy"), { code: "EBUSY" });
  };
  expect(() => restoreStore({ dataDir, file, at: 0, inspect: () => undefined, means: { rename } })).toThrow("EBUSY");
  expect(readdirSync(dataDir)).toEqual(before);
  const store = openStore(dataDir);
  expect(await new SqliteLedger(store).byRequestId("order-1")).toMatchObject({ state: "intent" });
  store.close();
});

it("a restore has the present store and its log under another name before the copy gets the store's name", async () => {
  const { dataDir, file } = await killed();
  const contents = () => ["", "-wal"].map((suffix) => base64(join(dataDir, `tillseal.db${suffix}`)));
  const present = contents();
  const rename = (from: string, to: string) => {
    const names = readdirSync(dataDir).filter((name) => name.includes(".before-restore-"));
    expect(names.map((name) => base64(join(dataDir, name)))).toEqual(present);
    renameSync(from, to);
  };
  const { kept } = restoreStore({ dataDir, file, at: 0, inspect: () => undefined, means: { rename } });
  expect(kept.map(base64)).toEqual(present);
  expect(readdirSync(dataDir)).not.toContain("tillseal.db-wal");
});

/** What a kill of a restore leaves, right before and right after the copy gets the store's name. */
async function killedAtRename(): Promise<{ before: string; after: string; file: string }> {
  const { dataDir, file } = await killed();
  const [before, after] = [temporaryFolder(), temporaryFolder()];
  const rename = (from: string, to: string) => {
    cpSync(dataDir, before, { recursive: true });
    renameSync(from, to);
    cpSync(dataDir, after, { recursive: true });
  };
  restoreStore({ dataDir, file, at: 0, inspect: () => undefined, means: { rename } });
  return { before, after, file };
}

/** The sale of the log, as a start finds it. */
async function saleIn(dataDir: string) {
  const store = openStore(dataDir);
  const sale = await new SqliteLedger(store).byRequestId("order-1");
  store.close();
  return sale;
}

const contentOf = (dataDir: string) => readdirSync(dataDir).map((name) => [name, base64(join(dataDir, name))]);

it("a restore completes a restore that was killed before or after the copy got the store's name", async () => {
  const { before, after } = await killedAtRename();
  for (const dataDir of [before, after]) {
    expect(await saleIn(dataDir)).toBeUndefined();
    const kept = readdirSync(dataDir).filter((name) => name.includes(".before-restore-"));
    expect(kept).toEqual(["", "-wal"].map((suffix) => `tillseal.db.before-restore-19700101T000000Z${suffix}`));
  }
});

it("a restore completes an interrupted restore before it looks for another program, also if the lock file was deleted", async () => {
  const { after: dataDir, file } = await killedAtRename();
  rmSync(join(dataDir, "tillseal.lock"));
  restoreStore({ dataDir, file, at: 1, inspect: () => undefined });
  expect(await saleIn(dataDir)).toBeUndefined();
  const kept = temporaryFolder();
  for (const suffix of ["", "-wal"]) {
    copyFileSync(
      join(dataDir, `tillseal.db.before-restore-19700101T000000Z${suffix}`),
      join(kept, `tillseal.db${suffix}`),
    );
  }
  expect(await saleIn(kept)).toMatchObject({ state: "intent" });
});

it("a restore keeps the present store and its log if somebody deleted the copy of an interrupted restore, and says what to do", async () => {
  const { before: dataDir, file } = await killedAtRename();
  rmSync(join(dataDir, "tillseal.db.partial"));
  const content = contentOf(dataDir).filter(([name]) => !name?.startsWith("tillseal.lock"));
  const note = join(dataDir, "tillseal.db.restoring");
  expect(() => openStore(dataDir)).toThrow(`Delete ${note} to go on with it`);
  expect(() => restoreStore({ dataDir, file, at: 1, inspect: () => undefined })).toThrow(`Delete ${note}`);
  expect(contentOf(dataDir)).toEqual(expect.arrayContaining(content));
  rmSync(note);
  expect(await saleIn(dataDir)).toMatchObject({ state: "intent" });
});

it("a restore keeps the present store and its log if a failed restore cannot remove what it has kept", async () => {
  const { dataDir, file } = await killed();
  const rename = () => {
    // A virus scanner on Windows can have the same effect as this folder.
    const kept = join(dataDir, "tillseal.db.before-restore-19700101T000000Z");
    rmSync(kept);
    mkdirSync(kept);
    throw Object.assign(new Error("EBUSY: resource busy"), { code: "EBUSY" });
  };
  expect(() => restoreStore({ dataDir, file, at: 0, inspect: () => undefined, means: { rename } })).toThrow("EBUSY");
  expect(await saleIn(dataDir)).toMatchObject({ state: "intent" });
});

it("a restore keeps the copy of an interrupted restore if the next restore cannot complete it", async () => {
  const { before: dataDir, file } = await killedAtRename();
  const kept = join(dataDir, "tillseal.db.before-restore-19700101T000000Z");
  rmSync(kept);
  mkdirSync(kept);
  expect(() => restoreStore({ dataDir, file, at: 1, inspect: () => undefined })).toThrow();
  rmdirSync(kept);
  expect(await saleIn(dataDir)).toBeUndefined();
  for (const suffix of ["", "-wal"]) renameSync(kept + suffix, join(dataDir, `tillseal.db${suffix}`));
  expect(await saleIn(dataDir)).toMatchObject({ state: "intent" });
});
