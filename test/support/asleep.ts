/** Timers of services whose background work has its turn only when a test says so. */
import { once } from "node:events";

/** Sleeps until the signal ends it. */
export async function asleep(_ms: number, ended = new AbortController().signal): Promise<void> {
  if (!ended.aborted) await once(ended, "abort");
}

/** A timer whose sleeps end at once, until their sum is `limit` ms. @param slept called after each sleep */
export function passing(limit: number, slept: (now: number) => void = () => undefined) {
  let passed = 0;
  let end: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const sleep = async (ms: number, ended?: AbortSignal) => {
    passed += ms;
    slept(passed);
    if (passed < limit || ended?.aborted) return;
    end();
    await asleep(ms, ended);
  };
  return { over, timer: { now: () => passed, sleep } };
}
