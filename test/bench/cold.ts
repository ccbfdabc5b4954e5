/** What the service adds to the card's own time in a till that sells seldom. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../../harness/testkit.js";
import { times } from "./client.js";
import { type Group, measured } from "./row.js";
import { invoice, once, withService } from "./service.js";

/** ms that the card takes. */
const CARD_MS = 500;
const SALES = 10;
/** Of the default `--seconds 3`, a pause is 20 s: long enough that the caches are cold. */
const PAUSE_MS = 20_000 / 3;

export const cold: Group = (seconds) =>
  withService({ kept: true }, async ({ url, control }) => {
    const fault: Fault = { on: "sign", kind: "latency", duration: `${CARD_MS}ms` };
    const headers = { "Content-Type": "application/json" };
    await once(control, { method: "POST", path: "/control/do", body: JSON.stringify({ faults: [fault] }), headers });
    const added: number[] = [];
    for (let sale = 0; sale < SALES; sale++) {
      await sleep(PAUSE_MS * seconds);
      added.push(...(await times(url, invoice(), 1)).map((ms) => ms - CARD_MS));
    }
    const what = `a till that sells seldom, card of ${CARD_MS} ms, added`;
    return [
      { name: `${what}: median`, ...measured(added), goal: 15, higherIsBetter: false, unit: "ms" },
      { name: `${what}: slowest of ${SALES}`, value: Math.max(...added), goal: 100, higherIsBetter: false, unit: "ms" },
    ];
  });
