import { expect, it } from "vitest";
import type { Timer } from "../../src/base/clock.js";
import { Repeater } from "../../src/base/repeater.js";

/** Each sleep lasts until its signal is aborted. */
class EndlessTimer implements Timer {
  readonly slept: number[] = [];

  now(): number {
    return 0;
  }

  sleep(ms: number, ended?: AbortSignal): Promise<void> {
    this.slept.push(ms);
    return new Promise((resolve) => {
      if (ended?.aborted) resolve();
      ended?.addEventListener("abort", () => resolve());
    });
  }
}

it("a repeater runs at once, waits, and runs again on request", async () => {
  const timer = new EndlessTimer();
  let runs = 0;
  const repeater = new Repeater(async () => void runs++, timer, 30);
  repeater.start();
  await expect.poll(() => [runs, timer.slept]).toEqual([1, [30]]);
  repeater.runNow();
  await expect.poll(() => [runs, timer.slept]).toEqual([2, [30, 30]]);
  await repeater.stop();
});

it("a repeater runs once more when it is requested during a run", async () => {
  const timer = new EndlessTimer();
  let runs = 0;
  const run = async () => {
    runs++;
    if (runs === 1) repeater.runNow();
  };
  const repeater = new Repeater(run, timer, 30);
  repeater.start();
  await expect.poll(() => runs).toBe(2);
  await repeater.stop();
  expect(runs).toBe(2);
});

it("a repeater waits before the first run when told to, and never runs when it ends before that", async () => {
  const timer = new EndlessTimer();
  let runs = 0;
  const repeater = new Repeater(async () => void runs++, timer, 30, 5);
  repeater.start();
  expect(timer.slept).toEqual([5]);
  await repeater.stop();
  repeater.start();
  expect([runs, timer.slept]).toEqual([0, [5]]);
});

it("a repeater ends after the current run", async () => {
  const timer = new EndlessTimer();
  let finish: () => void = () => undefined;
  let isOver = false;
  const run = async () => {
    await new Promise<void>((resolve) => (finish = resolve));
    isOver = true;
  };
  const repeater = new Repeater(run, timer, 30);
  repeater.start();
  const ended = repeater.stop();
  expect([isOver, repeater.ended.aborted]).toEqual([false, true]);
  finish();
  await ended;
  expect(isOver).toBe(true);
});
