/**
 * `npm run bench` prints results with their goals. `-- sales growth` measures only these groups, `-- --seconds 1`
 * shortens each measurement.
 */
import { parseArgs } from "node:util";
import { cold } from "./cold.js";
import { emulators, scenarios } from "./emulators.js";
import { growth } from "./growth.js";
import { heap } from "./heap.js";
import { prism } from "./prism.js";
import { type Group, type Row, table } from "./row.js";
import { sales } from "./sales.js";
import { stalls } from "./stalls.js";
import { start } from "./start.js";

const GROUPS: Readonly<Record<string, Group>> = {
  start,
  scenarios,
  emulators,
  sales,
  growth,
  stalls,
  cold,
  heap,
  prism,
};
const SECONDS = "3";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string", default: SECONDS } },
});
const names = positionals.length > 0 ? positionals : Object.keys(GROUPS);
const rows: Row[] = [];
for (const name of names) {
  const group = GROUPS[name];
  if (!group) throw new Error(`there is no group ${name}; the groups are ${Object.keys(GROUPS).join(", ")}`);
  process.stderr.write(`${name} ...\n`);
  try {
    rows.push(...(await group(Number(values.seconds))).map((row) => ({ ...row, group: name })));
  } catch (error) {
    // The other groups are still useful.
    process.stderr.write(`${name} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  }
}
process.stdout.write(`${table(rows)}\n`);
