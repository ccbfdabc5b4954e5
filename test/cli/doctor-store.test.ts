/** What the doctor reports about the store of a data folder, without a card. */
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkStore } from "../../src/doctor/store.js";
import { openStore } from "../../src/ledger/database.js";
import { tillsealProcess } from "../support/command.js";
import { doctorLines } from "../support/doctor.js";
import { tillInDoubt } from "../support/doubt.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { openTill } from "../support/till.js";

const lines = (dataDir: string) => doctorLines(checkStore(dataDir));
const verdicts = (dataDir: string) => lines(dataDir).map(({ subject, verdict }) => [subject, verdict]);

it("the doctor's check of the store is ok when the newest receipts are intact, also while the service sells", async () => {
  const dataDir = temporaryFolder();
  const till = await openTill({ settings: { dataDir } });
  await till.sell();
  const { stdout } = await tillsealProcess(["doctor", "--json", "--port", "0", "--data-dir", dataDir]);
  const { findings } = JSON.parse(stdout) as { findings: { subject: string }[] };
  const ofStore = ["store", "reports", "sales in doubt"];
  expect(findings.filter(({ subject }) => ofStore.includes(subject))).toEqual([
    {
      subject: "store",
      verdict: "ok",
      message: expect.stringMatching(/^1 entries, the newest receipt is from \S+Z; the newest 1 are undamaged$/),
    },
    { subject: "reports", verdict: "ok", message: "none to confirm" },
    { subject: "sales in doubt", verdict: "ok", message: "none" },
  ]);
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 2 });
});

it("the doctor's check of the store reports what is not confirmed, and a sale in doubt", async () => {
  const card = makeCard();
  const elsewhere = await openTill({ card });
  await elsewhere.sell();
  await elsewhere.stop();
  const dataDir = temporaryFolder();
  await tillInDoubt("after", { card, settings: { dataDir } });
  const [, reports, doubts] = lines(dataDir);
  expect([reports, doubts]).toEqual([
    {
      subject: "reports",
      verdict: "warn",
      message:
        "1 to confirm: run tillseal incidents. The card has counted invoices that this store does not have. " +
        "Find the receipts and keep them. Then confirm the report.",
    },
    {
      subject: "sales in doubt",
      verdict: "fail",
      message: expect.stringMatching(/^order-1 \(card TESTCARD\): run tillseal incidents\. A sale is in doubt\./),
    },
  ]);
});

it("the doctor's check of the store reports a changed receipt, a damaged store and a store from before 1.0.0", async () => {
  const dataDir = temporaryFolder();
  const till = await openTill({ settings: { dataDir } });
  await till.sell();
  await till.stop();
  expect(verdicts(temporaryFolder())).toEqual([["store", "ok"]]);
  const change = (sql: string) => {
    const store = openStore(dataDir);
    store.db.exec(sql);
    store.close();
  };
  change("UPDATE invoices SET answer = json_set(answer, '$.journal', 'other')");
  expect(lines(dataDir)[0]).toMatchObject({
    verdict: "warn",
    message: expect.stringContaining("damaged among the newest: 1. Run tillseal verify"),
  });
  change("PRAGMA user_version = 5");
  expect(verdicts(dataDir)).toEqual([["store", "fail"]]);
  truncateSync(join(dataDir, "store/tillseal.db"), 5_000);
  expect(verdicts(dataDir)).toEqual([["store", "fail"]]);
});
