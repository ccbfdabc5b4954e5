/** `npm run bench -- stalls`: how long the worst request can keep others waiting. */
import { times } from "./client.js";
import { type Group, median } from "./row.js";
import { attention, invoice, once, withService } from "./service.js";

const RUNS = 7;
/** Sales before the measurement, in which V8 compiles. */
const WARM_UP = 300;

/** The worst that a caller can send in one request. */
const BODIES: Readonly<Record<string, string | undefined>> = {
  "8,000 items": invoice({ items: 8000 }).body,
  "90,000 fields": `{${Array.from({ length: 90_000 }, (_, i) => `"k${i}":1`)}}`,
  "16,000 fields": `{${Array.from({ length: 16_000 }, (_, i) => `"k${i}":1`)}}`,
  "16,000 values of one name": `{${Array.from({ length: 16_000 }, (_, i) => `"k":${i}`)}}`,
  "16,000 short texts": JSON.stringify({ x: Array.from({ length: 16_000 }, (_, i) => String(1000 + (i % 9000))) }),
  "1,291 texts of codes": JSON.stringify({ x: Array.from({ length: 1291 }, () => "%31a".repeat(50)) }),
  "a text of digits and invisible characters": "1\u200b2\u200b3\u200b4 ".repeat(20_000),
};

/** Files of commands with as many wrong values as they may have. */
const wrongCommands = (run: number) => {
  const taxCategories = [{ name: "V", categoryType: 0, orderId: 1, taxRates: Array(3_990).fill(0) }];
  const payload = JSON.stringify({ groupId: 1, validFrom: "2026-01-01T00:00:00Z", taxCategories });
  const names = Object.fromEntries(Array.from({ length: 7_990 }, (_, i) => [`n${i}`, i]));
  const rates = { commandId: `rates-${run}`, type: 0, payload, uid: "TESTCARD" };
  return [rates, names].map((one) => JSON.stringify({ uid: "TESTCARD", commands: JSON.stringify([one]), pin: "1234" }));
};

export const stalls: Group = () =>
  withService({}, async ({ url }) => {
    await times(url, invoice(), WARM_UP);
    let worst: { body: string; own: number[] } | undefined;
    for (const [body, content] of Object.entries(BODIES)) {
      await longestWait(url, content);
      const own: number[] = [];
      for (let run = 0; run < RUNS; run++) own.push(await longestWait(url, content));
      if (!worst || median(own) > median(worst.own)) worst = { body, own };
    }
    const { body = "", own = [] } = worst ?? {};
    const commands: number[] = [];
    for (const file of Array.from({ length: RUNS + 1 }, (_, run) => wrongCommands(run)).flat()) {
      commands.push(await longestWait(url, file, "/console/audit/commands"));
    }
    return [
      { name: "attention beside the largest wrong files of commands, longest wait", own: commands, unit: "ms" },
      { name: `attention beside ${body}, longest wait`, own, unit: "ms" },
    ];
  });

/** The longest answer time of attention in ms while a body is sent and answered. */
async function longestWait(url: string, body = "", path = "/api/v3/invoices"): Promise<number> {
  let isSent = false;
  let longest = 0;
  const headers = { "Content-Type": "application/json" };
  const sent = once(url, { method: "POST", path, body, headers })
    .catch(() => undefined)
    .then(() => {
      isSent = true;
    });
  while (!isSent) {
    const began = performance.now();
    await attention(url);
    longest = Math.max(longest, performance.now() - began);
  }
  await sent;
  return longest;
}
