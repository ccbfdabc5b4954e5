/** What the doctor reports about the store of a data folder, without a card. */
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { examine } from "../../src/commands/examine.js";
import { loadConfig } from "../../src/config/load.js";
import type { Check } from "../../src/doctor/check.js";
import { tillseal } from "../support/command.js";
import { tillInDoubt } from "../support/doubt.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { changeStore } from "../support/store-file.js";
import { openTamperedTill, SIGN } from "../support/tampered-till.js";
import { openTill } from "../support/till.js";

const ABOUT_STORE = ["store", "reports", "sales in doubt"];

async function lines(dataDir: string): Promise<Pick<Check, "subject" | "verdict" | "message">[]> {
  const checks = await examine(loadConfig({ flags: { dataDir } }));
  const ofStore = checks.filter(({ subject }) => ABOUT_STORE.includes(subject));
  return ofStore.map(({ subject, verdict, message }) => ({ subject, verdict, message }));
}
const verdicts = async (dataDir: string) => (await lines(dataDir)).map(({ subject, verdict }) => [subject, verdict]);

it("the doctor's check of the store is ok when the newest receipts are intact, also while the service sells", async () => {
  const dataDir = temporaryFolder();
  const till = await openTill({ settings: { dataDir } });
  await till.sell();
  expect(await lines(dataDir)).toEqual([
    {
      subject: "store",
      verdict: "ok",
      message: expect.stringMatching(/^entries: 1, the newest receipt is from \S+Z; undamaged among the newest: 1$/),
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
  const [, reports, doubts] = await lines(dataDir);
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
      verdict: "warn",
      message: expect.stringMatching(
        /^order-1 \(card TESTCARD\): run tillseal incidents\. A sale of the card TESTCARD /,
      ),
    },
  ]);
});

it("the doctor's check of the store, and verify, call no sale in doubt that the card is signing", async () => {
  const dataDir = temporaryFolder();
  const till = await openTamperedTill({ settings: { dataDir } });
  await till.sell();
  const endHang = till.tampered.hold(SIGN);
  const sold = till.sell();
  await expect.poll(async () => (await tillseal(["verify", "--data-dir", dataDir])).stdout).toContain("id 2");
  const [, , doubts] = await lines(dataDir);
  const { stdout } = await tillseal(["verify", "--data-dir", dataDir]);
  endHang();
  expect((await sold).status).toBe(200);
  expect(doubts).toEqual({ subject: "sales in doubt", verdict: "ok", message: "none" });
  expect(stdout).toContain("id 2: the card is signing it now, or it is in doubt: tillseal incidents lists those");
});

it("the doctor's check of the store reports a changed receipt, a damaged store and a store from before 1.0.0", async () => {
  const dataDir = temporaryFolder();
  const till = await openTill({ settings: { dataDir } });
  await till.sell();
  await till.stop();
  expect(await verdicts(temporaryFolder())).toEqual([["store", "ok"]]);
  changeStore(dataDir, "UPDATE invoices SET answer = json_set(answer, '$.journal', 'other')");
  expect((await lines(dataDir))[0]).toMatchObject({
    verdict: "warn",
    message: expect.stringContaining("damaged among the newest: 1. Run tillseal verify"),
  });
  changeStore(dataDir, "PRAGMA user_version = 5");
  expect(await verdicts(dataDir)).toEqual([["store", "fail"]]);
  truncateSync(join(dataDir, "store/tillseal.db"), 5_000);
  expect(await verdicts(dataDir)).toEqual([["store", "fail"]]);
});
