/** A person's decision about a sale in doubt without a running service follows the same rule as with one. */
import { expect, it } from "vitest";
import { decisionChanges } from "../../src/fiscalizer/writes.js";
import { newIntent, UID } from "../contract/ledger.contract.js";
import { MemoryLedger } from "../contract/model/ledger.js";

const NOW = 1_000;

async function decided(signed: boolean, lastCounter?: number) {
  const ledger = new MemoryLedger();
  if (lastCounter !== undefined) await ledger.commit([{ kind: "card", uid: UID, lastCounter, counting: [] }]);
  await ledger.commit([newIntent("order-1")]);
  const [sale] = await ledger.openIntents();
  if (!sale) throw new Error("there is no sale in doubt");
  await ledger.commit(decisionChanges(sale, await ledger.card(UID), signed, NOW));
  return ledger;
}

it("a person's decision gives a signed sale the card's next counter, so that the card's next comparison finds it", async () => {
  const ledger = await decided(true, 4);
  expect(await ledger.byRequestId("order-1")).toMatchObject({ state: "lost", totalCounter: 5 });
  expect(await ledger.card(UID)).toMatchObject({ lastCounter: 5 });
});

it("a person's decision gives a signed sale no counter if the store knows none of the card", async () => {
  const ledger = await decided(true);
  expect(await ledger.byRequestId("order-1")).toMatchObject({ state: "lost", totalCounter: null });
  expect(await ledger.card(UID)).toMatchObject({ lastCounter: undefined });
});

it("a person's decision frees the RequestId of a sale that was not signed, and leaves the card's counter", async () => {
  const ledger = await decided(false, 4);
  expect(await ledger.byRequestId("order-1")).toBeUndefined();
  expect(await ledger.card(UID)).toMatchObject({ lastCounter: 4 });
});
