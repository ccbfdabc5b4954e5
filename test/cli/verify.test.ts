/** `tillseal verify` finds whatever was changed in a store or is missing there, and names the place. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Eraser } from "../../src/bookkeeping/eraser.js";
import { AuditLedger } from "../../src/ledger/audit-ledger.js";
import { AuthorityLedger } from "../../src/ledger/authority-ledger.js";
import { openStore } from "../../src/ledger/database.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { tillseal, tillsealProcess } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { changeStore, verdictOn } from "../support/store-file.js";
import { openTill, sale } from "../support/till.js";

const number = (counter: number) => `TESTCARD-TESTCARD-${counter}`;
/** SQL that recomputes the checksums, as if the ledger had written the change. */
const SEAL = `UPDATE invoices SET checksum = checksum(id, request_id, request_hash, uid, state, intent, total_counter,
  number, signature, answer)`;

/** SQL that changes a byte of the card's answer: 57 begins the counters, 65 the internal data, 321 the signature. */
const byte = (at: number) =>
  `signature = CAST(substr(signature, 1, ${at}) || iif(substr(signature, ${at + 1}, 1) = x'5A', x'5B', x'5A')
    || substr(signature, ${at + 2}) AS BLOB)`;

let sold: Promise<Buffer> | undefined;

/** A store with the counters 1 to 5 of one card, and its certificate. */
async function storeFile(): Promise<Buffer> {
  const dataDir = temporaryFolder();
  const till = await openTill({ settings: { dataDir } });
  for (let i = 0; i < 5; i++) await till.sell(sale({ buyerId: "RS34564565" }), { RequestId: `order-${i}` });
  await till.stop();
  return readFileSync(join(dataDir, "store/tillseal.db"));
}

/** A folder with such a store, changed by SQL. */
async function folderWith(sql = ""): Promise<string> {
  sold ??= storeFile();
  const folder = temporaryFolder();
  mkdirSync(join(folder, "store"));
  writeFileSync(join(folder, "store/tillseal.db"), await sold);
  changeStore(folder, sql);
  return folder;
}

it("a store without problems passes, also while the service sells", async () => {
  const dataDir = temporaryFolder();
  const till = await openTill({ settings: { dataDir } });
  for (let i = 0; i < 2; i++) await till.sell();
  const { status, stdout } = await tillsealProcess(["verify", "--data-dir", dataDir]);
  expect([status, stdout]).toEqual([0, `${join(dataDir, "store/tillseal.db")}: 2 entries, nothing is wrong\n`]);
  expect((await till.sell()).status).toBe(200);
});

it("a store with a problem fails, and each finding has its place, for people and for programs", async () => {
  const dataDir = await folderWith("UPDATE invoices SET answer = json_set(answer, '$.mrc', 'x') WHERE id = 3");
  const { status, stdout } = await tillseal(["verify", "--data-dir", dataDir]);
  expect([status, stdout]).toEqual([
    1,
    expect.stringContaining(`FAIL  id 3, ${number(3)}: it is damaged: its checksum does not match\n`),
  ]);
  const json = await tillseal(["verify", "--json", "--data-dir", dataDir]);
  expect(json.status).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    entries: 5,
    notes: [],
    findings: [
      { id: 3, number: number(3) },
      { id: 3, problem: expect.stringContaining("mrc of its answer is x") },
    ],
  });
});

it("a store with a trigger, a view or another table fails", async () => {
  const dataDir = await folderWith(
    `CREATE TRIGGER thief AFTER INSERT ON invoices BEGIN DELETE FROM invoices WHERE id = 1; END;
      CREATE VIEW window AS SELECT * FROM cards; CREATE TABLE notes (text TEXT); DROP INDEX invoices_by_time`,
  );
  const { status, stdout } = await tillseal(["verify", "--data-dir", dataDir]);
  expect([status, stdout.match(/the file has the .*?(?=, which)/g)]).toEqual([
    1,
    [
      "the file has the table notes",
      "the file has the trigger thief",
      "the file has the view window",
      "the file has the index invoices_by_time (missing)",
    ],
  ]);
});

