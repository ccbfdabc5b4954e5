/** The emulated world: faults, clock, traffic, snapshots, restarts. */

import { once } from "node:events";
import { createServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Given } from "../../emulator/world/given.js";
import { World } from "../../emulator/world/world.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import { openedWorld } from "../support/control.js";
import { temporaryFolder } from "../support/folder.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

const open = (given: Given = {}) => openedWorld({ card: { pinVerified: true }, ...given });

const sell = (world: World, requestId = "") =>
  callService(world.url, "POST", "/api/v3/invoices", {
    headers: { ...JSON_HEADERS, RequestId: requestId },
    body: sale(),
  });

const ENVIRONMENT = loadNamedEnvironment("specification") ?? expect.unreachable();

const gscOf = async (world: World) =>
  (await callService(world.url, "GET", "/api/v3/status")).json<{ gsc: string[]; environmentSource: string }>();

it("the emulated authority uses a free port when another program took its port between two scenarios", async () => {
  const world = await open({ authority: {} });
  const port = world.taxAuthority?.port ?? 0;
  await world.begin({});
  const other = createServer().listen(port, "localhost");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  await world.begin({ authority: {} });
  expect(world.taxAuthority?.port).toEqual(expect.any(Number));
  expect(world.taxAuthority?.port).not.toBe(port);
});

it("the emulated authority may listen on another port at the next start without a warning, but a changed address is one", async () => {
  const dataDir = temporaryFolder();
  const start = () => World.open({ card: { pinVerified: true }, authority: {} }, { dataDir });
  const first = await start();
  const port = first.taxAuthority?.port;
  await first.close();
  const other = createServer().listen(port, "localhost");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const world = await start();
  onTestFinished(() => world.close());
  const statusOf = async () => (await callService(world.url, "GET", "/api/v3/status")).json<{ mssc: string[] }>();
  expect(world.taxAuthority?.port).not.toBe(port);
  expect(await statusOf()).toMatchObject({ mssc: expect.not.arrayContaining(["9019"]) });

  const { parameters, ...environment } = ENVIRONMENT;
  const endpoints = { ...parameters.endpoints, root: "https://localhost:1/v/?vl=" };
  world.taxAuthority?.office.setEnvironment({ ...environment, parameters: { ...parameters, endpoints } });
  await vi.waitFor(async () => {
    await world.service.talkToAuthority();
    expect(await statusOf()).toMatchObject({ mssc: expect.arrayContaining(["9019"]) });
  });
});

it("the emulated authority exists only when it is wanted, and status shows whether it answers", async () => {
  expect(await gscOf(await open())).toMatchObject({ gsc: ["0100"], environmentSource: "file specification" });
  expect(await gscOf(await open({ authority: {} }))).toMatchObject({
    gsc: ["0100", "0210"],
    environmentSource: expect.stringContaining("tax authority"),
  });
  const down = { authority: { configures: false, faults: { down: true } } };
  expect(await gscOf(await open(down))).toMatchObject({ gsc: ["0100", "0220"] });
});

it("the emulated authority leaves the card unconfigured while it has nothing to send", async () => {
  const world = await open({ environment: "none", authority: {} });
  expect(await gscOf(world)).toMatchObject({ gsc: ["2400", "0100", "0210"] });
  expect((await sell(world)).json()).toMatchObject({ code: "2400" });
});

it("the emulated authority survives a restart of the service, and is new after a reset", async () => {
  const world = await open({ authority: {} });
  const authority = world.taxAuthority;
  const port = authority?.port;
  await world.restart("killed");
  await world.service.secureElement.verifyPin("1234");
  expect(world.taxAuthority).toBe(authority);
  expect(await gscOf(world)).toMatchObject({ gsc: ["0100", "0210"] });
  await world.begin({ authority: { configures: false, faults: { down: true } } });
  expect(await gscOf(world)).toMatchObject({ gsc: ["1500", "0220"] });
  expect(world.taxAuthority?.port).toBe(port);
  await world.begin({});
  expect(await gscOf(world)).toMatchObject({ gsc: ["1500"] });
});

it("the service's address is known while no service listens, because control judges pages by it", async () => {
  const world = await open({ authority: {} });
  const { url } = world;
  const urls = new Set<string>();
  let isOver = false;
  const restart = world.restart("killed").finally(() => (isOver = true));
  for (; !isOver; await setImmediate()) urls.add(world.url);
  await restart;
  expect([...urls]).toEqual([url]);
});

it("the emulated authority is restored from a snapshot with the world", async () => {
  const world = await open({ environment: "none", authority: {} });
  await world.snapshots.take("before");
  world.taxAuthority?.office.setEnvironment(ENVIRONMENT);
  await world.service.talkToAuthority();
  expect(await gscOf(world)).toMatchObject({ gsc: ["0100", "0210"] });
  await world.snapshots.restore("before");
  expect(world.taxAuthority?.office.environment).toBeUndefined();
  expect(await gscOf(world)).toMatchObject({ gsc: ["2400", "0100", "0210"] });
});

it("the emulated authority is asked again when the emulated minute is over", async () => {
  const world = await open({ environment: "none", authority: {}, clock: { ticking: false } });
  world.taxAuthority?.office.setEnvironment(ENVIRONMENT);
  world.clock.advance(60_000);
  await vi.waitFor(async () => expect((await gscOf(world)).gsc).toEqual(["0100", "0210"]), 20_000);
});

it("a fault of a full disk after the signature loses nothing, even when the card cannot repeat its answer", async () => {
  const fault = { on: "storeAnswer", nth: 2, kind: "diskFull" } as const;
  const world = await open({ card: { pinVerified: true, lastSignedInvoice: false }, faults: [fault] });
  await sell(world);
  expect((await sell(world, "order-1")).json()).toMatchObject({ code: "1999" });
  const again = await sell(world, "order-1");
  expect(again.headers["idempotent-replayed"]).toBe("true");
  expect(again.json()).toMatchObject({ totalCounter: 2 });
  expect((await sell(world)).json()).toMatchObject({ totalCounter: 3 });
});

it("a fault strikes only the n-th time, or by chance from the seed", async () => {
  const world = await open({ faults: [{ on: "sign", nth: 2, kind: "statusWord", statusWord: "6307" }] });
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await sell(world)).status);
  expect(statuses).toEqual([200, 400, 200]);
  const byChance = async (seed: string) => {
    const world = await open({
      seed,
      faults: [{ on: "sign", probability: 0.5, kind: "statusWord", statusWord: "6307" }],
    });
    let drawn = "";
    for (let i = 0; i < 12; i++) drawn += (await sell(world)).status === 200 ? "." : "x";
    return drawn;
  };
  expect(await byChance("a")).toBe(await byChance("a"));
  expect(await byChance("a")).toMatch(/\..*x|x.*\./);
});

it("time of a signature is a real card's by default", async () => {
  const world = await open({
    clock: { at: "2026-01-01T00:00:00Z", ticking: false },
    faults: [{ on: "sign", kind: "latency" }],
  });
  const before = world.clock.now();
  await sell(world);
  expect(world.clock.now() - before).toBeGreaterThanOrEqual(500);
  expect(world.clock.now() - before).toBeLessThanOrEqual(1500);
});
