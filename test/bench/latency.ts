/** What the service adds to the card's own time, and the cost of many items. */
import type { Fault } from "../../harness/testkit.js";
import { times } from "./client.js";
import { type Group, measured, median } from "./row.js";
import { invoice, once, withService } from "./service.js";

/** ms that the card takes. */
const CARD_MS = 800;
const SALES = 25;
const ITEMS = 1000;
/** Sales before the measurement, in which V8 compiles. */
const WARM_UP = 1000;

const at99 = (durations: readonly number[]) =>
  durations.toSorted((a, b) => a - b)[Math.ceil(durations.length * 0.99) - 1] ?? 0;

export const latency: Group = async () => {
  const added = await withService(false, async ({ url, control }) => {
    await times(url, invoice(), WARM_UP);
    const fault: Fault = { on: "sign", kind: "latency", duration: `${CARD_MS}ms` };
    const headers = { "Content-Type": "application/json" };
    await once(control, { method: "POST", path: "/control/faults", body: JSON.stringify(fault), headers });
    return (await times(url, invoice(), SALES)).map((ms) => ms - CARD_MS);
  });
  const linear = await withService(false, async ({ url }) => {
    await times(url, invoice({ items: 1 }), WARM_UP);
    const ratios: number[] = [];
    for (let run = 0; run < 3; run++) {
      const one = median(await times(url, invoice({ items: 1 }), 50));
      ratios.push(median(await times(url, invoice({ items: ITEMS }), 10)) / one / ITEMS);
    }
    return ratios;
  });
  return [
    {
      name: `added to a card of ${CARD_MS} ms, one client, p99`,
      value: at99(added),
      goal: 5,
      higherIsBetter: false,
      unit: "ms",
      spread: [Math.min(...added), Math.max(...added)],
    },
    {
      name: "1,000 items against 1,000 times 1 item",
      ...measured(linear),
      goal: 1,
      higherIsBetter: false,
      unit: "times",
    },
  ];
};
