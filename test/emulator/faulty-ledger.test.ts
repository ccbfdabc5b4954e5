/** A disk that fails on demand, for every kind of change in the ledger. */
import { expect, it } from "vitest";
import { faultyLedger } from "../../emulator/faults/faulty-ledger.js";
import { completion, newIntent, UID } from "../contract/ledger.contract.js";
import { newLedger } from "../support/ledgers.js";
import { standingTimes } from "../support/times.js";

const report = { uid: UID, kind: "lost", from: 1, to: null, at: 1, requestId: null } as const;

async function begun() {
  const times = standingTimes();
  const { faults } = times;
  const ledger = faultyLedger(newLedger(), times, "/data", () => undefined);
  const [id = 0] = await ledger.commit([newIntent("order-1"), { kind: "report", report }]);
  return { faults, ledger, id };
}

it.each([
  ["storeIntent", newIntent("order-2")],
  ["storeAnswer", { kind: "complete", id: 1, completion: completion(1) }],
  ["storeOutcome", { kind: "abandon", id: 1 }],
  ["storeOutcome", { kind: "lose", id: 1, totalCounter: null }],
  ["storeOutcome", { kind: "unproven", id: 1, completion: completion(1) }],
  ["storeOutcome", { kind: "adopt", receipt: { uid: UID, ...completion(1) } }],
  ["storeCard", { kind: "card", uid: UID, lastCounter: 1, counting: [] }],
  ["storeReport", { kind: "report", report }],
  ["storeReport", { kind: "confirm", id: 1, at: 2 }],
] as const)("a fault on %s fails a commit with %o once, and writes nothing of it", async (on, change) => {
  const { faults, ledger } = await begun();
  faults.add({ on, kind: "diskFull", nth: 1 });
  const commit = [newIntent("order-3"), change] as const;
  await expect(ledger.commit(commit)).rejects.toMatchObject({
    fault: "full",
    message: expect.stringContaining("/data"),
  });
  expect([await ledger.byRequestId("order-3"), (await ledger.openIntents()).length]).toEqual([undefined, 1]);
  await ledger.commit(commit);
  expect(await ledger.byRequestId("order-3")).toBeDefined();
});

it.each([
  ["diskFull", "full"],
  ["diskReadOnly", "read-only"],
  ["diskError", "io"],
] as const)("%s raises the ledger's fault %s", async (kind, fault) => {
  const { faults, ledger, id } = await begun();
  faults.add({ on: "storeAnswer", kind });
  const complete = { kind: "complete", id, completion: completion(1) } as const;
  await expect(ledger.commit([complete])).rejects.toMatchObject({ name: "LedgerError", fault });
});
