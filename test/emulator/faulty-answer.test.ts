/** Slow and broken answers in real time, with which a POS can test its own time limit. */
import { request } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import type { Fault } from "../../emulator/faults/fault.js";
import { World } from "../../emulator/world/world.js";
import { untilEndMeansGivingUp } from "../support/raw.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

const headers = { ...JSON_HEADERS, RequestId: "order-1" };

async function open(fault: Omit<Fault, "on" | "nth">, realTime = true): Promise<World> {
  const faults = [{ on: "answer", nth: 1, ...fault } as const];
  const world = await World.open({ card: { pinVerified: true }, clock: { realTime }, faults });
  onTestFinished(() => world.close());
  return world;
}

const sell = (world: World) => callService(world.url, "POST", "/api/v3/invoices", { headers, body: sale() });
const find = (world: World) => callService(world.url, "GET", "/api/v3/invoices/order-1");

/** The bytes received once `enough` accepts them, or once the connection breaks. */
function bytesOf(world: World, enough: (bytes: Buffer) => boolean) {
  return new Promise<{ promised: number; bytes: Buffer; broke: boolean }>((resolve) => {
    const sent = request(`${world.url}/api/v3/invoices`, { method: "POST", headers, agent: false }, (response) => {
      let bytes = Buffer.alloc(0);
      const promised = Number(response.headers["content-length"]);
      response.on("data", (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk]);
        if (!enough(bytes)) return;
        resolve({ promised, bytes, broke: false });
        void untilEndMeansGivingUp().then(() => sent.destroy());
      });
      response.on("error", () => resolve({ promised, bytes, broke: true }));
    });
    sent.on("error", () => undefined);
    sent.end(JSON.stringify(sale()));
  });
}

it("a POS that gives up on a late answer finds the sale when it asks again", async () => {
  const world = await open({ kind: "latency", duration: "1h" });
  const impatience = new AbortController();
  const answer = fetch(`${world.url}/api/v3/invoices`, {
    method: "POST",
    headers,
    body: JSON.stringify(sale()),
    signal: impatience.signal,
  });
  await expect.poll(() => world.faults.list[0]?.struck).toBe(1);
  await untilEndMeansGivingUp();
  impatience.abort();
  await expect(answer).rejects.toThrow(/abort/i);
  expect((await find(world)).json()).toMatchObject({ totalCounter: 1 });
  const lost = { status: 0, answer: expect.stringContaining('"totalCounter":1') };
  await expect.poll(() => world.traffic.entries[0]).toMatchObject(lost);
});

it("a stopping service sends the answers that a fault holds back at once", async () => {
  const world = await open({ kind: "latency", duration: "1h" });
  const answer = sell(world);
  await expect.poll(() => world.faults.list[0]?.struck).toBe(1);
  await world.restart("clean");
  expect((await answer).json()).toMatchObject({ totalCounter: 1 });
}, 15_000);

it("a trickling answer arrives piece by piece", async () => {
  const world = await open({ kind: "trickle", duration: "1h" });
  const { promised, bytes, broke } = await bytesOf(world, () => true);
  expect(broke).toBe(false);
  expect(bytes.length).toBeGreaterThan(0);
  expect(bytes.length).toBeLessThan(promised);
  await expect.poll(() => world.traffic.entries[0]).toMatchObject({ status: 0, answer: expect.stringContaining("{") });
});

it("a trickling answer is complete in the end", async () => {
  const world = await open({ kind: "trickle", duration: "1h" }, false);
  expect((await sell(world)).text).toBe((await find(world)).text);
  expect(world.traffic.entries[0]).toMatchObject({ status: 200 });
});

it("a cut-off answer promises more bytes than it sends, and the sale is not lost", async () => {
  const world = await open({ kind: "short" });
  const { promised, bytes, broke } = await bytesOf(world, () => false);
  expect(broke).toBe(true);
  expect(bytes.length).toBeGreaterThan(0);
  expect(bytes.length).toBeLessThan(promised);
  expect(world.traffic.entries[0]).toMatchObject({ status: 0, answer: expect.stringContaining('"totalCounter":1') });
  expect((await find(world)).json()).toMatchObject({ totalCounter: 1 });
});

it.each(["/API/V3/Invoices/", "/api/v3/test-invoice"])("the fault also affects a sale at %s", async (path) => {
  const world = await open({ kind: "connectionDropped" });
  await expect(callService(world.url, "POST", path, { headers, body: sale() })).rejects.toThrow();
});

it("the fault does not affect other requests", async () => {
  const world = await open({ kind: "connectionDropped" });
  for (const path of ["status", "invoices/order-1"]) await callService(world.url, "GET", `/api/v3/${path}`);
  await callService(world.url, "POST", "/api/v3/pin", { body: "1234" });
  expect(world.faults.list).toMatchObject([{ seen: 0, struck: 0 }]);
});
