/**
 * `npm run bench` prints what tillseal takes beside other programs. `-- sales growth` measures only these groups.
 * `-- capacity` prints how long tills wait for one card.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { capacity } from "./capacity.js";
import { emulators } from "./emulators.js";
import { growth } from "./growth.js";
import { heap } from "./heap.js";
import { peers } from "./peers.js";
import { type Group, head, lines } from "./row.js";
import { sales } from "./sales.js";
import { stalls } from "./stalls.js";

const GROUPS: Readonly<Record<string, Group>> = { emulators, sales, growth, heap, peers, stalls };

async function measure(names: readonly string[]): Promise<void> {
  process.stdout.write(`${head()}\n`);
  for (const name of names) {
    const group = GROUPS[name];
    if (!group)
      throw new Error(`there is no group ${name}; the groups are ${Object.keys(GROUPS).join(", ")}, capacity`);
    process.stderr.write(`${name} ...\n`);
    try {
      process.stdout.write(`${lines((await group()).map((row) => ({ ...row, group: name })))}\n`);
    } catch (error) {
      // The other groups are still useful.
      process.stderr.write(`${name} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
      process.exitCode = 1;
    }
  }
}

const wanted = readFileSync(join(PACKAGE_ROOT, ".nvmrc"), "utf8").trim();
if (process.versions.node.split(".")[0] !== wanted)
  throw new Error(`this is Node.js ${process.versions.node}; the goals are for Node.js ${wanted}`);
const names = process.argv.slice(2);
if (names[0] === "capacity") await capacity();
else await measure(names.length > 0 ? names : Object.keys(GROUPS));
