/** A backup is a file that any program may have changed: what the present store does not have waits for a yes. */
import { copyFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { changeText } from "../../src/authority/configuration-change.js";
import { COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import type { Brought } from "../../src/bookkeeping/backup/brought.js";
import { restoreBackup } from "../../src/bookkeeping/backup/restore.js";
import { Eraser } from "../../src/bookkeeping/eraser.js";
import { rateGroupAt } from "../../src/fiscal/tax.js";
import { AuditLedger } from "../../src/ledger/audit-ledger.js";
import { NO_END } from "../../src/ledger/authority-ledger.js";
import { STORE_FILE } from "../../src/ledger/database.js";
import { addRowChecksum, sealIn } from "../../src/ledger/row-checksums.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { commandsFor } from "../support/commands.js";
import { FakeAuthority, sentEnvironment } from "../support/fake-authority.js";
import { temporaryFolder } from "../support/folder.js";
import { openedStore, storedAuthority } from "../support/ledgers.js";
import { soldStore } from "../support/till.js";

const UID = "TESTCARD";
const NOW = Date.parse("2026-11-20T00:00:00Z");
const THIEF = "https://thief.test/v/?vl=";

/** The store of a folder, as a service opens it. */
async function opened(dataDir: string) {
  const { store, ledger } = storedAuthority(dataDir);
  const later = async () => ({ kind: "later", reason: "no card" }) as const;
  const parts = { proof: later, directive: later, clock: { now: () => NOW } };
  const { environments, ...till } = await commandsFor(UID, ledger, parts);
  return { ...till, store, environment: () => environments.of(UID)?.environment };
}

type Till = Awaited<ReturnType<typeof opened>>;

/** A shop whose authority has configured its card. @returns the closed store's folder, what was in force, and a backup */
async function shop(more: (till: Till) => Promise<unknown> = async () => undefined) {
  const dataDir = temporaryFolder();
  const till = await opened(dataDir);
  await till.round(FakeAuthority.configuring(UID));
  await more(till);
  till.store.close();
  return { dataDir, environment: till.environment(), file: backup(dataDir) };
}

/** Another address of the QR code, as received and with a valid checksum. */
const sendRoot = ({ commands }: Till) => {
  const command = { commandId: "x", type: COMMAND_TYPE.verificationUrl, payload: THIEF, uid: UID };
  return commands.take(UID, [command], "authority");
};

const stealRoot = async (till: Till) => {
  await sendRoot(till);
  await till.commands.execute(UID);
};

function backup(dataDir: string): string {
  const file = join(temporaryFolder(), "backup.db");
  copyFileSync(join(dataDir, STORE_FILE), file);
  return file;
}

/** @returns cards whose values wait for a yes */
const restore = async (dataDir: string, file: string, agrees = async (_: Brought) => false) =>
  (await restoreBackup({ dataDir, file, at: NOW }, false, agrees)).inspected.held;

it("a restored backup brings no rates and no address into force before a person has said yes, and the same ones after it", async () => {
  const { environment, file } = await shop();
  const other = temporaryFolder();
  expect(await restore(other, file)).toEqual([UID]);
  const till = await opened(other);
  expect(till.environment()).toBeUndefined();
  const held = await till.commands.held(UID);
  const root = environment?.parameters.endpoints.root;
  expect(held?.changes.map(changeText)).toEqual(
    expect.arrayContaining([`root: nothing -> ${root}`, expect.stringMatching(/^A .*: nothing -> 20 VAT$/)]),
  );
  expect(await till.commands.confirm(UID, held?.commands.map(({ id }) => id) ?? [], false)).toBe("done");
  expect(till.environment()).toEqual(environment);
  const authority = new FakeAuthority();
  await till.commands.report(UID, authority);
  // The authority did not send these commands.
  expect(authority.reports).toEqual([]);
  expect((await till.ledger.openCommands(UID)).length).toBe(0);
});

it("a restored backup asks nothing where the present store has the same rates and addresses", async () => {
  const { dataDir, environment, file } = await shop();
  expect(await restore(dataDir, file)).toEqual([]);
  expect((await opened(dataDir)).environment()).toEqual(environment);
});

it("a restored backup waits where it differs from the present store, whose own values stay in force, and shows the difference", async () => {
  const { dataDir, environment } = await shop();
  const { file } = await shop(stealRoot);
  const refuses = async ({ cards }: Brought) => {
    expect(cards.map(({ uid, changes }) => [uid, changes.map(({ name, after }) => [name, after])])).toEqual([
      [UID, [["root", THIEF]]],
    ]);
    return false;
  };
  expect(await restore(dataDir, file, refuses)).toEqual([UID]);
  expect.assertions(3);
  expect((await opened(dataDir)).environment()).toEqual(environment);
});

it("a restored backup applies what a person has been shown, and nothing else", async () => {
  const { environment, file } = await shop();
  const { dataDir: thief } = await shop(stealRoot);
  const agreed = temporaryFolder();
  // Another program may put another file in its place while the person reads.
  const agreesLate = async () => {
    copyFileSync(join(thief, STORE_FILE), file);
    return true;
  };
  expect(await restore(agreed, file, agreesLate)).toEqual([]);
  expect((await opened(agreed)).environment()).toEqual(environment);
});

it("a restored backup executes no command that a backup has as received", async () => {
  const { environment, file } = await shop(sendRoot);
  const other = temporaryFolder();
  expect(await restore(other, file, async () => true)).toEqual([]);
  const till = await opened(other);
  await till.commands.execute(UID);
  expect(till.environment()).toEqual(environment);
  expect((await till.commands.held(UID))?.changes).toMatchObject([{ name: "root", after: THIEF }]);
});

interface Row {
  readonly name: string;
  readonly key: string;
  readonly value: string;
  readonly received_at: number;
  readonly file_until: number | null;
}

/** Changes a backup as another program would, which computes the checksums. */
function forge(file: string, sql: string, ...values: unknown[]): void {
  const db = openDatabase(file);
  addRowChecksum(db);
  db.prepare(sql).run(...values);
  for (const table of ["authority_state", "audits", "audit_progress"] as const) db.exec(sealIn(table));
  db.close();
}

const ADD_ROW = `INSERT OR REPLACE INTO authority_state (id, uid, name, key, value, received_at, source, file_until)
  VALUES (@id, '${UID}', @name, @key, @value, @received_at, iif(@file_until IS NULL, 'authority', 'file'), @file_until)`;
const DAY_MS = 86_400_000;
const YESTERDAY = NOW - DAY_MS;
/** A group of rates in which one label has the rate 0. */
const zeroRates = (groupId: number, validFrom = "2020-01-01T00:00:00Z") =>
  JSON.stringify({
    groupId,
    validFrom,
    taxCategories: [{ name: "VAT", categoryType: 0, orderId: 1, taxRates: [{ label: "A", rate: 0 }] }],
  });
/** Rates of a file that ended yesterday: they decide refunds of the two days before. */
const ENDED: Row & { readonly id: number } = {
  id: 100,
  name: "rates",
  key: "file 77",
  value: zeroRates(77),
  received_at: YESTERDAY - 2 * DAY_MS,
  file_until: YESTERDAY,
};
const REFUNDED_AT = YESTERDAY - DAY_MS;

const time = fc.oneof(
  fc.constantFrom(0, NOW, NO_END, -1, 2 ** 53),
  fc.integer({ min: NOW - 900 * DAY_MS, max: NOW + 900 * DAY_MS }),
);
/** Every row that the schema of the store allows: of any name, key and time, with values that sell and values that cannot. */
const anyRow = fc
  .record({
    id: fc.integer({ min: -3, max: 12 }),
    group: fc.integer({ min: 1, max: 12 }),
    name: fc.constantFrom("rates", "parameters", "timeServer", "verificationRoot"),
    key: fc.constantFrom("", "1", "4", "7", "file 1", "file 4", "file 7", "odd"),
    received_at: time,
    file_until: fc.option(time),
    junk: fc.option(fc.constantFrom("", "{}", "null", "[]", "0", '"x"', "{"), { freq: 6 }),
    validFrom: fc.constantFrom("2020-01-01T00:00:00Z", "2026-11-19T00:00:00Z", "2027-01-01T00:00:00Z"),
  })
  .map(({ group, junk, validFrom, ...row }) => {
    const { parameters } = sentEnvironment();
    const endpoints = { ...parameters.endpoints, root: THIEF };
    const values: Record<string, string> = {
      rates: zeroRates(group, validFrom),
      parameters: JSON.stringify({ ...parameters, endpoints, keptTimeZone: "Asia/Tokyo" }),
      timeServer: '"thief.test"',
      verificationRoot: JSON.stringify(THIEF),
    };
    return { ...row, value: junk ?? values[row.name] ?? "" };
  });

it("after a restore without a yes no row of the backup has an effect on sales, Refunds or Copies of any time", async () => {
  const { dataDir, environment, file: own } = await shop();
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { minLength: 1, maxLength: 5 }), fc.boolean(), async (rows, isNew) => {
      const folder = temporaryFolder();
      if (!isNew) cpSync(join(dataDir, "store"), join(folder, "store"), { recursive: true });
      const file = join(temporaryFolder(), "backup.db");
      copyFileSync(own, file);
      for (const row of rows) forge(file, ADD_ROW, row);
      await restoreBackup({ dataDir: folder, file, at: NOW }, true);
      const till = await opened(folder);
      expect(till.environment()).toEqual(isNew ? undefined : environment);
      await till.commands.execute(UID);
      expect(till.environment()).toEqual(isNew ? undefined : environment);
      till.store.close();
    }),
    { numRuns: 30, endOnFailure: true },
  );
}, 120_000);

