/** An audit that a sale made due starts with the next check, not with the next round. */
import { pino } from "pino";
import { expect, it } from "vitest";
import { DueAudit } from "../../src/authority/due-audit.js";

function watched(isDue: () => Promise<boolean>) {
  const waits: { readonly ms: number; readonly over: () => void }[] = [];
  let woken = 0;
  const audit = new DueAudit({
    isDue,
    wake: () => void woken++,
    timer: { now: () => 0, sleep: (ms) => new Promise((resolve) => waits.push({ ms, over: resolve })) },
    ended: new AbortController().signal,
    log: pino({ level: "silent" }),
  });
  const settled = async () => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return { audit, waits, settled, woken: () => woken };
}

it("a due audit wakes the link within 2 s of the sale that made the audit due, once for many sales", async () => {
  let due = false;
  const { audit, waits, settled, woken } = watched(async () => due);
  audit.afterSale();
  audit.afterSale();
  expect(waits.map(({ ms }) => ms <= 1_000)).toEqual([true]);
  waits[0]?.over();
  await settled();
  expect(woken()).toBe(0);
  due = true;
  audit.afterSale();
  waits[1]?.over();
  await settled();
  expect([waits.length, woken()]).toEqual([2, 1]);
});

it("a due audit leaves a failure to the next round", async () => {
  const { audit, waits, settled, woken } = watched(() => Promise.reject(new Error("the card is gone")));
  audit.afterSale();
  waits[0]?.over();
  await settled();
  audit.afterSale();
  expect([waits.length, woken()]).toEqual([2, 0]);
});
