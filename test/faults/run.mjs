/**
 * Runs the fault tests, or the soak test, with a separate pcscd. Without options: the short form, as `npm run test:all` runs it.
 * `--jobs N` runs the tests in N parallel processes, each with its own pcscd, and adds their tables up.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIfChanged } from "../../build/build.mjs";
import { namespace, requirePcsc } from "../pcsc/namespace.mjs";

/** No run begins after this. A run takes about 3 s on an idle machine, so that everything takes less than 60 s. */
const SHORT = ["main", "--seconds", "40"];

requirePcsc("the tortures");
buildIfChanged();
const [script, ...options] = process.argv.length > 2 ? process.argv.slice(2) : SHORT;
const jobsAt = options.indexOf("--jobs");
const jobs = jobsAt < 0 ? 1 : Number(options.splice(jobsAt, 2)[1]);
process.exit(jobs > 1 ? await sideBySide() : await run());

async function sideBySide() {
  if (namespace().length === 0) {
    process.stderr.write("--jobs needs root and unshare: each job has a pcscd in its own namespace\n");
    return 1;
  }
  const began = Date.now();
  const folder = mkdtempSync(join(tmpdir(), "tillseal-jobs-"));
  const tables = Array.from({ length: jobs }, (_, i) => join(folder, `table-${i}.json`));
  const seed = options.includes("--seed") ? [] : ["--seed", String(began)];
  const statuses = await Promise.all(
    tables.map((table, i) => run(...seed, "--part", `${i}/${jobs}`, "--table", table)),
  );
  const { Table } = await import("../../dist/test/faults/table.js");
  const whole = Table.ofParts(tables.filter((table) => existsSync(table)).map((table) => readFileSync(table, "utf8")));
  process.stdout.write(`${whole.text((Date.now() - began) / 1000)}\n`);
  rmSync(folder, { recursive: true });
  return Math.max(...statuses);
}

/** @returns the exit status */
function run(...more) {
  const [command, ...args] = [...namespace(), process.execPath, `dist/test/faults/${script}.js`, ...options, ...more];
  const child = spawn(command, args, { stdio: "inherit" });
  return new Promise((resolve) => {
    child.once("exit", (status) => resolve(status ?? 1));
  });
}
