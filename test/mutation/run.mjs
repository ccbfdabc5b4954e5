/**
 * `npm run mutation`: changes the source of a sale's protocol, one place at a time, and shows which changes no test notices. Before:
 * `npm ci --ignore-scripts --prefix test/mutation`. Options: `--share 0.05` of all changes, `--seed 1`, `--minutes 40`.
 * Files below src/ are changed instead of the protocol; files below test/ must notice it. Default for these: the tests of unit/,
 * contract/ and authority/ that run the changed line.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const HERE = dirname(fileURLToPath(import.meta.url));
const STRYKER = join(HERE, "node_modules", "@stryker-mutator", "core", "bin", "stryker.js");
const RESULTS = join("out", "mutation", "results.jsonl");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    share: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "360" },
  },
});
if (!existsSync(STRYKER)) {
  process.stderr.write("StrykerJS is missing: npm ci --ignore-scripts --prefix test/mutation\n");
  process.exit(1);
}
process.chdir(join(HERE, "..", ".."));
mkdirSync(dirname(RESULTS), { recursive: true });
rmSync(RESULTS, { force: true });

const stryker = spawn(process.execPath, [STRYKER, "run", join(HERE, "stryker.config.mjs")], {
  stdio: "inherit",
  detached: true,
  env: {
    ...process.env,
    MUTATION_SEED: values.seed,
    MUTATION_SHARE: values.share,
    MUTATION_FILES: positionals.join(" "),
    MUTATION_RESULTS: join(process.cwd(), RESULTS),
  },
});
// Kills the workers too: they do not notice that Stryker has ended.
const stop = () => process.kill(-stryker.pid, "SIGKILL");
const timer = setTimeout(stop, Number(values.minutes) * 60_000);
process.once("SIGINT", stop);
stryker.once("exit", () => {
  clearTimeout(timer);
  const results = existsSync(RESULTS) ? readFileSync(RESULTS, "utf8").trim().split("\n") : [];
  const parsed = results.map((line) => JSON.parse(line));
  const noticed = parsed.filter(({ status }) => status === "Killed" || status === "Timeout");
  for (const { place, mutatorName, replacement } of parsed.filter((one) => !noticed.includes(one))) {
    process.stdout.write(`not noticed: ${place} ${mutatorName} ${replacement.replaceAll(/\s+/g, " ")}\n`);
  }
  process.stdout.write(`${noticed.length} of ${parsed.length} changes were noticed (seed ${values.seed})\n`);
  process.exit(parsed.length > 0 && noticed.length === parsed.length ? 0 : 1);
});
