/** /metrics and /ready, for programs that watch a till. */
import { expect, it, vi } from "vitest";
import type { CheckRecord } from "../../src/console/records/doctor.js";
import type { TillRecord } from "../../src/console/records/till.js";
import { METRICS } from "../../src/http/metrics.js";
import { parseMetrics } from "../support/prometheus.js";
import { openTill, sale, type Till, type TillOptions } from "../support/till.js";

const measured = (options: TillOptions = {}) =>
  openTill({ ...options, settings: { metrics: true, ...options.settings } });
const metrics = async (till: Till) => parseMetrics((await till.call("GET", "/metrics")).text);

it("/metrics does not exist until the setting turns it on", async () => {
  const till = await openTill();
  expect((await till.call("GET", "/metrics")).status).toBe(404);
});

it("/metrics counts sales by code on both ways through the server, and counts repeats separately", async () => {
  const till = await measured({ pinVerified: false });
  await till.sell();
  await till.pin();
  await till.sell(sale(), { RequestId: "one" });
  await till.sell(sale(), { RequestId: "one" });
  await till.call("POST", "/API/v3/invoices", { headers: { "Content-Type": "application/json" }, body: {} });
  await vi.waitFor(async () => {
    const { value } = await metrics(till);
    expect(value("tillseal_sale_seconds_count")).toBe(4);
    expect(value('tillseal_sale_answers_total{code="1500"}')).toBe(1);
    expect(value('tillseal_sale_answers_total{code="0000"}')).toBe(1);
    expect(value('tillseal_sale_answers_total{code="2800"}')).toBe(1);
    expect(value('tillseal_sale_repeats_total{code="0000"}')).toBe(1);
    expect(value("tillseal_card_sign_seconds_count")).toBe(1);
    expect(value("tillseal_queued_sales")).toBe(0);
  });
});

it("/metrics reports the same state as status", async () => {
  const till = await measured({ profile: { limit: "1000" }, freeBytes: async () => 12_345 });
  await till.sell();
  const { value, names, has } = await metrics(till);
  expect([value("tillseal_card_amount"), value("tillseal_card_amount_limit")]).toEqual([100, 1000]);
  expect([value("tillseal_unsent_sales"), value("tillseal_disk_free_bytes")]).toEqual([1, 12_345]);
  expect([value("tillseal_queued_sales"), value("tillseal_queued_sales_limit")]).toEqual([0, 256]);
  expect([value("tillseal_ready"), value('tillseal_status_code{code="0100"}')]).toEqual([1, 1]);
  expect(value("tillseal_card_certificate_left_seconds")).toBeGreaterThan(0);
  const missing = Object.values(METRICS).filter(({ name }) => !names.has(name));
  // No repeats, no findings, no time server and no scheduled backup.
  const notSaid = ["sale_repeats_total", "finding", "clock_ahead_seconds", "last_good_backup_timestamp_seconds"];
  expect(missing.map(({ name }) => name)).toEqual(notSaid.map((name) => `tillseal_${name}`));
  till.reader.remove();
  await vi.waitFor(async () => expect((await metrics(till)).has("tillseal_card_amount")).toBe(false));
  expect(has("tillseal_card_amount")).toBe(true);
});

it("/metrics contains no PIN and no name of the shop", async () => {
  const till = await measured();
  await till.sell(sale({ cashier: "Cashier-7391", buyerId: "10:7391" }));
  const { text } = await till.call("GET", "/metrics");
  expect(text).not.toMatch(/\b(Cashier-7391|10:7391|1234|TESTCARD)\b/);
});

it("/metrics is local to the machine with a real card, and needs the token with `consoleToken`", async () => {
  const till = await measured({ settings: { card: "pcsc", metrics: true, consoleToken: true } });
  expect((await till.call("GET", "/metrics")).status).toBe(403);
  expect((await till.call("GET", "/metrics", { headers: { Authorization: "Bearer x" } })).status).toBe(403);
  const page = { headers: { Origin: "https://example.org" } };
  expect((await (await measured()).call("GET", "/metrics", page)).status).toBe(403);
});

it("the page Doctor compares the clock when it asks, and says when", async () => {
  const clock = { at: Date.UTC(2026, 2, 1, 12), ahead: 0 };
  const sleep = (_ms: number, ended?: AbortSignal) =>
    new Promise<void>((resolve) => ended?.addEventListener("abort", () => resolve()));
  const timer = { now: () => clock.at, sleep };
  const askTime = async () => clock.at - clock.ahead;
  const till = await openTill({ now: () => clock.at, authorityTimer: timer, askTime });
  const lines = async () => (await till.call("GET", "/console/doctor")).json<CheckRecord[]>();
  const said = async () => (await lines()).find(({ subject }) => subject === "clock");
  await vi.waitFor(async () => expect(await said()).toMatchObject({ verdict: "ok" }));
  clock.at += 120_000;
  clock.ahead = 86_400_000;
  expect(await said()).toMatchObject({
    verdict: "warn",
    message: expect.stringMatching(/^at 2026-03-01 12:02 UTC, it differed by 86400 s from /),
  });
});

const ready = async (till: Till) => {
  const answer = await till.call("GET", "/ready");
  return [answer.status, ...answer.json<{ missing: string[] }>().missing];
};

it.each<[string, TillOptions, (till: Till) => unknown, (number | string)[]]>([
  ["a till that can sell", {}, () => 0, [200]],
  ["a missing PIN", { pinVerified: false }, () => 0, [503, "1500"]],
  ["no card", {}, (till) => till.reader.remove(), [503, "1300"]],
  ["no rates", { environment: null }, () => 0, [503, "2400"]],
  ["an expired certificate", { profile: { validTo: "2020-01-01T00:00:00Z" } }, () => 0, [503, "2809"]],
  ["a reached limit", { profile: { limit: "100" } }, (till) => till.sell(), [503, "2210"]],
])("/ready says what is missing, and the next sale gets that code: %s", async (_, options, happen, expected) => {
  const till = await openTill(options);
  await happen(till);
  await vi.waitFor(async () => expect(await ready(till)).toEqual(expected));
  const { findings } = (await till.call("GET", "/console/till")).json<TillRecord>();
  expect(findings.length === 0).toBe(expected[0] === 200);
  const answer = await till.sell();
  if (expected[0] === 200) expect(answer.status).toBe(200);
  else expect(answer.json<{ code: string }>().code).toBe(expected[1]);
});
