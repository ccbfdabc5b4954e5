/** A data folder that has lost its store: a shop's service does not begin another one in silence. */
import { rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, it } from "vitest";
import { checkStore } from "../../src/doctor/store.js";
import { backupStore } from "../../src/ledger/backup.js";
import { openStore, replaceLostStore, STORE_FILE } from "../../src/ledger/database.js";
import { restoreStore } from "../../src/ledger/restore.js";
import { STORE_FOLDER, STORE_MARK } from "../../src/ledger/store-folder.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { temporaryFolder } from "../support/folder.js";
import { openTill } from "../support/till.js";

const DAY = 86_400_000;

function usedFolder(): string {
  const dataDir = temporaryFolder();
  openStore(dataDir).close();
  return dataDir;
}

/** A service with a card in a real reader, as far as its settings say. */
const startShop = (dataDir: string) => openTill({ settings: { dataDir, card: "pcsc" } });

const changesIn = (dataDir: string) => StoreReading.open(dataDir).use((store) => store.changes());

const LOSSES: Record<string, readonly [loss: (dataDir: string) => void, word: string]> = {
  "the folder store": [(dataDir) => rmSync(join(dataDir, STORE_FOLDER), { recursive: true }), "missing"],
  "the file": [(dataDir) => rmSync(join(dataDir, STORE_FILE)), "missing"],
  "its content": [(dataDir) => truncateSync(join(dataDir, STORE_FILE)), "empty"],
};

it.each(Object.entries(LOSSES))(
  "a missing store is not replaced, and each way out is named: %s",
  async (_, [loss, word]) => {
    const dataDir = usedFolder();
    loss(dataDir);
    const refusal = new RegExp(`has had a store, and .* is ${word}\\..*tillseal restore FILE.*tillseal restore --none`);
    for (let n = 0; n < 2; n++) await expect(startShop(dataDir)).rejects.toThrow(refusal);
    expect(() => StoreReading.open(dataDir)).toThrow(refusal);
    expect(checkStore(dataDir).checks).toMatchObject([{ verdict: "fail", message: expect.stringMatching(refusal) }]);
  },
);

it("a missing store that a person gives up is replaced once, and the record of changes says so", async () => {
  const dataDir = usedFolder();
  const name = StoreReading.open(dataDir).use((store) => store.storeName());
  expect(() => replaceLostStore(dataDir, DAY)).toThrow("lacks no store");
  rmSync(join(dataDir, STORE_FOLDER), { recursive: true });
  expect(replaceLostStore(dataDir, DAY)).toBe(name);
  for (let n = 0; n < 2; n++) await (await startShop(dataDir)).stop();
  expect(changesIn(dataDir).filter(({ kind }) => kind === "lost")).toMatchObject([
    { kind: "lost", at: DAY, what: JSON.stringify({ store: name }) },
  ]);
  rmSync(join(dataDir, STORE_FILE));
  await expect(startShop(dataDir)).rejects.toThrow("has had a store");
});

it("a missing store is replaced by a restored backup, also in a folder that never had a store", async () => {
  const dataDir = usedFolder();
  const file = join(temporaryFolder(), "backup.db");
  await backupStore(dataDir, file);
  for (const folder of [dataDir, temporaryFolder()]) {
    rmSync(join(folder, STORE_FOLDER), { recursive: true, force: true });
    await restoreStore({ dataDir: folder, file, at: DAY, inspect: () => undefined });
    openStore(folder).close();
    rmSync(join(folder, STORE_FILE));
    await expect(startShop(folder)).rejects.toThrow("has had a store");
  }
});

it("a missing store is noticed in a folder that an earlier version made, from its next start on", async () => {
  const dataDir = usedFolder();
  rmSync(join(dataDir, STORE_MARK));
  openStore(dataDir).close();
  rmSync(join(dataDir, STORE_FILE));
  await expect(startShop(dataDir)).rejects.toThrow("has had a store");
});

it("a missing store of an emulator is only a warning", async () => {
  const dataDir = usedFolder();
  rmSync(join(dataDir, STORE_FILE));
  const warnings: string[] = [];
  const log = pino({}, { write: (line: string) => void warnings.push((JSON.parse(line) as { msg: string }).msg) });
  for (let n = 0; n < 2; n++) await (await openTill({ settings: { dataDir }, log })).stop();
  expect(warnings.filter((one) => one.includes("has had a store"))).toHaveLength(1);
});
