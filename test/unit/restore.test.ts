import fs, {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { checkStore } from "../../src/doctor/store.js";
import { openStore, STORE_FILE } from "../../src/ledger/database.js";
import { restoreStore } from "../../src/ledger/restore.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { newIntent } from "../contract/ledger.contract.js";
import { temporaryFolder } from "../support/folder.js";
import { useNodeSpies } from "../support/node-spies.js";

/** A folder with a store that has a log, as after a kill, and an empty backup. */
async function killed(): Promise<{ dataDir: string; file: string }> {
  const running = temporaryFolder();
  const store = openStore(running);
  const file = join(temporaryFolder(), "backup.db");
  const empty = temporaryFolder();
  openStore(empty).close();
  copyFileSync(join(empty, STORE_FILE), file);
  await new SqliteLedger(store).commit([newIntent("order-1")]);
  const dataDir = temporaryFolder();
  cpSync(join(running, "store"), join(dataDir, "store"), { recursive: true });
  store.close();
  // A service leaves its lock file there.
  copyFileSync(join(empty, "tillseal.lock"), join(dataDir, "tillseal.lock"));
  return { dataDir, file };
}

const KEPT_FILE = /store\.before-restore-19700101T000000Z.tillseal\.db$/;
const restored = (dataDir: string, file: string) => restoreStore({ dataDir, file, at: 0, inspect: () => undefined });

it("a restore refuses a store that a service writes, also if its lock file was deleted", async () => {
  const { file } = await killed();
  const dataDir = temporaryFolder();
  const store = openStore(dataDir);
  const ledger = new SqliteLedger(store);
  await ledger.commit([newIntent("order-1")]);
  const restore = () => restored(dataDir, file);
  await expect(restore()).rejects.toThrow(`${dataDir} is in use by another tillseal; stop it`);
  rmSync(join(dataDir, "tillseal.lock"));
  await expect(restore()).rejects.toThrow(`${dataDir} is in use by another program; stop it`);
  await ledger.commit([newIntent("order-2")]);
  store.close();
  expect((await restore()).kept).toMatch(KEPT_FILE);
});

/** Makes the backup the copy of a restore that was killed. */
function unfinished(file: string, dataDir: string): string {
  mkdirSync(join(dataDir, "store.new"));
  copyFileSync(file, join(dataDir, "store.new/tillseal.db"));
  return join(dataDir, "store.new/tillseal.db");
}

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
  [" is the store itself, or an unfinished copy", (_, dataDir) => join(dataDir, STORE_FILE)],
  [" is the store itself, or an unfinished copy", unfinished],
  [" is not an intact backup: ", (file) => writeFileSync(file, "this was never a store".repeat(1000))],
  [" is not an intact backup: ", (file) => truncateSync(file, statSync(file).size / 2)],
  [" is not an intact backup: ", garbled],
  [" is not a backup of tillseal: it has no receipts' tables", withoutTables],
  [
    " is not a backup: \\S+-wal beside it has a part of its receipts",
    (file) => writeFileSync(`${file}-wal`, "receipts"),
  ],
])("a restore refuses a file, and changes nothing: it says %s", async (problem, change) => {
  const { dataDir, file } = await killed();
  const changed = change(file, dataDir);
  const before = contentOf(dataDir);
  await expect(restored(dataDir, typeof changed === "string" ? changed : file)).rejects.toThrow(
    new RegExp(`^\\S*${problem}`),
  );
  expect(contentOf(dataDir)).toEqual(before);
});

it("a restore restores into a new private folder, and back what it has kept", async () => {
  const { file } = await killed();
  const dataDir = join(temporaryFolder(), "data", "new");
  expect((await restored(dataDir, file)).kept).toBeNull();
  expect([dataDir, join(dataDir, STORE_FILE)].map((name) => statSync(name).mode & 0o777)).toEqual([0o700, 0o600]);
  const other = await killed();
  const { kept } = await restored(other.dataDir, other.file);
  expect(kept).toBe(join(other.dataDir, "store.before-restore-19700101T000000Z", "tillseal.db"));
  expect(await saleIn(other.dataDir)).toBeUndefined();
  for (const count of [2, 3]) {
    expect((await restored(other.dataDir, kept ?? "")).kept).toContain(`19700101T000000Z-${count}`);
    expect(await saleIn(other.dataDir)).toMatchObject({ state: "intent" });
  }
});