it.each([
  ["a parameter", { name: "parameters", value: "{}" }],
  ["a time server", { name: "timeServer", value: '"thief.test"' }],
  ["an address", { name: "verificationRoot", value: JSON.stringify(THIEF) }],
  ["a group that came before 1970", { received_at: -1 }],
  ["a group that ends after all time", { file_until: 2 ** 60 }],
])("a backup in which %s has times that tillseal does not write is damaged", async (_name, row) => {
  const { dataDir, file } = await shop();
  forge(file, ADD_ROW, { ...ENDED, key: "", ...row });
  await expect(restore(dataDir, file)).rejects.toThrow("is damaged");
});

it("rates of a file that have ended in a backup are shown with the time of their sales, and wait for a yes", async () => {
  const { dataDir, environment, file } = await shop();
  forge(file, ADD_ROW, ENDED);
  const texts: string[][] = [];
  const shows = async ({ cards }: Brought) => {
    texts.push(cards.flatMap(({ changes }) => changes.map(changeText)));
    return false;
  };
  const rateOf = (till: Till) => rateGroupAt(till.environment()?.taxRates ?? [], REFUNDED_AT)?.groupId;
  expect(await restore(dataDir, file, shows)).toEqual([UID]);
  const till = await opened(dataDir);
  const lines = [
    "A (rate group 77, from 2020-01-01T00:00:00.000Z; rates of a file, for refunds of sales from 2026-11-17T00:00:00.000Z to 2026-11-19T00:00:00.000Z): nothing -> 0 VAT",
    expect.stringContaining("taxCategories (rate group 77"),
  ];
  expect(texts).toEqual([lines]);
  await till.commands.execute(UID);
  expect(till.environment()).toEqual(environment);
  const held = await till.commands.held(UID);
  expect(held?.changes.map(changeText)).toEqual(lines);
  expect(await till.commands.confirm(UID, held?.commands.map(({ id }) => id) ?? [], true)).toBe("done");
  expect(rateOf(till)).toBe(77);
  till.store.close();

  const agreed = temporaryFolder();
  expect(await restore(agreed, file, async () => true)).toEqual([]);
  expect(rateOf(await opened(agreed))).toBe(77);
});

