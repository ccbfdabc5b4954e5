import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/ledger/database.js";
import { restoreStore } from "../../src/ledger/restore.js";
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

it("refuses a store that a service writes, also if its lock file was deleted", async () => {
  const { file } = await killed();
  const dataDir = temporaryFolder();
  const store = openStore(dataDir);
  const ledger = new SqliteLedger(store);
  await ledger.commit([newIntent("order-1")]);
  const restore = () => restoreStore({ dataDir, file, at: 0, inspect: () => undefined });
  expect(restore).toThrow(`${dataDir} is in use by another tillseal; stop it`);
  rmSync(join(dataDir, "tillseal.lock"));
  expect(restore).toThrow(`${dataDir} is in use by another program; stop it`);
  await ledger.commit([newIntent("order-2")]);
  store.close();
  expect(restore().kept).toHaveLength(1);
});

it("leaves the present store as it was if the copy cannot get its name", async () => {
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

it("has the present store and its log under another name before the copy gets the store's name", async () => {
  const { dataDir, file } = await killed();
  const contents = () => ["", "-wal"].map((suffix) => readFileSync(join(dataDir, `tillseal.db${suffix}`)));
  const present = contents();
  const rename = (from: string, to: string) => {
    const names = readdirSync(dataDir).filter((name) => name.includes(".before-restore-"));
    expect(names.map((name) => readFileSync(join(dataDir, name)))).toEqual(present);
    renameSync(from, to);
  };
  const { kept } = restoreStore({ dataDir, file, at: 0, inspect: () => undefined, means: { rename } });
  expect(kept.map((name) => readFileSync(name))).toEqual(present);
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

const contentOf = (dataDir: string) =>
  readdirSync(dataDir).map((name) => [name, readFileSync(join(dataDir, name)).toString("base64")]);

it("completes a restore that was killed before or after the copy got the store's name", async () => {
  const { before, after } = await killedAtRename();
  for (const dataDir of [before, after]) {
    expect(await saleIn(dataDir)).toBeUndefined();
    const kept = readdirSync(dataDir).filter((name) => name.includes(".before-restore-"));
    expect(kept).toEqual(["", "-wal"].map((suffix) => `tillseal.db.before-restore-19700101T000000Z${suffix}`));
  }
});

it("completes an interrupted restore before it looks for another program, also if the lock file was deleted", async () => {
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

it("keeps the present store and its log if somebody deleted the copy of an interrupted restore, and says what to do", async () => {
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

it("keeps the present store and its log if a failed restore cannot remove what it has kept", async () => {
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

it("keeps the copy of an interrupted restore if the next restore cannot complete it", async () => {
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
