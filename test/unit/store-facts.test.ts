/** What the state of a till takes from the store is kept between changes, and always the same as in the store. */
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { Eraser } from "../../src/bookkeeping/eraser.js";
import { type AuditChange, AuditLedger } from "../../src/ledger/audit-ledger.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { StoreFactsReader } from "../../src/state/store-facts.js";
import { completion, newIntent, UID } from "../contract/ledger.contract.js";
import { openedStore } from "../support/ledgers.js";

/** A store with two readers of its facts: one as in a service, and one that keeps nothing. */
function opened() {
  const store = openedStore();
  const ledger = new SqliteLedger(store);
  const { access } = ledger;
  const audits = new AuditLedger(access);
  let looks = 0;
  const reader = (version: () => number | undefined) => {
    const last = (uid: string) => {
      looks++;
      return ledger.last(uid);
    };
    return new StoreFactsReader({ last, card: (uid) => ledger.card(uid) }, audits, "waits", version);
  };
  const [keeping, fresh] = [reader(() => access.version), reader(() => undefined)];
  return {
    store,
    ledger,
    audits,
    keeping,
    /** What the service finds. It asks twice, so that the next change meets facts that were kept. */
    facts: async (uid: string | undefined = UID) => {
      await keeping.read(uid);
      const facts = await keeping.read(uid);
      expect(facts).toEqual(await fresh.read(uid));
      return facts;
    },
    looks: async (task: () => Promise<unknown>) => {
      const before = looks;
      await task();
      return looks - before;
    },
  };
}

it("the facts of the store are those after each sale, package, proof, report and erasure", async () => {
  const { ledger, audits, facts } = opened();
  const sell = async (totalCounter: number, uid?: string) => {
    const [id = 0] = await ledger.commit([newIntent(null, uid)]);
    await ledger.commit([{ kind: "complete", id, completion: completion(totalCounter, uid) }]);
    return id;
  };
  const judged = (entry: number, status: number): AuditChange => {
    const verdict = { entry, number: `n-${entry}`, status, at: 30 };
    return { kind: "sent", uid: UID, verdict, judged: status === 4 ? "verified" : "wrong" };
  };
  expect(await facts()).toMatchObject({ lastNumber: "", unsent: 0, missingSales: [] });
  await sell(1, "OLDCARD1");
  expect(await facts()).toMatchObject({ lastNumber: "", unsent: 0, oldCard: { uid: "OLDCARD1", sales: 1 } });
  expect(await facts("OLDCARD1")).toMatchObject({ lastNumber: "OLDCARD1-OLDCARD1-1", unsent: 1, oldCard: undefined });
  const [first, second] = [await sell(1), await sell(2)];
  expect(await facts()).toMatchObject({ lastNumber: "TESTCARD-TESTCARD-2", unsent: 2, wrongPackages: [] });
  await audits.commit([judged(first, 4), judged(second, 3)]);
  expect(await facts()).toMatchObject({ wrongPackages: [{ entry: second }] });
  const audit = { uid: UID, startedAt: 10, request: Buffer.alloc(260), covers: second, sum: 1n, limit: 5n };
  await audits.commit([{ kind: "started", audit }]);
  await audits.commit([{ kind: "closed", id: 1, at: 20, outcome: "ended" }]);
  expect(await facts()).toMatchObject({ unsent: 0, wrongPackages: [] });
  const report = { uid: UID, kind: "behind", from: 3, to: 5, at: 30, requestId: null } as const;
  await ledger.commit([{ kind: "report", report }]);
  expect(await facts()).toMatchObject({ missingSales: [{ uid: UID, from: 3, to: 5 }] });
  const eraser = new Eraser(ledger.access, () => setImmediate());
  await eraser.erase({ before: Number.MAX_SAFE_INTEGER, by: "test", now: 0 });
  expect(await facts()).toMatchObject({ lastNumber: "TESTCARD-TESTCARD-2", unsent: 0 });
});

it("the facts of the store are read once for each card until the store changes", async () => {
  const { ledger, keeping, looks } = opened();
  const twice = () => looks(() => keeping.read(UID).then(() => keeping.read(UID)));
  expect([await twice(), await twice()]).toEqual([1, 0]);
  await ledger.commit([newIntent("order-1")]);
  expect([await twice(), await twice()]).toEqual([1, 0]);
  expect(await looks(() => keeping.read("OTHERONE"))).toBe(1);
});

it("the facts of the store are read each time while another program may write", async () => {
  const { store, ledger, facts } = opened();
  const [id = 0] = await ledger.commit([newIntent("order-1")]);
  await ledger.commit([{ kind: "complete", id, completion: completion(1) }]);
  expect(await facts()).toMatchObject({ lastNumber: "TESTCARD-TESTCARD-1" });
  // The service loses its lock.
  store.db.exec("ROLLBACK");
  const other = openDatabase(store.files[0] ?? "");
  other.exec("DELETE FROM invoices");
  other.close();
  expect(await facts()).toMatchObject({ lastNumber: "" });
});