const FORGED = [
  `INSERT OR REPLACE INTO audit_progress (uid, sent_to, proven_to, on_stick) VALUES ('${UID}', 5, 5, 5)`,
  `INSERT INTO audits (uid, started_at, request, sum, "limit", covers, ended_at, outcome)
    VALUES ('${UID}', 1, x'00', '1', '5', 5, 2, 'ended')`,
  `INSERT INTO audits (uid, started_at, request, sum, "limit", covers) VALUES ('${UID}', 3, x'00', '1', '5', 5)`,
];

/** A closed store with five receipts, of which the authority has the first ones. */
async function soldFive(reached: number): Promise<string> {
  const { dataDir, file } = await soldStore(5);
  const sql = `INSERT OR REPLACE INTO audit_progress (uid, sent_to, proven_to) VALUES ('${UID}', ?, ?)`;
  forge(file, sql, reached, reached);
  return dataDir;
}

it.each([
  ["the present store knows of two", 2, async (own: string) => own, 2],
  ["there is no present store", 2, async () => temporaryFolder(), 0],
  ["the present store has others under the same numbers", 0, () => soldFive(5), 0],
])(
  "a backup that says that all receipts are proven lets none be erased or left unsent when %s",
  async (_name, reached, place, known) => {
    const own = await soldFive(reached);
    const [progress = "", ended = "", open = ""] = FORGED;
    for (const forged of [FORGED, [progress], [progress, ended], [open]]) {
      const folder = temporaryFolder();
      const present = await place(own);
      cpSync(present, folder, { recursive: true });
      const file = backup(own);
      for (const sql of forged) forge(file, sql);
      const shown: unknown[] = [];
      const refuses = async ({ cards }: Brought) => {
        shown.push(...cards.map(({ uid, reached }) => [uid, reached]));
        return false;
      };
      const { inspected } = await restoreBackup({ dataDir: folder, file, at: NOW }, false, refuses);
      expect([shown, inspected.unsent]).toEqual([[[UID, { count: 5, of: 5 }]], [UID]]);
      const { access } = new SqliteLedger(openedStore(folder));
      const audits = new AuditLedger(access);
      const { erasable } = await new Eraser(access, async () => undefined).count(Date.now() + DAY_MS);
      const { sentTo } = await audits.progress(UID);
      const next = (await audits.nextSale(UID, sentTo))?.id;
      expect([erasable, await audits.unsent(UID), next]).toEqual([known, 5 - known, known + 1]);
      expect(await audits.openAudit(UID)).toBeUndefined();
    }
  },
);

const progressIn = (dataDir: string, uid: string) =>
  new AuditLedger(new SqliteLedger(openedStore(dataDir)).access).progress(uid);

it.each([
  ["the present store knows less", (own: string) => own],
  ["there is no present store", temporaryFolder],
])("a backup's receipts count as proven after a yes when %s", async (_name, place) => {
  const own = await soldFive(2);
  const folder = place(own);
  const file = backup(own);
  forge(file, `INSERT OR REPLACE INTO audit_progress (uid, sent_to, proven_to) VALUES ('${UID}', 4, 3)`);
  await restore(folder, file, async () => true);
  expect(await progressIn(folder, UID)).toMatchObject({ sentTo: 4, provenTo: 3 });
});

it("a backup that says that the sales of a card without sales are proven says nothing about its next sales", async () => {
  const { dataDir, file } = await shop();
  forge(file, "INSERT INTO audit_progress (uid, sent_to, proven_to) VALUES ('OTHER001', 99, 99)");
  await restore(dataDir, file, async () => true);
  expect(await progressIn(dataDir, "OTHER001")).toMatchObject({ sentTo: 0, provenTo: 0 });
});
