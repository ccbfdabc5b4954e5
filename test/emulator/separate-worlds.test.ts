/** Jobs that share one emulator each have a separate world, chosen by base URL or header. */
import { expect, it } from "vitest";
import { openControlled } from "../support/control.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

const VERIFIED = { card: { pinVerified: true } };

async function openShared() {
  const shared = await openControlled(VERIFIED);
  const sell = async (path: string, headers: Record<string, string> = {}, RequestId = "order-1") =>
    (
      await callService(shared.world.url, "POST", `${path}/api/v3/invoices`, {
        headers: { ...JSON_HEADERS, RequestId, ...headers },
        body: sale(),
      })
    ).json<{ totalCounter?: number; code?: string; modelState?: unknown }>();
  const controlAt = (method: string, path: string, headers = {}, body?: object) =>
    callService(shared.controlUrl, method, path, {
      headers: { ...JSON_HEADERS, ...headers },
      ...(body ? { body } : {}),
    });
  return { ...shared, sellIn: sell, controlAt };
}

it("a world chosen by base URL or header has its own card, clock, faults, store and traffic", async () => {
  const { control, sellIn, controlAt, world } = await openShared();
  expect((await control("PUT", "/worlds/job-1")).json()).toEqual({ name: "job-1", path: "/worlds/job-1" });
  await control("PUT", "/worlds/job-2", { ...VERIFIED, card: { ...VERIFIED.card, uid: "OTHERONE" } });
  const header = { "Tillseal-World": "job-2" };
  await controlAt(
    "POST",
    "/worlds/job-1/control/faults",
    {},
    { on: "sign", nth: 1, kind: "statusWord", statusWord: "6305" },
  );
  await controlAt("PATCH", "/control/clock", header, { at: "2026-03-01T10:00:00Z", ticking: false });
  expect(await sellIn("/worlds/job-1")).toMatchObject({ code: "2210" });
  expect(await sellIn("/worlds/job-1")).toMatchObject({ totalCounter: 1, signedBy: "TESTCARD" });
  expect(await sellIn("", header)).toMatchObject({
    signedBy: "OTHERONE",
    sdcDateTime: "2026-03-01T11:00:00.000+01:00",
  });
  expect(await sellIn("")).toMatchObject({ totalCounter: 1, signedBy: "TESTCARD" });
  const card = await controlAt("GET", "/control/card", header);
  expect(card.json()).toMatchObject({ uid: "OTHERONE", counters: { total: 1 } });
  const traffic = await controlAt("GET", "/worlds/job-1/control/traffic");
  expect(traffic.json<{ path: string; status: number }[]>().map(({ path, status }) => [path, status])).toEqual([
    ["/api/v3/invoices", 400],
    ["/api/v3/invoices", 200],
  ]);
  expect(world.traffic.entries).toHaveLength(1);
});

it("a world is restarted and removed by one call each, and the others stay unchanged", async () => {
  const { control, sellIn, controlAt } = await openShared();
  await control("PUT", "/worlds/a");
  await control("PUT", "/worlds/b", VERIFIED);
  await sellIn("/worlds/a");
  await sellIn("/worlds/b");
  await control("PUT", "/worlds/a", {});
  expect((await controlAt("GET", "/worlds/a/control/traffic")).json()).toEqual([]);
  expect(await sellIn("/worlds/a")).toMatchObject({ totalCounter: 1 });
  expect((await controlAt("POST", "/worlds/b/control/reset")).status).toBe(204);
  expect(await sellIn("/worlds/b")).toMatchObject({ totalCounter: 1 });
  expect((await control("DELETE", "/worlds/a")).status).toBe(204);
  expect((await control("GET", "/worlds")).json()).toEqual([{ name: "b", path: "/worlds/b" }]);
  expect(await sellIn("/worlds/b", {}, "order-2")).toMatchObject({ totalCounter: 2 });
});

it("an unknown name is answered with how to create it", async () => {
  const { control, controlAt, world } = await openShared();
  const sentence = "There is no world job-9; PUT /control/worlds/job-9 makes it";
  for (const [path, headers] of [
    ["/worlds/job-9", {}],
    ["", { "Tillseal-World": "job-9" }],
  ] as const) {
    const service = await callService(world.url, "GET", `${path}/api/v3/attention`, { headers });
    expect([service.status, service.text]).toEqual([404, expect.stringContaining(sentence)]);
    const answer = await controlAt("GET", `${path}/control/card`, headers);
    expect([answer.status, answer.json().message]).toEqual([404, sentence]);
  }
  expect((await control("DELETE", "/worlds/job-9")).json().message).toBe(sentence);
});

it("a fault in a world breaks the connection of its POS, too", async () => {
  const { control, sellIn, controlAt } = await openShared();
  await control("PUT", "/worlds/a");
  await controlAt("POST", "/worlds/a/control/faults", {}, { on: "answer", nth: 1, kind: "connectionDropped" });
  await expect(sellIn("/worlds/a")).rejects.toThrow();
  expect(await sellIn("/worlds/a")).toMatchObject({ totalCounter: 1 });
});

it("there are at most 16 separate worlds, and an impossible given is refused", async () => {
  const { control, world } = await openShared();
  const refused = await control("PUT", "/worlds/bad", { environment: "no-such" });
  expect([refused.status, (await control("GET", "/worlds")).json()]).toEqual([400, []]);
  const nothing = () => Promise.resolve();
  for (let n = 0; n < 16; n++) {
    world.worlds.keep(`full-${n}`, { url: world.url, controlUrl: world.url, startAgain: nothing, close: nothing });
  }
  const answer = await control("PUT", "/worlds/one-more");
  expect([answer.status, answer.json().message]).toEqual([400, expect.stringContaining("There are 16 worlds already")]);
});