it("a restore replaces a damaged store, also if its lock file was deleted", async () => {
  const { dataDir, file } = await killed();
  rmSync(join(dataDir, "tillseal.lock"));
  writeFileSync(join(dataDir, STORE_FILE), "this was a store".repeat(1000));
  await restored(dataDir, file);
  expect(await saleIn(dataDir)).toBeUndefined();
});

type Call = "renameSync" | "rmSync" | "openSync";

/** Lets calls of the system fail, as on a disk that another program uses. */
function failing(name: Call, fails: (path: string) => boolean): void {
  const call = fs[name] as (...args: unknown[]) => unknown;
  const instead = (...args: unknown[]) => {
    if (fails(String(args[0]))) throw Object.assign(new Error("EBUSY: resource busy"), { code: "EBUSY" });
    return call(...args);
  };
  vi.spyOn(fs, name as "rmSync").mockImplementation(instead);
  useNodeSpies();
}

const once = (nth: number) => () => --nth === 0;

it.each([1, 2])("a restore leaves the present store as it was if rename %i fails, and says what to do", async (nth) => {
  const { dataDir, file } = await killed();
  const before = contentOf(dataDir);
  failing("renameSync", once(nth));
  await expect(restored(dataDir, file)).rejects.toThrow(
    /cannot be renamed to .* \(EBUSY.*\)\. Close all programs .* restore again/,
  );
  expect(contentOf(dataDir)).toEqual(before);
});

it.each([1, 2])("a restore leaves the present store as it was if the disk fails after rename %i", async (nth) => {
  const { dataDir, file } = await killed();
  const before = contentOf(dataDir);
  const fails = once(nth);
  failing("openSync", (path) => path === dataDir && fails());
  await expect(restored(dataDir, file)).rejects.toThrow("EBUSY");
  expect(contentOf(dataDir)).toEqual(before);
});

it("a restore says which rename has failed, also if the copy cannot be removed", async () => {
  const { dataDir, file } = await killed();
  const before = contentOf(join(dataDir, "store"));
  failing("renameSync", once(2));
  const made = join(dataDir, "store.new");
  failing("rmSync", (path) => path === made && existsSync(made));
  await expect(restored(dataDir, file)).rejects.toThrow(`${made} cannot be renamed to ${join(dataDir, "store")}`);
  expect(contentOf(join(dataDir, "store"))).toEqual(before);
});

it("a restore after one that was killed between its renames names the store that the first one kept", async () => {
  const { dataDir, file } = await killed();
  unfinished(file, dataDir);
  fs.renameSync(join(dataDir, "store"), join(dataDir, "store.before-restore-19700101T000000Z"));
  expect((await restored(dataDir, file)).kept).toMatch(KEPT_FILE);
  expect(await saleIn(dataDir)).toBeUndefined();
});

/** The sale of the log, as a start finds it. */
async function saleIn(dataDir: string) {
  const store = openStore(dataDir);
  const sale = await new SqliteLedger(store).byRequestId("order-1");
  store.close();
  return sale;
}

function contentOf(folder: string): unknown {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => [
      join(parentPath, name).slice(folder.length),
      readFileSync(join(parentPath, name), "base64"),
    ]),
  );
}

it.each([
  [
    "store.before-restore-19700101T000000Z",
    /a restore was interrupted\. Run tillseal restore again, or rename that folder to store$/,
  ],
  ["store.new", /a restore was interrupted\. Run tillseal restore again, or delete that folder for an empty store$/],
  [".", /a store's place is .*store: move .*tillseal\.db there, and all files that begin with .*tillseal\.db-$/],
])("a start makes no empty store beside the store in %s, and says what to do", async (name, advice) => {
  const { dataDir } = await killed();
  const store = join(dataDir, "store");
  if (name === ".") cpSync(store, dataDir, { recursive: true });
  else cpSync(store, join(dataDir, name), { recursive: true });
  rmSync(store, { recursive: true });
  for (const open of [openStore, StoreReading.open]) expect(() => open(dataDir)).toThrow(advice);
  expect(checkStore(dataDir).checks).toMatchObject([{ verdict: "fail", message: expect.stringMatching(advice) }]);
  expect(existsSync(store)).toBe(false);
});
