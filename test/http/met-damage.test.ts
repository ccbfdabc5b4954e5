/** Damage that the running service meets is a finding: status, console and /ready show it, not only the answer to the POS. */
import { copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type { TillRecord } from "../../src/console/records/till.js";
import { openStore, STORE_FILE } from "../../src/ledger/database.js";
import { temporaryFolder } from "../support/folder.js";
import { openTill, sale, type Till } from "../support/till.js";

async function shown(till: Till) {
  const { mssc } = (await till.call("GET", "/api/v3/status")).json<{ mssc: string[] }>();
  const { findings } = (await till.call("GET", "/console/till")).json<TillRecord>();
  const { missing } = (await till.call("GET", "/ready")).json<{ missing: string[] }>();
  return { mssc, findings: findings.map(({ key }) => key), missing };
}

it("shows a damaged entry from the moment in which a repeat meets it, and sells on", async () => {
  const dataDir = temporaryFolder();
  const first = await openTill({ settings: { dataDir } });
  await first.sell(sale(), { RequestId: "order-1" });
  await first.sell(sale(), { RequestId: "order-2" });
  await first.stop();
  const store = openStore(dataDir);
  store.db.exec("UPDATE invoices SET answer = replace(answer, '100', '900') WHERE request_id = 'order-1'");
  store.close();
  const till = await openTill({ settings: { dataDir }, card: first.card });
  expect(await shown(till)).toEqual({ mssc: ["9002"], findings: [], missing: [] });
  expect((await till.sell(sale(), { RequestId: "order-1" })).json()).toMatchObject({ code: "1999" });
  expect(await shown(till)).toEqual({ mssc: ["9002", "9014"], findings: ["entryDamaged"], missing: [] });
  expect((await till.sell(sale(), { RequestId: "order-3" })).json()).toMatchObject({ totalCounter: 3 });
});

it("shows a key of a RequestId that is gone after its start, before anyone repeats that sale", async () => {
  const dataDir = temporaryFolder();
  const first = await openTill({ settings: { dataDir } });
  for (const requestId of ["order-1", "order-2"]) await first.sell(sale(), { RequestId: requestId });
  await first.stop();
  const store = openStore(dataDir);
  store.db.exec("DELETE FROM request_keys WHERE key = (SELECT min(key) FROM request_keys)");
  store.close();
  const till = await openTill({ settings: { dataDir }, card: first.card });
  await vi.waitFor(async () => {
    expect(await shown(till)).toEqual({ mssc: ["9002", "9014"], findings: ["indexDamaged"], missing: [] });
  }, 5_000);
  expect((await till.sell(sale(), { RequestId: "order-3" })).json()).toMatchObject({ totalCounter: 3 });
});

it.each([
  [
    "replaced",
    (file: string) => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
  ],
  ["removed", (file: string) => rmSync(file)],
])("shows that the store was %s before a sale finds out, and as long as it lasts", async (_how, change) => {
  const dataDir = temporaryFolder();
  const till = await openTill({ settings: { dataDir } });
  await till.sell();
  change(join(dataDir, STORE_FILE));
  const gone = { mssc: ["9002", "9008"], findings: ["storeGone"], missing: ["1999"] };
  expect(await shown(till)).toEqual(gone);
  expect((await till.sell()).json()).toMatchObject({ code: "1999" });
  expect(await shown(till)).toEqual(gone);
});
