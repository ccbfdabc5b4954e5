/** Sales count as carried to a stick once the copy on the stick was written and read back, not when the service sends the files. */
import { expect, it } from "vitest";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { temporaryFolder } from "../support/folder.js";
import { JSON_HEADERS, openTill } from "../support/till.js";

const UID = "TESTCARD";

async function shop() {
  const dataDir = temporaryFolder();
  const till = await openTill({ settings: { dataDir } });
  for (let i = 0; i < 3; i++) await till.sell();
  const onStick = async () => {
    const store = StoreReading.open(dataDir);
    try {
      return (await store.audits().progress(UID)).onStick;
    } finally {
      store.close();
    }
  };
  const files = async () => (await till.call("GET", `/console/audit/files?uid=${UID}`)).text.trim().split("\n");
  const carried = (body: object) =>
    till.call("POST", "/console/audit/carried", { headers: JSON_HEADERS, body: { ...body, pin: "1234" } });
  return { onStick, files, carried };
}

it("the files for a stick change nothing", async () => {
  const { files, onStick } = await shop();
  expect(await files()).toHaveLength(4);
  expect(await onStick()).toBe(0);
});

it("what was written to a stick is kept, up to the sale that the list of files names", async () => {
  const { files, carried, onStick } = await shop();
  const { entry } = JSON.parse((await files()).at(-1) ?? "") as { entry: number };
  expect((await carried({ uid: UID, entry })).status).toBe(204);
  expect(await onStick()).toBe(entry);
});

it.each([
  ["beyond the newest sale", { uid: UID, entry: 1_000_000 }, 400],
  ["no number", { uid: UID, entry: "3" }, 400],
  ["no entry", { uid: UID }, 400],
  ["of an unknown card", { uid: "NOBODY01", entry: 1 }, 400],
])("an entry that is %s is refused", async (_what, body, status) => {
  const { carried, onStick } = await shop();
  expect((await carried(body)).status).toBe(status);
  expect(await onStick()).toBe(0);
});
