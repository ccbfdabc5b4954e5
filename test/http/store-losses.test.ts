import { expect, it } from "vitest";
import { AuditLedger } from "../../src/ledger/audit-ledger.js";
import { openStore } from "../../src/ledger/database.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { tillseal } from "../support/command.js";
import { changeStore, problemsIn, verdictOn } from "../support/store-file.js";
import { soldStore } from "../support/till.js";

const UID = "TESTCARD";

it("the service notices that the oldest receipts are gone, also of a card that was used elsewhere before", async () => {
  const { dataDir } = await soldStore(6, { profile: { counters: { total: 40, NS: 40 } } });
  expect(problemsIn(dataDir)).toEqual([]);
  changeStore(dataDir, "DELETE FROM invoices WHERE total_counter <= 44");
  expect(problemsIn(dataDir)).toEqual(
    expect.arrayContaining([`counters 41 to 44 of ${UID} are not in the store, and no report says why`]),
  );
  changeStore(dataDir, "DELETE FROM invoices");
  expect(problemsIn(dataDir)).toEqual(
    expect.arrayContaining([`counters 41 to 46 of ${UID} are not in the store, and no report says why`]),
  );
});

it("the service names the range of the report if the store is empty, and misses no counter that a report explains", async () => {
  const { dataDir } = await soldStore(3);
  changeStore(
    dataDir,
    `DELETE FROM invoices;
     INSERT INTO reports (uid, kind, from_counter, to_counter, at) VALUES ('${UID}', 'behind', 1, 3, 0)`,
  );
  const { findings, notes } = verdictOn(dataDir);
  expect(notes.map(({ problem }) => problem)).toEqual([
    expect.stringMatching(/^counters 1 to 3 of TESTCARD are not in the store: reported on .* as "behind"/),
  ]);
  expect(findings).toEqual([]);
});

it("the service counts a damaged row about audits as nothing, and makes it again from what is left", async () => {
  const { dataDir } = await soldStore(5);
  const opened = () => {
    const store = openStore(dataDir);
    return { store, audits: new AuditLedger(new SqliteLedger(store).access) };
  };
  const first = opened();
  const newAudit = { uid: UID, startedAt: 1, request: new Uint8Array(260), sum: 1n, limit: 2n, covers: 2 };
  await first.audits.commit([{ kind: "started", audit: newAudit }]);
  const { id = 0 } = (await first.audits.openAudit(UID)) ?? {};
  await first.audits.commit([{ kind: "closed", id, at: 2, outcome: "ended" }]);
  const verdict = { entry: 3, number: "n", status: 4, at: 3 };
  await first.audits.commit([{ kind: "sent", uid: UID, verdict, judged: "verified" }]);
  expect(await first.audits.progress(UID)).toMatchObject({ sentTo: 3, provenTo: 2 });
  first.store.close();
  // One bit each: unsent sales would never be sent, or be erased.
  for (const flip of ["sent_to = sent_to + 32", "proven_to = proven_to + 4", "refused = '[ '"]) {
    changeStore(dataDir, `UPDATE audit_progress SET ${flip}`);
    expect(problemsIn(dataDir)).toEqual(["row 1 of the table audit_progress is damaged or was edited"]);
    const { store, audits } = opened();
    expect(await audits.progress(UID)).toMatchObject({ sentTo: 2, provenTo: 2, refused: [] });
    expect(await audits.unsent(UID)).toBe(3);
    await audits.commit([{ kind: "sent", uid: UID, verdict, judged: "verified" }]);
    expect(await audits.progress(UID)).toMatchObject({ sentTo: 3, provenTo: 2 });
    store.close();
    expect(problemsIn(dataDir)).toEqual([]);
  }
  changeStore(dataDir, "UPDATE audits SET covers = covers + 64");
  const { stdout } = await tillseal(["audit", "status", "--data-dir", dataDir]);
  expect([
    stdout.includes("The record of an audit is damaged: an audit may be open"),
    stdout.includes("No audit"),
  ]).toEqual([true, false]);
  const { store, audits } = opened();
  expect(await audits.lastAudit(UID)).toBeUndefined();
  expect(await audits.progress(UID)).toMatchObject({ sentTo: 3, provenTo: 2 });
  store.close();
});
