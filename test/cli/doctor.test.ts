/** What the doctor says of a data folder and its store, and what it asks a running service. */
import { readdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { examine } from "../../src/commands/examine.js";
import { loadConfig } from "../../src/config/load.js";
import type { Check } from "../../src/doctor/check.js";
import { AuthorityLedger } from "../../src/ledger/authority-ledger.js";
import { openStore } from "../../src/ledger/database.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { serve, tillseal } from "../support/command.js";
import { tillInDoubt } from "../support/doubt.js";
import { sentEnvironment } from "../support/fake-authority.js";
import { temporaryFolder } from "../support/folder.js";
import { SANDBOX } from "../support/invoices.js";
import { changeStore } from "../support/store-file.js";
import { openTamperedTill, SIGN } from "../support/tampered-till.js";
import { openTill, soldStore } from "../support/till.js";

const NOON = Date.UTC(2026, 5, 1, 12);
const UID = "TESTCARD";

/** A folder whose store holds what the authority sent. */
async function folderWith(sql = "", validFrom?: string): Promise<string> {
  const folder = temporaryFolder();
  const store = openStore(folder);
  const { parameters, taxRates } = sentEnvironment();
  const one = { uid: UID, receivedAt: NOON, source: "authority", fileUntil: null } as const;
  const rates = taxRates.map((group) => ({ ...group, ...(validFrom === undefined ? {} : { validFrom }) }));
  await new AuthorityLedger(new SqliteLedger(store).access).commit([
    { kind: "sent", sent: { ...one, name: "parameters", key: "", value: JSON.stringify(parameters) } },
    { kind: "sent", sent: { ...one, name: "rates", key: "1", value: JSON.stringify(rates[0]) } },
  ]);
  store.close();
  changeStore(folder, sql);
  return folder;
}

async function ratesOf(dataDir: string, flags: Record<string, unknown> = {}): Promise<Check | undefined> {
  const checks = await examine(loadConfig({ flags: { dataDir, ...flags } }));
  return checks.find(({ subject }) => subject === "tax rates");
}

it("the doctor names the file when the authority has sent nothing for the card", async () => {
  const { environmentName } = SANDBOX.parameters;
  const message = `environment ${environmentName}, from the file sandbox`;
  expect(await ratesOf(temporaryFolder(), { environment: "sandbox" })).toMatchObject({ verdict: "ok", message });
});

it("the doctor names the authority and the time when it has, without a card in the reader too", async () => {
  expect(await ratesOf(await folderWith(), { environment: "sandbox" })).toMatchObject({
    verdict: "ok",
    message: "environment TEST, which the tax authority sent (2026-06-01T12:00:00.000Z)",
  });
});

it("the doctor makes nothing in a folder without a store", async () => {
  const folder = temporaryFolder();
  await examine(loadConfig({ flags: { dataDir: folder } }));
  expect(readdirSync(folder)).toEqual([]);
});

it("the doctor judges the folder of an emulator with the rates with which the emulator sells", async () => {
  const where = ["--data-dir", temporaryFolder(), "--no-authority"];
  const { stop } = await serve(where);
  await stop();
  expect(await ratesOf(where[1] ?? "")).toMatchObject({
    verdict: "ok",
    message: expect.stringMatching(/from the file specification$/),
  });
});

it.each<[string, () => Promise<string>, string]>([
  ["nothing is configured", async () => temporaryFolder(), "There are no tax rates yet."],
  [
    "the store damaged what was sent",
    () => folderWith("UPDATE authority_state SET value = '{}'"),
    "The stored tax rates are damaged.",
  ],
  ["no rates apply yet", () => folderWith("", "2099-01-01T00:00:00Z"), "No tax rates are valid at this time."],
])("the doctor fails where %s", async (_, folder, message) => {
  expect(await ratesOf(await folder())).toMatchObject({ verdict: "fail", message: expect.stringContaining(message) });
});

it("the doctor asks the service that runs on the folder, and does not take another till's port for it", async () => {
  const dataDir = temporaryFolder();
  const own = await openTill({ settings: { dataDir } });
  const other = await openTill({});
  const portOf = async (folder: string) => {
    const checks = await examine(loadConfig({ flags: { dataDir: folder, port: Number(new URL(other.url).port) } }));
    return checks
      .filter(({ subject }) => ["port", "card"].includes(subject))
      .map(({ verdict, message }) => [verdict, message]);
  };
  expect(await portOf(dataDir)).toEqual([
    ["ok", expect.stringContaining("TESTCARD of")],
    ["ok", `the service is running at ${own.url}`],
  ]);
  const another = ["fail", expect.stringContaining("another program, or another till")];
  expect(await portOf(temporaryFolder())).toContainEqual(another);
  await expect(examine(loadConfig({ flags: { dataDir } }), "1234")).rejects.toThrow("tillseal pki-pin");
});

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
  const { card } = await soldStore(1);
  const dataDir = temporaryFolder();
  await tillInDoubt("after", { card, settings: { dataDir } });
  const [, reports, doubts] = await lines(dataDir);
  expect([reports, doubts]).toEqual([
    {
      subject: "reports",
      verdict: "warn",
      message:
        "1 to confirm: run tillseal incidents. Invoices of the card TESTCARD are missing or incomplete in this store. " +
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
  const { dataDir } = await soldStore(1);
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
