import { pino } from "pino";
import { expect, it, onTestFinished, vi } from "vitest";
import { ChangeRecorder } from "../../src/bookkeeping/changes/change-recorder.js";
import { shownChanges } from "../../src/bookkeeping/changes/shown.js";
import { loadConfig } from "../../src/config/load.js";
import type { Settings } from "../../src/config/settings.js";
import { ChangeLog, type ChangeRow, factsIn } from "../../src/ledger/change-log.js";
import { openInMemory } from "../../src/ledger/database.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { temporaryFolder } from "../support/folder.js";
import { changeStore, problemsIn } from "../support/store-file.js";
import { openTill, sale } from "../support/till.js";

async function soldWith(dataDir: string, settings: Partial<Settings> = {}, now?: () => number): Promise<void> {
  const till = await openTill({ settings: { dataDir, ...settings }, ...(now ? { now } : {}) });
  expect((await till.sell(sale())).status).toBe(200);
  await till.stop();
}

const changesIn = (dataDir: string) =>
  StoreReading.open(dataDir)
    .use((store) => store.changes())
    .map(({ kind, what }) => ({ kind, what: factsIn(what) }));

it("records version, settings, rates and parameters at the first start, and nothing at the next one", async () => {
  const dataDir = temporaryFolder();
  await soldWith(dataDir);
  const first = changesIn(dataDir);
  expect(first.map(({ kind }) => kind)).toEqual(["program", "settings", "rates", "parameters", "card"]);
  expect(first[2]?.what).toMatchObject({ source: "file specification", groupId: "1" });
  await soldWith(dataDir);
  expect(changesIn(dataDir)).toEqual(first);
});

it("records a changed setting, but never a token", async () => {
  const dataDir = temporaryFolder();
  await soldWith(dataDir);
  await soldWith(dataDir, { clockDrift: 77, pathSegment: "s3cret-token" });
  const last = changesIn(dataDir).at(-1);
  expect(last).toMatchObject({ kind: "settings", what: { clockDrift: "77", pathSegment: "(set, not shown)" } });
  expect(JSON.stringify(changesIn(dataDir))).not.toContain("s3cret");
  expect(problemsIn(dataDir)).toEqual([]);
});

it("records a clock that went back while the service was stopped", async () => {
  const dataDir = temporaryFolder();
  const noon = Date.UTC(2026, 5, 1, 12);
  await soldWith(dataDir, {}, () => noon);
  await soldWith(dataDir, {}, () => noon - 3_600_000);
  const last = changesIn(dataDir).at(-1);
  expect(last).toMatchObject({ kind: "clock", what: { clock: "back since the last change", bySeconds: "-3600.0" } });
});

it("records a clock that was set back while the store could not be written", async () => {
  const store = openInMemory(temporaryFolder(), {});
  onTestFinished(() => store.close());
  const changes = new ChangeLog(new SqliteLedger(store).access);
  let now = Date.UTC(2026, 5, 1, 12);
  const rounds: (() => void)[] = [];
  const timer = { now: () => 0, sleep: () => new Promise<void>((resolve) => rounds.push(resolve)) };
  const recorder = new ChangeRecorder({
    changes,
    settings: loadConfig({}).settings,
    inForce: () => ({
      environment: undefined,
      source: { kind: "nothing", damaged: false },
      unusable: { timeZone: undefined, languages: [] },
    }),
    clockCheck: () => undefined,
    clock: { now: () => now },
    timer,
    log: pino({ level: "silent" }),
  });
  const nextCheck = async () => {
    const count = rounds.length;
    rounds.at(-1)?.();
    await vi.waitFor(() => expect(rounds.length).toBe(count + 1));
  };
  const clockRows = async () => (await changes.all()).filter(({ kind }) => kind === "clock").map(({ what }) => what);
  await recorder.check();
  recorder.start();
  await vi.waitFor(() => expect(rounds).toHaveLength(1));
  now -= 3_600_000;
  store.db.pragma("query_only = 1");
  await nextCheck();
  expect(await clockRows()).toEqual([]);
  store.db.pragma("query_only = 0");
  await nextCheck();
  await nextCheck();
  expect(await clockRows()).toEqual([expect.stringContaining('"bySeconds":"-3600.0"')]);
  const stopped = recorder.stop();
  rounds.at(-1)?.();
  await stopped;
});

it.each([
  [
    "is edited",
    "UPDATE changes SET what = '{}' WHERE id = 2",
    "row 2 of the record of changes is damaged or was edited",
  ],
  ["is removed", "DELETE FROM changes WHERE id = 2", "row 2 of the record of changes is missing"],
])("tillseal verify notices when a row %s", async (_, sql, problem) => {
  const dataDir = temporaryFolder();
  await soldWith(dataDir);
  expect(problemsIn(dataDir)).toEqual([]);
  changeStore(dataDir, sql);
  expect(problemsIn(dataDir)).toContain(problem);
});

it("shows each change as the difference from the state before", () => {
  const row = (id: number, kind: ChangeRow["kind"], what: object): ChangeRow => {
    return { id, at: 0, kind, what: JSON.stringify(what), entry: 0, checksum: new Uint8Array(32) };
  };
  const shown = shownChanges([
    row(1, "settings", { port: "8431", host: "localhost" }),
    row(2, "clock", { clock: "set back" }),
    row(3, "settings", { port: "9000", reader: "ACS" }),
  ]);
  expect(shown.map(({ facts }) => facts.map(({ fact, from, to }) => `${fact}: ${from} > ${to}`))).toEqual([
    ["port: null > 8431", "host: null > localhost"],
    ["clock: null > set back"],
    ["port: 8431 > 9000", "host: localhost > null", "reader: null > ACS"],
  ]);
});
