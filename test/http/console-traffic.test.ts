/** The traffic of a real card: off by default, bounded, removed after a time, and visible only on the shop's machine. */
import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import type { InfoRecord } from "../../src/console/records/info.js";
import type { TrafficRecord } from "../../src/console/records/traffic.js";
import { SHOP_TRAFFIC_BOUNDS, TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { JSON_HEADERS, openTill, sale, type Till, type TillOptions } from "../support/till.js";

const shop = (options: TillOptions = {}) =>
  openTill({ ...options, settings: { card: "pcsc", trafficMinutes: 5, ...options.settings } });
const traffic = async (till: Till, query = "") =>
  (await till.call("GET", `/console/traffic${query}`)).json<TrafficRecord[]>();

it("the traffic of a real card records each request in both ways through the server, with its answer and the card's commands but no PIN", async () => {
  const till = await shop();
  await till.sell(sale(), { RequestId: "order-1" });
  await till.call("POST", "/API/v3/invoices", { headers: JSON_HEADERS, body: "{" });
  await till.call("GET", "/nowhere?pin=1234");
  const entries = await traffic(till);
  expect(entries.map(({ method, path, status }) => [method, path, status])).toEqual([
    ["POST", "/api/v3/pin", 200],
    ["POST", "/api/v3/invoices", 200],
    ["POST", "/API/v3/invoices", 400],
    ["GET", "/nowhere?pin=****", 404],
  ]);
  const [pin, sold] = entries;
  expect([pin?.body, sold?.headers.requestid]).toEqual(["****", "order-1"]);
  expect(sold?.apdus.map(({ operation }) => operation)).toContain("sign");
  expect(pin?.apdus).toContainEqual(expect.objectContaining({ operation: "verifyPin", command: "8811040004****" }));
  expect(JSON.parse(sold?.answer ?? "")).toMatchObject({ invoiceNumber: "TESTCARD-TESTCARD-1" });
  expect(entries.every(({ ms }) => Number.isSafeInteger(ms))).toBe(true);
  expect(await traffic(till, `?since=${entries[2]?.id}`)).toHaveLength(1);
});

it("the traffic of a real card is searched by words in path, method, code and RequestId, and by failure", async () => {
  const till = await shop();
  await till.sell(sale(), { RequestId: "order-1" });
  await till.call("POST", "/api/v3/invoices", { headers: { ...JSON_HEADERS, RequestId: "order-2" }, body: "{" });
  await till.call("POST", "/api/v3/pin", { headers: { "Content-Type": "text/plain" }, body: "12" });
  await till.call("GET", "/api/v3/status");
  const listIds = async (query: string) => (await traffic(till, query)).map(({ id }) => id);
  expect(await listIds("?text=ORDER-1")).toEqual([2]);
  expect(await listIds("?text=post+order")).toEqual([2, 3]);
  expect(await listIds("?text=get%20/STATUS")).toEqual([5]);
  expect(await listIds("?text=1/1ns")).toEqual([2]);
  expect(await listIds("?text=order&last=1")).toEqual([3]);
  expect(await listIds("?text=order&before=3")).toEqual([2]);
  expect(await listIds("?failed=true")).toEqual([3, 4]);
  expect(await listIds("?failed=true&text=order")).toEqual([3]);
  expect(await listIds("?failed=false&text=nothing")).toEqual([]);
  expect(await listIds("?text=a&text=b")).toHaveLength(5);
});

it("the traffic of a real card is recorded only when the setting asks for it, and not with the emulator", async () => {
  for (const settings of [
    { card: "pcsc", trafficMinutes: 0 },
    { card: "emulator", trafficMinutes: 5 },
  ] as const) {
    const till = await openTill({ settings });
    expect((await till.call("GET", "/console/info")).json<InfoRecord>().traffic).toBe(false);
    expect((await till.call("GET", "/console/traffic")).status).toBe(404);
  }
});

it("the traffic of a real card is deleted on request", async () => {
  const till = await shop();
  await till.sell();
  expect(await traffic(till)).toHaveLength(2);
  expect((await till.call("POST", "/console/traffic/forget")).status).toBe(204);
  expect(await traffic(till)).toEqual([]);
});

it("the traffic of a real card is refused without the token and to web pages of other sites", async () => {
  const till = await shop({ settings: { consoleToken: true } });
  expect((await till.call("GET", "/console/info")).json<InfoRecord>().traffic).toBe(false);
  expect((await till.call("GET", "/console/traffic")).status).toBe(403);
  expect((await till.call("POST", "/console/traffic/forget")).status).toBe(403);
  const open = await shop();
  const page = { headers: { Origin: "http://localhost:3000" } };
  expect((await open.call("GET", "/console/traffic", page)).status).toBe(403);
});

it("the traffic of a real card shows refused requests of tills, and a limited number of those of web pages", async () => {
  const till = await shop();
  for (let i = 0; i < SHOP_TRAFFIC_BOUNDS.refused + 5; i++) {
    await till.call("GET", "/api/v3/status", { headers: { Origin: "https://example.org" } });
  }
  const entries = await traffic(till);
  expect(entries.filter(({ status }) => status === 403)).toHaveLength(SHOP_TRAFFIC_BOUNDS.refused);
  expect(entries[0]?.path).toBe("/api/v3/pin");
});

function filled(bounds = SHOP_TRAFFIC_BOUNDS) {
  let ms = 0;
  const log = new TrafficLog(() => ({ now: () => 0 }), { now: () => ms }, bounds);
  const handler = log.handler(
    () => undefined,
    () => undefined,
  );
  const ask = (
    path: string,
    meanwhile: (response: EventEmitter & { destroyed: boolean }) => void = () => undefined,
  ) => {
    const answering = { statusCode: 200, write: () => true, end: () => undefined, getHeaders: () => ({}) };
    const response = Object.assign(new EventEmitter(), { destroyed: false, ...answering });
    const request = { path, originalUrl: path, method: "POST", headers: {}, complete: true, once: () => undefined };
    handler(request as never, response as never, () => undefined);
    meanwhile(response);
    response.end();
  };
  return { log, ask, later: (passed: number) => (ms += passed) };
}

it("the traffic log drops entries that are older than its limit, whatever the clock does", () => {
  const { log, ask, later } = filled();
  ask("first");
  later(60_000);
  ask("second");
  later(1);
  log.forgetOlderThan(60_000);
  expect(log.part({}).map(({ path }) => path)).toEqual(["second"]);
  later(60_000);
  log.forgetOlderThan(60_000);
  expect(log.part({})).toEqual([]);
});

it("the traffic log says when the caller of a sale hung up, and that it got no answer", () => {
  const { log, ask, later } = filled();
  for (const path of ["/api/v3/invoices", "/api/v3/pin"]) {
    ask(path, (response) => {
      later(500);
      response.destroyed = true;
      response.emit("close");
      later(1_000);
    });
  }
  // A recording plays what a PIN or a question did, whether or not the caller waited for it.
  expect(log.part({})).toMatchObject([
    { status: 0, ms: 500 },
    { status: 200, ms: 500 },
  ]);
});

it("the traffic log keeps the newest entries up to its limits of entries and characters", () => {
  const few = filled({ ...SHOP_TRAFFIC_BOUNDS, entries: 3 });
  for (const path of ["a", "b", "c", "d"]) few.ask(path);
  expect(few.log.part({}).map(({ path }) => path)).toEqual(["b", "c", "d"]);
  const small = filled({ ...SHOP_TRAFFIC_BOUNDS, characters: 100 });
  for (const letter of ["a", "b", "c"]) small.ask(letter.repeat(45));
  expect(small.log.part({}).map(({ path }) => path[0])).toEqual(["b", "c"]);
});
