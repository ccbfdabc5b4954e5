/** A task for many callers runs once at a time. */
import { setTimeout } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { sharedRun } from "../../src/base/shared-run.js";

it("a shared run runs once for all who ask meanwhile, and anew for those who ask later", async () => {
  let runs = 0;
  const ask = sharedRun(async () => {
    await setTimeout(1);
    return ++runs;
  });
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
  expect(await Promise.all([ask(), ask()])).toEqual([2, 2]);
});

it("a shared run runs again after a failure", async () => {
  const task = vi.fn().mockRejectedValueOnce(new Error("broken")).mockResolvedValueOnce("whole");
  const ask = sharedRun(task as () => Promise<string>);
  await expect(Promise.all([ask(), ask()])).rejects.toThrow("broken");
  expect(await ask()).toBe("whole");
});
