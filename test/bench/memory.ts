/** Memory at rest and after many sales. */
import { setTimeout as sleep } from "node:timers/promises";
import { rate } from "./client.js";
import type { Group } from "./row.js";
import { invoice, withService } from "./service.js";

const CONNECTIONS = 32;
const INVOICES = 100_000;
const REST_MS = 2_000;
/** s of selling between two measurements. */
const STRETCH = 5;
/** s; on a slow machine the row shows that it was reached. */
const LONGEST = 120;

export const memory: Group = () =>
  withService(false, async (service) => {
    await sleep(REST_MS);
    const idle = service.resident();
    let sold = 0;
    const began = performance.now();
    while (sold < INVOICES && performance.now() - began < LONGEST * 1000) {
      sold += (await rate(service.url, invoice({ qr: false }), CONNECTIONS, STRETCH)) * STRETCH;
    }
    await sleep(REST_MS);
    const more = service.resident() - idle;
    const count = Math.round(sold / 1000);
    return [
      { name: "resident memory at rest", value: idle, goal: 90, higherIsBetter: false, unit: "MB" },
      { name: `more of it after ${count},000 invoices`, value: more, goal: 40, higherIsBetter: false, unit: "MB" },
    ];
  });
