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

export const prism: Group = (seconds) =>
  withService({}, async ({ url }) => {
    const shares: number[] = [];
    for (let run = -1; run < RUNS; run++) {
      const sent = invoice({ qr: false });
      const other = await rate(PRISM, sent, CONNECTIONS, seconds);
      const share = (await rate(url, sent, CONNECTIONS, seconds)) / other;
      if (run >= 0) shares.push(share);
    }
    const name = "sales a second beside Prism, which signs nothing";
    return [{ name, ...measured(shares), goal: 0.45, higherIsBetter: true, unit: "times" }];
  });
