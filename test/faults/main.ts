/** Runs the fault tests and prints their table. test/faults/run.mjs provides a separate pcscd. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newSeed } from "../../emulator/pki/random.js";
import { Pcscd } from "../support/pcsc.js";
import { Disk } from "./disk.js";
import { planOf } from "./plan.js";
import { Run } from "./run.js";
import { Slot } from "./slot.js";
import { Table } from "./table.js";
import { TORTURES } from "./tortures.js";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: newSeed().slice(0, 8) },
    runs: { type: "string", default: "2000" },
    /** No run begins after this. */
    seconds: { type: "string", default: "1000000" },
    /** Number of the one run to repeat, from 0. */
    run: { type: "string" },
    only: { type: "string", default: "" },
    /** Part and number of parts, for runs in parallel: 0/4 plays 0, 4, 8 and so on. */
    part: { type: "string", default: "0/1" },
    table: { type: "string" },
  },
});
/** ms. The longest run takes a third of it on a busy machine. */
const ENDLESS_MS = 900_000;
const { seed, only } = values;
const [part = 0, parts = 1] = values.part.split("/").map(Number);
const began = Date.now();
const first = Number(values.run ?? 0);
const last = values.run === undefined ? Number(values.runs) : first + 1;
const folder = mkdtempSync(join(tmpdir(), "tillseal-faults-"));
const say = (line: string) => process.stdout.write(`${line}\n`);

const hasDisk = Disk.possible(folder);
const possible = TORTURES.filter(({ needsDisk, name }) => (hasDisk || !needsDisk) && name.includes(only));
const which = parts === 1 ? "" : `, part ${values.part}`;
say(`torture: seed ${seed}, runs ${first} to ${last - 1}${which}, in ${folder}`);
if (!hasDisk) say("left out: the tortures of the disk need root, loop devices, ext4 and python3");

const pcscd = new Pcscd();
await pcscd.start();
const slot = new Slot(join(folder, "card"));
await slot.link.insert();
const table = new Table();
/** Keeps the table of a part even when it breaks off. */
const keepTable = () => {
  if (values.table !== undefined) writeFileSync(values.table, JSON.stringify(table));
};

const inTime = () => Date.now() - began < Number(values.seconds) * 1000;
for (let number = first + part; number < last && inTime(); number += parts) {
  const plan = planOf(seed, number, possible);
  const runFolder = join(folder, `run-${number}`);
  const run = new Run({ slot, pcscd }, runFolder, `${seed}-${number}`, plan.tortures, plan);
  const endless = setTimeout(() => {
    say([`FAILED run ${number}: it does not end; kept: ${runFolder}`, ...run.trace].join("\n  . "));
    process.exit(1);
  }, ENDLESS_MS);
  const result = await run.play();
  clearTimeout(endless);
  run.unmount();
  table.add(plan, result);
  if (result.violations.length === 0) {
    rmSync(runFolder, { recursive: true, force: true });
  } else {
    const names = plan.tortures.map(({ name }) => name).join(" + ");
    const filter = only === "" ? "" : ` --only "${only}"`;
    const repeat = `npm run test:long -- faults --seed ${seed} --run ${number}${filter}`;
    const lines = [`FAILED run ${number}: ${names}; ${plan.pos} POS, ${plan.sales} sales; repeat: ${repeat}`];
    lines.push(...result.violations.map((one) => `  ${one}`), ...result.trace.map((one) => `  . ${one}`));
    say([...lines, `  kept: ${runFolder}`].join("\n"));
    mkdirSync(runFolder, { recursive: true });
    writeFileSync(join(runFolder, "trace.txt"), `${lines.join("\n")}\n`);
  }
  if (table.runs % 25 === 0) {
    say(`${table.progress((Date.now() - began) / 1000)}${which}`);
    keepTable();
  }
}

if (values.table === undefined) say(table.text((Date.now() - began) / 1000));
keepTable();
await slot.link.remove();
await pcscd.stop();
const { TILLSEAL_TEST_REPORTS: reports } = process.env;
if (reports !== undefined && values.table === undefined) {
  const counts = { numPassedTests: table.runs - table.failed, numFailedTests: table.failed };
  writeFileSync(join(reports, "faults.json"), JSON.stringify(counts));
}
if (table.failed === 0) rmSync(folder, { recursive: true, force: true });
process.exit(table.failed === 0 && table.runs > 0 ? 0 : 1);
