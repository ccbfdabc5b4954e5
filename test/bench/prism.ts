/**
 * Sales a second beside Prism, which gives the examples of our OpenAPI document and signs nothing. Start it first:
 * `npx @stoplight/prism-cli mock -p 4010 openapi.json > /dev/null`, with the document from `/openapi.json`.
 */
import { rate } from "./client.js";
import { type Group, measured } from "./row.js";
import { invoice, withService } from "./service.js";

const PRISM = "http://127.0.0.1:4010";
const CONNECTIONS = 32;
const RUNS = 5;

export const prism: Group = async (seconds) => {
  const name = "sales a second beside Prism, which signs nothing";
  const row = { name, goal: 0.45, higherIsBetter: true, unit: "times" } as const;
  try {
    await fetch(PRISM);
  } catch {
    process.stderr.write(`nothing answers at ${PRISM}; test/bench/prism.ts says how to start Prism\n`);
    return [{ ...row, value: undefined }];
  }
  return withService({}, async ({ url }) => {
    const shares: number[] = [];
    for (let run = -1; run < RUNS; run++) {
      const sent = invoice({ qr: false });
      const other = await rate(PRISM, sent, CONNECTIONS, seconds);
      const share = (await rate(url, sent, CONNECTIONS, seconds)) / other;
      if (run >= 0) shares.push(share);
    }
    return [{ ...row, ...measured(shares) }];
  });
};
