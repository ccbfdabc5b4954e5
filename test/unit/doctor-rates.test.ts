/** What the doctor reports about rates and parameters and their source. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkRates, type RatesCheck } from "../../src/doctor/rates.js";
import { AuthorityLedger } from "../../src/ledger/authority-ledger.js";
import { openStore, STORE_FILE } from "../../src/ledger/database.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { doctorLines } from "../support/doctor.js";
import { sentEnvironment } from "../support/fake-authority.js";
import { temporaryFolder } from "../support/folder.js";
import { SANDBOX } from "../support/invoices.js";

const NOON = Date.UTC(2026, 5, 1, 12);
const UID = "TESTCARD";

/** A folder whose store holds what the authority sent. */
async function folderWith(sql = "", validFrom?: string): Promise<string> {
  const folder = temporaryFolder();
  const store = openStore(folder);
  const { parameters, taxRates } = sentEnvironment();
  const one = { uid: UID, receivedAt: NOON, fileUntil: null };
  const rates = taxRates.map((group) => ({ ...group, ...(validFrom === undefined ? {} : { validFrom }) }));
  await new AuthorityLedger(new SqliteLedger(store).access).commit([
    { kind: "sent", sent: { ...one, name: "parameters", key: "", value: JSON.stringify(parameters) } },
    { kind: "sent", sent: { ...one, name: "rates", key: "1", value: JSON.stringify(rates[0]) } },
  ]);
  store.close();
  const db = openDatabase(join(folder, STORE_FILE));
  db.exec(sql);
  db.close();
  return folder;
}

const check = (changes: Partial<RatesCheck>) =>
  checkRates({
    file: SANDBOX,
    fileName: "sandbox",
    dataDir: temporaryFolder(),
    card: { uid: UID, country: "RS" },
    ...changes,
  });
const line = (changes: Partial<RatesCheck>) => doctorLines(check(changes), NOON)[0];

it("the doctor names the file when the authority has sent nothing for the card", async () => {
  const { environmentName } = SANDBOX.parameters;
  const message = `environment ${environmentName}, from the file sandbox`;
  expect(line({})).toEqual({ subject: "tax rates", verdict: "ok", message });
  expect(line({ dataDir: await folderWith(), card: { uid: "OTHERONE", country: "RS" } })?.message).toBe(message);
});

it("the doctor names the authority and the time when it has", async () => {
  const dataDir = await folderWith();
  expect(line({ dataDir })).toMatchObject({
    verdict: "ok",
    message: "environment TEST, which the tax authority sent (2026-06-01T12:00:00.000Z)",
  });
  expect(check({ dataDir }).facts.environment?.parameters.ntpServer).toBe("ntp://time.tax-authority.test/");
});

it.each<[string, () => Promise<Partial<RatesCheck>>, string]>([
  ["nothing is configured", async () => ({ file: undefined }), "There are no tax rates yet."],
  [
    "the store damaged what was sent",
    async () => ({ dataDir: await folderWith("UPDATE authority_state SET value = '{}'") }),
    "The stored tax rates are damaged.",
  ],
  [
    "no rates apply yet",
    async () => ({ dataDir: await folderWith("", "2027-01-01T00:00:00Z") }),
    "No tax rates are valid at this time.",
  ],
])("the doctor fails where %s", async (_, changes, message) => {
  expect(line(await changes())).toMatchObject({ verdict: "fail", message: expect.stringContaining(message) });
});
