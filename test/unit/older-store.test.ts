/** A store that an earlier version wrote: the test adds a step to the schema, as a later version does. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { SCHEMA, SCHEMA_VERSION, stepsFrom } from "../../src/ledger/schema.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { temporaryFolder } from "../support/folder.js";

const STEP = "CREATE INDEX reports_of_card ON reports (uid)";

/** The modules of a version whose schema has one step more. */
async function laterVersion() {
  vi.resetModules();
  vi.doMock("../../src/ledger/schema.js", () => ({
    SCHEMA_VERSION: SCHEMA_VERSION + 1,
    stepsFrom: (version: number) => (version > SCHEMA_VERSION ? [] : [...(stepsFrom(version) ?? []), STEP]),
  }));
  onTestFinished(() => {
    vi.doUnmock("../../src/ledger/schema.js");
    vi.resetModules();
  });
  const { checkStore } = await import("../../src/doctor/store.js");
  const { openStore } = await import("../../src/ledger/database.js");
  const { StoreReading } = await import("../../src/ledger/store-reading.js");
  return { checkStore, openStore, StoreReading };
}

it("an older store is read only after this version's service has started on it; until then doctor warns and nothing changes", async () => {
  const { checkStore, openStore, StoreReading } = await laterVersion();
  const dataDir = temporaryFolder();
  const file = join(dataDir, "store/tillseal.db");
  mkdirSync(join(dataDir, "store"));
  const old = openDatabase(file);
  old.exec(SCHEMA);
  old.pragma(`user_version = ${SCHEMA_VERSION}`);
  old.close();
  const content = readFileSync(file);
  expect(() => StoreReading.open(dataDir)).toThrow(
    `${file} was written by an older tillseal (schema ${SCHEMA_VERSION}); start this version's service on it first`,
  );
  expect(checkStore(dataDir).checks).toMatchObject([
    { verdict: "warn", subject: "store", line: { key: "olderStore", values: { file } } },
  ]);
  expect(readFileSync(file).equals(content)).toBe(true);
  openStore(dataDir).close();
  StoreReading.open(dataDir).close();
  expect(checkStore(dataDir).checks[0]).toMatchObject({ verdict: "ok", subject: "store" });
});
