/** Sets up the situations of the guide in a world: one at a time, or without a person one after the other. */

import { setTimeout as delay } from "node:timers/promises";
import type { World } from "../../emulator/world/world.js";
import type { Rehearsal } from "./rehearsal.js";
import { SITUATIONS, type Situation } from "./situations.js";

/** @throws UserError if the world has no authority and the situation needs one */
export async function putSituation(world: World, { steps }: Situation): Promise<void> {
  for (const step of steps) await world.do(step);
}

/** ms between two checks of what the POS has sent. */
const LOOK_INTERVAL_MS = 100;
/** ms. After this time the next situation begins, even if the POS has not got out of the situation before. */
const LONGEST_MS = 60_000;

export interface Driven {
  readonly rehearsal: Pick<Rehearsal, "requests">;
  readonly put: (situation: Situation) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Puts the first situation after the POS's first receipt. A situation is over when the POS has a receipt, or, if the
 * situation ends with a refusal, when the POS has sent an invoice. After a minute the next situation begins in any
 * case. Resolves after the last situation, or when `signal` is aborted.
 */
export async function drive({ rehearsal, put, signal }: Driven): Promise<void> {
  await until(() => hasReceiptAfter(rehearsal, 0), signal, Number.POSITIVE_INFINITY);
  for (const situation of SITUATIONS) {
    if (signal.aborted) return;
    const last = rehearsal.requests.at(-1)?.id ?? 0;
    await put(situation);
    const isOver = situation.ends === "refusal" ? hasInvoiceAfter : hasReceiptAfter;
    await until(() => isOver(rehearsal, last), signal, LONGEST_MS);
  }
}

function hasInvoiceAfter({ requests }: Pick<Rehearsal, "requests">, last: number): boolean {
  return requests.some(({ id, invoice }) => id > last && invoice !== null);
}

function hasReceiptAfter({ requests }: Pick<Rehearsal, "requests">, last: number): boolean {
  return requests.some(({ id, invoice, status }) => id > last && invoice !== null && status === 200);
}

/** Waits until `isOver` is true, `signal` is aborted, or the time is over. @param longest ms */
async function until(isOver: () => boolean, signal: AbortSignal, longest: number): Promise<void> {
  const began = performance.now();
  while (!isOver() && !signal.aborted && performance.now() - began < longest) await delay(LOOK_INTERVAL_MS);
}
