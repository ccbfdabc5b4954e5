/** `tillseal restore` makes a backup the store of a data folder, and keeps the store that was there before. */
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { STORE_FILE } from "../../src/ledger/database.js";
import { keptStores } from "../../src/ledger/store-folder.js";
import { serveProcess, tillseal, tillsealProcess } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { pin, sell } from "../support/sell.js";
import { changeStore } from "../support/store-file.js";
import { openTill } from "../support/till.js";

let made: Promise<Buffer> | undefined;

/** A backup of six receipts. */
async function makeBackup(): Promise<Buffer> {
  const dataDir = temporaryFolder();
  const till = await openTill({ settings: { dataDir } });
  for (let count = 0; count < 6; count++) await till.sell();
  const file = join(temporaryFolder(), "copy.db");
  expect((await tillseal(["backup", file, "--data-dir", dataDir])).status).toBe(0);
  return readFileSync(file);
}

async function backupFile(name = "tillseal-1a2b3c4d-20260301T120000Z.db"): Promise<string> {
  made ??= makeBackup();
  const file = join(temporaryFolder(), name);
  writeFileSync(file, await made);
  return file;
}

/** A data folder whose service was killed after one sale: the sale is in the write-ahead log. */
async function killedService(): Promise<string> {
  const dataDir = temporaryFolder();
  const service = await serveProcess(["--no-authority", "--control-port", "0", "--data-dir", dataDir]);
  await pin(service);
  expect(await sell(service)).toMatchObject({ totalCounter: 1 });
  service.process.kill("SIGKILL");
  await service.exited;
  expect(statSync(join(dataDir, "store/tillseal.db-wal")).size).toBeGreaterThan(0);
  return dataDir;
}

const verdict = async (dataDir: string) => (await tillseal(["verify", "--data-dir", dataDir])).stdout;

it("tillseal restore restores every receipt over the store of a killed service, and keeps that store complete", async () => {
  const dataDir = await killedService();
  const file = await backupFile();
  const restored = await tillseal(["restore", file, "--data-dir", dataDir]);
  expect([restored.status, restored.stderr]).toEqual([0, ""]);
  expect(restored.stdout).toContain(`${join(dataDir, STORE_FILE)} was restored from ${file}: 6 receipts`);
  expect(restored.stdout).toMatch(/newest receipt: TESTCARD-TESTCARD-6, counter 6, signed 20\d\d-.*Z/);
  expect(restored.stdout).toContain("tillseal incidents");
  expect(await verdict(dataDir)).toContain("6 entries, nothing is wrong");
  const [kept = ""] = keptStores(dataDir);
  expect(restored.stdout).toContain(`kept: ${kept}\n`);
  expect(restored.stdout).toContain("keep the store above");
  const old = temporaryFolder();
  cpSync(dirname(kept), join(old, "store"), { recursive: true });
  expect(await verdict(old)).toContain("1 entry, nothing is wrong");
});

it("tillseal restore creates the folder on a new machine", async () => {
  const dataDir = join(temporaryFolder(), "new");
  const file = await backupFile("20261122T071039Z-1.db");
  const { stdout, status } = await tillseal(["restore", file, "--data-dir", dataDir, "--json"]);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    store: join(dataDir, STORE_FILE),
    backup: file,
    receipts: 6,
    kept: null,
    findings: [],
    newest: { number: "TESTCARD-TESTCARD-6", totalCounter: 6 },
  });
  expect(await verdict(dataDir)).toContain("6 entries, nothing is wrong");
});

it("tillseal restore speaks of a kept store only where there was one", async () => {
  const { stdout } = await tillseal(["restore", await backupFile(), "--data-dir", temporaryFolder()]);
  expect(stdout).toContain("Next: start the service");
  expect(stdout).not.toMatch(/kept|keep/);
});

it.runIf(process.getuid?.() === 0)(
  "tillseal restore reads a backup that only root may read, and its copy belongs to the folder's owner",
  async () => {
    const dataDir = temporaryFolder();
    chownSync(dataDir, 4711, 4712);
    const file = await backupFile();
    chmodSync(file, 0o600);
    const { status, stderr } = await tillsealProcess(["restore", file, "--data-dir", dataDir]);
    expect([status, stderr]).toEqual([0, ""]);
    const owners = readdirSync(dataDir).map((name) => [name, statSync(join(dataDir, name)).uid]);
    expect(owners).toEqual([
      ["store", 4711],
      ["tillseal.lock", 4711],
      ["tillseal.store", 4711],
    ]);
  },
);

it("tillseal restore refuses a backup with a damaged receipt, unless there is no other one", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "store"));
  cpSync(await backupFile(), join(folder, STORE_FILE));
  changeStore(folder, "UPDATE invoices SET answer = json_set(answer, '$.mrc', 'x') WHERE id = 3");
  const dataDir = join(temporaryFolder(), "data");
  const file = join(folder, "copy.db");
  cpSync(join(folder, STORE_FILE), file);
  const refused = await tillseal(["restore", file, "--data-dir", dataDir]);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/copy\.db is damaged .*--damaged/s)]);
  expect(refused.stderr).toContain("TESTCARD-TESTCARD-3");
  expect(existsSync(join(dataDir, STORE_FILE))).toBe(false);
  const taken = await tillseal(["restore", file, "--data-dir", dataDir, "--damaged", "--json"]);
  expect(taken.status).toBe(0);
  expect(JSON.parse(taken.stdout)).toMatchObject({
    receipts: 6,
    findings: expect.arrayContaining([expect.objectContaining({ number: "TESTCARD-TESTCARD-3" })]),
  });
});
