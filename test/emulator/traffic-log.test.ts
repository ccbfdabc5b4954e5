/** Each APDU in the traffic log is listed under the request that caused it, even with many requests at once. */
import { expect, it } from "vitest";
import type { TrafficEntry } from "../../src/http/traffic/traffic-entry.js";
import { openedWorld } from "../support/control.js";
import { JSON_HEADERS, sale } from "../support/sale.js";
import { callService } from "../support/till.js";

const SALES = 8;

/** Position of the total counter in the card's answer to Sign Invoice, in hexadecimal digits. */
const COUNTER_AT = (57 + 4) * 2;

function counters({ apdus }: TrafficEntry): number[] {
  const signatures = apdus.filter(({ operation }) => operation === "sign");
  return signatures.map(({ answer = "" }) => Number.parseInt(answer.slice(COUNTER_AT, COUNTER_AT + 8), 16));
}

const openWorld = () => openedWorld({ card: { pinVerified: true } });

it("the traffic log lists each signature of many simultaneous sales under its own sale", async () => {
  const world = await openWorld();
  const post = () => callService(world.url, "POST", "/api/v3/invoices", { headers: { ...JSON_HEADERS }, body: sale() });
  await Promise.all(Array.from({ length: SALES }, post));
  const answered = world.traffic.entries.map((entry) => [
    (JSON.parse(entry.answer) as { totalCounter: number }).totalCounter,
  ]);
  expect(world.traffic.entries.map(counters)).toEqual(answered);
});

it("the traffic log shows a write to the disk for a sale, and none for its repeat", async () => {
  const world = await openWorld();
  const headers = { ...JSON_HEADERS, RequestId: "order-1" };
  const post = () => callService(world.url, "POST", "/api/v3/invoices", { headers, body: sale() });
  await post();
  await post();
  const writes = world.traffic.entries.map(({ steps }) => steps.some(({ kind }) => kind === "disk"));
  expect(writes).toEqual([true, false]);
});
