/** Puts the situations of the guide one after the other, without a person. */
import { setTimeout as delay } from "node:timers/promises";
import type { Rehearsal } from "../rehearse/rehearsal.js";
import { unmetBy } from "../scenario/judge.js";
import { drivenSituations, type ShippedScenario } from "../scenario/shipped.js";

/** ms between two checks of what the POS has sent. */
export const LOOK_INTERVAL_MS = 200;
/** ms. After this time the next situation begins, even if the POS has not got out of the situation before. */
const LONGEST_MS = 60_000;

/**
 * Puts the first situation after the POS's first receipt. A situation is over when the POS has met what it asks, or
 * after a minute. Resolves after the last situation, or when `signal` is aborted.
 */
export async function drive(
  rehearsal: Pick<Rehearsal, "requests">,
  put: (situation: ShippedScenario) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  await until(() => rehearsal.requests.some(({ signed }) => signed), signal, Number.POSITIVE_INFINITY);
  for (const situation of drivenSituations()) {
    if (signal.aborted) return;
    const last = rehearsal.requests.at(-1)?.id ?? 0;
    await put(situation);
    const { inOrder = [] } = situation;
    const sent = () => rehearsal.requests.filter(({ id }) => id > last);
    await until(() => unmetBy([{ inOrder }], sent()).length === 0, signal, LONGEST_MS);
  }
}

/** Waits until `isOver` is true, `signal` is aborted, or the time is over. @param longest ms */
export async function until(isOver: () => boolean | Promise<boolean>, signal: AbortSignal, longest: number) {
  const end = performance.now() + longest;
  while (!(await isOver()) && !signal.aborted && performance.now() < end)
    await delay(Math.max(0, Math.min(LOOK_INTERVAL_MS, end - performance.now())));
}