it.each([
  ["the amount that was signed", byte(56), ["another invoice", "totalAmount", "certificate does not prove"]],
  ["the counter that was signed", byte(64), ["its counter", "its number", "certificate does not prove"]],
  ["the internal data", byte(100), ["encryptedInternalData", "certificate does not prove"]],
  ["the signature", byte(400), ["signature of its answer", "certificate does not prove"]],
  ["the length of the signature", "signature = x'00'", ["1 bytes"]],
  ["the counter", "total_counter = 9", ["its counter is 9 instead of 2"]],
  ["the number", "number = 'TESTCARD-TESTCARD-7'", ["its number is"]],
  ["the amount of the answer", "answer = json_set(answer, '$.totalAmount', 1)", ["totalAmount of its answer is 1 in"]],
  ["the time of the answer", "answer = json_set(answer, '$.sdcDateTime', 'now')", ["sdcDateTime"]],
  ["the URL of the answer", "answer = json_set(answer, '$.verificationUrl', 'x')", ["verificationUrl"]],
  ["the taxes of the answer", "answer = json_set(answer, '$.taxItems[0].amount', 0)", ["taxItems of its answer"]],
  ["the taxpayer of the answer", "answer = json_set(answer, '$.businessName', 'x')", ["businessName"]],
  ["the device of the answer", "answer = json_set(answer, '$.mrc', 'x')", ["mrc of its answer is x"]],
  ["an unreadable answer", "answer = 'half an ans'", ["it cannot be read"]],
  ["the buyer of the intent", "intent = json_set(intent, '$.invoice.buyerId', '1')", ["another invoice"]],
  ["an unreadable intent", "intent = '{}'", ["it cannot be read"]],
])("an entry is reported when it contradicts itself, even with a right checksum: %s", async (_, change, problems) => {
  const { findings } = verdictOn(await folderWith(`UPDATE invoices SET ${change} WHERE id = 2; ${SEAL}`));
  const reported = findings.filter(({ id }) => id === 2).map(({ problem }) => problem);
  expect(reported).not.toContainEqual(expect.stringContaining("checksum"));
  for (const problem of problems) expect(reported).toContainEqual(expect.stringContaining(problem));
});

