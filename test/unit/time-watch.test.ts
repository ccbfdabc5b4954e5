/** The clock is compared with the time server regularly, and a server that does not answer changes nothing. */
import { pino } from "pino";
import { expect, it, onTestFinished, vi } from "vitest";
import { measureDrift } from "../../src/state/sntp.js";
import { TimeWatch } from "../../src/state/time-watch.js";

const NOON = Date.UTC(2026, 5, 1, 12);
const MINUTE = 60_000;

/** A watch over a server whose time the test chooses; time passes only when the test says so. */
function watched(clockDrift = 300) {
  const asked: string[] = [];
  const world = { at: 0, set: 0, server: "ntp://time.test" as string | undefined, answer: async () => NOON };
  let wake: () => void = () => undefined;
  const sleep = (_: number, ended?: AbortSignal) =>
    new Promise<void>((resolve) => {
      wake = resolve;
      if (ended?.aborted) resolve();
      ended?.addEventListener("abort", () => resolve(), { once: true });
    });
  const ask = async (host: string, port?: number) => {
    asked.push(port === undefined ? host : `${host}:${port}`);
    return world.answer();
  };
  let changes = 0;
  const watch = new TimeWatch({
    server: () => world.server,
    ask,
    clockDrift,
    measured: () => undefined,
    log: pino({ level: "silent" }),
    clock: { now: () => NOON + world.at + world.set },
    timer: { now: () => world.at, sleep },
    changed: () => void changes++,
  });
  onTestFinished(() => watch.stop());
  const pass = (ms: number) => {
    world.at += ms;
    wake();
  };
  const seen = (count: number) => vi.waitFor(() => expect(changes).toBe(count), 20_000);
  return { watch, world, asked, pass, seen };
}

it.each([
  ["as fast as the server's", 0, 300, false],
  ["as far ahead as it may be", 300_000, 300, false],
  ["too far ahead", 300_001, 300, true],
  ["too far behind", -300_001, 300, true],
  ["off by the network's delay", 900, 0, false],
])("the clock's watch decides whether a clock that is %s is off", async (_, ahead, clockDrift, off) => {
  const { watch, world, seen } = watched(clockDrift);
  world.answer = async () => NOON - ahead;
  watch.start();
  await seen(1);
  expect(watch.check).toEqual({ server: "ntp://time.test", ahead, problem: undefined, off, at: NOON });
});

it("the clock's watch measures again after an hour, sooner after a failure, and keeps the last result", async () => {
  const { watch, world, asked, pass, seen } = watched();
  watch.start();
  await seen(1);
  world.answer = () => Promise.reject(new Error("time.test does not answer"));
  pass(59 * MINUTE);
  pass(MINUTE);
  await seen(2);
  expect(watch.check).toMatchObject({ ahead: 0, problem: "time.test does not answer" });
  world.answer = async () => NOON + world.at + 5;
  pass(10 * MINUTE);
  await seen(3);
  expect(watch.check).toMatchObject({ ahead: -5, problem: undefined });
  expect(asked).toHaveLength(3);
});

it("the clock's watch measures when the doctor asks, unless it did so in the last minute", async () => {
  const { watch, world, asked, pass, seen } = watched();
  world.answer = async () => NOON + world.at;
  watch.start();
  await seen(1);
  await watch.refresh();
  expect(asked).toHaveLength(1);
  pass(MINUTE);
  world.answer = async () => NOON + world.at - 86_400_000;
  await watch.refresh();
  expect(asked).toHaveLength(2);
  expect(watch.check).toMatchObject({ ahead: 86_400_000, off: true, at: NOON + MINUTE });
});

it("the clock's watch asks a newly configured server at once, and forgets the old one's result", async () => {
  const { watch, world, asked, seen } = watched();
  watch.start();
  await seen(1);
  world.server = "ntp://other.test:1123";
  expect(watch.check).toBeUndefined();
  watch.runNow();
  await seen(2);
  expect(asked).toEqual(["time.test", "other.test:1123"]);
});

it("the clock's watch asks nothing while no server is configured, and reports an invalid address", async () => {
  const { watch, world, asked, seen } = watched();
  world.server = undefined;
  watch.start();
  world.server = "not an address";
  watch.runNow();
  await seen(1);
  expect([asked, watch.check?.problem]).toEqual([[], "it is not the address of a time server"]);
});

it("the clock's watch does not wait for a hanging server when it stops", async () => {
  const { watch, world } = watched();
  world.answer = () => new Promise(() => undefined);
  watch.start();
  await watch.stop();
  expect(watch.check).toBeUndefined();
});

it("the clock's watch attributes half of the round trip to each direction", async () => {
  const times = [NOON, NOON + 400];
  const clock = { now: () => times.shift() ?? 0 };
  expect(await measureDrift("ntp://time.test", clock, async () => NOON + 200)).toBe(0);
});

it("the clock's watch measures within a minute of a set clock, and not again", async () => {
  const { watch, world, asked, pass, seen } = watched();
  world.answer = async () => NOON + world.at;
  world.set = 600_000;
  watch.start();
  await seen(1);
  expect(watch.check).toMatchObject({ off: true });
  pass(MINUTE);
  world.set = 0;
  pass(MINUTE);
  await seen(2);
  expect(watch.check).toMatchObject({ ahead: 0, off: false });
  pass(MINUTE);
  pass(MINUTE);
  expect(asked).toHaveLength(2);
});