it("an entry whose card has no stored certificate is counted as not checked", async () => {
  const { findings, notes } = verdictOn(await folderWith("UPDATE cards SET certificate = NULL, checksum = x''"));
  expect([findings, notes]).toEqual([[], [{ problem: expect.stringMatching(/no certificate .* TESTCARD \(5 entr/) }]]);
});

it("an entry that was adopted, lost or not proven passes with a note", async () => {
  const folder = await folderWith(`
      UPDATE invoices SET state = 'adopted', intent = NULL, request_id = NULL, request_hash = '' WHERE id = 2;
      UPDATE invoices SET state = 'unproven', answer = NULL, ${byte(400)} WHERE id = 3;
      UPDATE invoices SET state = 'lost', answer = NULL, number = NULL, signature = NULL WHERE id = 4;
      INSERT INTO invoices (request_hash, uid, state, intent, checksum) VALUES ('h', 'TESTCARD', 'intent', '{}', x'');
      ${SEAL}`);
  const { findings, notes } = verdictOn(folder);
  expect([findings, notes.map(({ id }) => id)]).toEqual([[], [3, 4, 6]]);
});

it.each([
  ["the time", 7],
  ["the counter", 64],
  ["the internal data", 100],
])("an entry that is not proven passes with any damaged bytes, such as in %s", async (_, at) => {
  const dataDir = await folderWith(
    `UPDATE invoices SET state = 'unproven', answer = NULL, ${byte(at)} WHERE id = 3; ${SEAL}`,
  );
  const { findings, notes } = verdictOn(dataDir);
  expect([findings, notes]).toEqual([
    [],
    [{ id: 3, number: number(3), problem: expect.stringContaining("does not prove") }],
  ]);
});

it("an entry that is not proven is reported when its number does not match its counter", async () => {
  const wrong = "UPDATE invoices SET state = 'unproven', answer = NULL, number = 'TESTCARD-TESTCARD-9' WHERE id = 3;";
  const { findings } = verdictOn(await folderWith(wrong + SEAL));
  expect(findings).toMatchObject([{ id: 3, problem: expect.stringContaining("its number is TESTCARD-TESTCARD-9") }]);
});

const report = (kind: string, from: number, to: number | null, confirmed: number | null = null) =>
  `INSERT INTO reports (uid, kind, from_counter, to_counter, at, confirmed_at)
     VALUES ('TESTCARD', '${kind}', ${from}, ${to}, 0, ${confirmed});`;
const gap = "DELETE FROM invoices WHERE id IN (2, 3);";

it("counters that are missing are found, between others and at the end", async () => {
  const { findings } = verdictOn(await folderWith(`${gap} DELETE FROM invoices WHERE id = 5`));
  expect(findings).toEqual([
    { id: 4, number: number(2), problem: "counters 2 to 3 of TESTCARD are not in the store, and no report says why" },
    { number: number(5), problem: "counter 5 of TESTCARD is not in the store, and no report says why" },
  ]);
});

it("counters that are missing and reported give a note; the others are findings", async () => {
  const whole = verdictOn(await folderWith(gap + report("behind", 2, 3, 86_400_000)));
  expect([whole.findings, whole.notes]).toEqual([
    [],
    [{ id: 4, number: number(2), problem: expect.stringMatching(/2 to 3.*"behind", confirmed on 1970-01-02/) }],
  ]);
  const half = verdictOn(await folderWith(gap + report("lost", 2, null)));
  expect(half.findings).toMatchObject([{ number: number(3), problem: expect.stringContaining("counter 3 of") }]);
  expect(half.notes).toMatchObject([{ number: number(2), problem: expect.stringContaining("not confirmed yet") }]);
  const other = verdictOn(await folderWith(gap + report("lost", 3, null)));
  expect(other.findings).toMatchObject([{ number: number(2), problem: expect.stringContaining("counter 2 of") }]);
});

it("counters that may belong to lost invoices give a note", async () => {
  const lost = `UPDATE invoices SET state = 'lost', total_counter = NULL, number = NULL, signature = NULL,
      answer = NULL WHERE id = 3; ${SEAL}`;
  const { findings, notes } = verdictOn(await folderWith(lost));
  expect([findings, notes]).toMatchObject([
    [],
    [{ id: 3 }, { problem: "counter 3 of TESTCARD: the invoice was lost (entry 3)" }],
  ]);
});

it("counters that exist twice are findings, or a note when the card is reported to have gone back", async () => {
  const twice = `INSERT INTO invoices (request_hash, uid, state, intent, total_counter, number, signature, answer, checksum)
      SELECT request_hash, uid, state, intent, total_counter, number, signature, answer, x'' FROM invoices WHERE id = 2; ${SEAL};`;
  const { findings } = verdictOn(await folderWith(twice));
  expect(findings).toMatchObject([
    { id: 6, number: number(2), problem: expect.stringContaining("entries 2 and 6 have the same counter, and no") },
  ]);
  const reported = verdictOn(await folderWith(twice + report("back", 5, 1)));
  expect([reported.findings, reported.notes]).toMatchObject([[], [{ id: 6 }]]);
});

it("counters from before this store began are not a gap, as far as the record of changes knows", async () => {
  const oldest = "DELETE FROM invoices WHERE id < 4";
  expect(verdictOn(await folderWith(oldest)).findings).toMatchObject([
    { problem: expect.stringMatching(/^counters 1 to 3 of TESTCARD are not in the store/) },
  ]);
  // A store of 1.0.0 says nothing about its cards' first receipts.
  const withoutRecord = `${oldest}; DELETE FROM changes`;
  expect(verdictOn(await folderWith(withoutRecord)).findings).toEqual([]);
});

it("a damaged file is found wherever the damage is, and the rest is still checked", async () => {
  const folder = await folderWith();
  const file = join(folder, "store/tillseal.db");
  const good = readFileSync(file);
  const page = 4096;
  for (let at = page; at < good.length; at += page) {
    if (good.subarray(at, at + page).every((byte) => byte === 0)) continue;
    writeFileSync(file, Buffer.concat([good.subarray(0, at), Buffer.alloc(page, 0x5a), good.subarray(at + page)]));
    expect(verdictOn(folder).findings.length).toBeGreaterThan(0);
  }
});

/** Columns whose change loses and hides nothing, with the reason. */
const HARMLESS = {
  "holder.generation": "counts starts; only two services that run at once compare it",
  "store_name.name": "a part of the names of backups; a name that cannot be one is replaced",
  "trial.content": "random bytes of a trial write, which no code reads",
};

const [RATES, BYTES] = [
  { name: "rates", key: "1", value: "{}", receivedAt: 1, source: "file", fileUntil: 5 } as const,
  Buffer.from("b"),
];

/** A store with a row in each table. */
async function fullStore(): Promise<string> {
  const dataDir = await folderWith();
  const store = openStore(dataDir);
  const ledger = new SqliteLedger(store);
  const [audits, authority] = [new AuditLedger(ledger.access), new AuthorityLedger(ledger.access)];
  const uid = "TESTCARD";
  const report = { uid, kind: "back", from: 1, to: 1, at: 1, requestId: "order-0" } as const;
  const { counting, certificate } = await ledger.card(uid);
  const card = { kind: "card", uid, lastCounter: 5, counting } as const;
  await ledger.commit([
    { kind: "report", report },
    { ...card, certificate: Buffer.concat([certificate ?? BYTES, BYTES]) },
    { ...card, certificate },
    { kind: "confirm", id: 1, at: 2 },
  ]);
  const command = { uid, commandId: "a", type: 0, payload: "{}", receivedAt: 1, fromFile: true };
  await authority.commit([
    { kind: "sent", sent: { uid, ...RATES } },
    { kind: "received", command, needsYes: true },
    { kind: "confirmed", id: 1 },
    { kind: "executed", id: 1, at: 1, outcome: "done", reason: null },
    { kind: "reported", id: 1, at: 1 },
    { kind: "made", made: { uid, at: 1, what: "[]" } },
    { kind: "seen", id: 1, at: 2 },
    { kind: "own-pin", uid, outcome: "accepted", at: 1 },
  ]);
  const verdict = { entry: 4, number: number(4), status: 5, at: 1 };
  await audits.commit([
    { kind: "started", audit: { uid, startedAt: 1, request: BYTES, sum: 1n, limit: 2n, covers: 3 } },
    { kind: "closed", id: 1, at: 2, outcome: "ended" },
    { kind: "sent", uid, verdict, judged: "wrong" },
    { kind: "key", uid, key: BYTES },
  ]);
  await new Eraser(ledger.access, async () => {}).erase({ before: 8e15, by: "command", now: 1 });
  store.close();
  return dataDir;
}

it("a changed value is found in each column of each table, except where it does no harm", async () => {
  const dataDir = await fullStore();
  const file = join(dataDir, "store/tillseal.db");
  const content = readFileSync(file);
  expect(verdictOn(dataDir).findings).toEqual([]);
  const db = openDatabase(file);
  const tables = db
    .prepare<[], [string, string]>("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
    .raw()
    .all();
  const columns = tables.flatMap(([table, sql]) =>
    (db.pragma(`table_xinfo(${table})`) as { name: string; hidden: number }[])
      .filter(({ hidden }) => hidden === 0)
      .map(({ name }) => ({ table, name, literals: sql.match(/'[a-zA-Z]+'/g) ?? [] })),
  );
  const rows = tables.map(([table]) => [table, db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]);
  db.close();
  expect(rows.filter(([, count]) => count === 0)).toEqual([]);

  const unseen: string[] = [];
  for (const { table, name, literals } of columns) {
    writeFileSync(file, content);
    changeColumn(file, table, `"${name}"`, literals);
    if (verdictOn(dataDir).findings.length === 0) unseen.push(`${table}.${name}`);
  }
  expect(unseen).toEqual(Object.keys(HARMLESS));
});

/** Changes a value of the newest row to the first other value that the table's constraints allow. */
function changeColumn(file: string, table: string, name: string, literals: readonly string[]): void {
  const db = openDatabase(file);
  const values = [
    `CASE typeof(${name}) WHEN 'blob' THEN CAST(${name} || x'01' AS BLOB) WHEN 'integer' THEN ${name} + 7
    ELSE coalesce(${name}, '') || 'a' END`,
    `7`,
    `1 - ${name}`,
    "x'07'",
    ...literals,
  ];
  const where = `rowid = (SELECT max(rowid) FROM ${table})`;
  const changed = values.some((value) => {
    try {
      return db.prepare(`UPDATE ${table} SET ${name} = ${value} WHERE ${where} AND ${name} IS NOT (${value})`).run()
        .changes;
    } catch {
      return false;
    }
  });
  db.close();
  expect(changed, `${table}.${name}`).toBe(true);
}
