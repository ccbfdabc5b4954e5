/** Counts results, as the other runners of `npm run test:all` do. */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { killGroup, startGroup, statusOf } from "../support/process-group.mjs";

export const TOOLS = dirname(fileURLToPath(import.meta.url));
export const ROOT = join(TOOLS, "..", "..");

const counts = { numPassedTests: 0, numFailedTests: 0 };

const say = (text) => process.stdout.write(`${text}\n`);

export function result(name, isRight, output) {
  counts[isRight ? "numPassedTests" : "numFailedTests"] += 1;
  say(`${isRight ? "ok" : "not ok"} ${name}`);
  if (!isRight) say(output);
}

/** The service refuses unknown variables with its prefix, such as those of the test run. */
const outside = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("TILLSEAL_")));

/** @returns status and output; runs asynchronously, because the emulator may be in this process */
export async function run(command, args, cwd, env = {}) {
  const child = startGroup(command, args, { cwd, env: { ...outside, ...env } });
  let output = "";
  const late = setTimeout(() => killGroup(child), 300_000);
  const status = await statusOf(child, (line) => (output += `${line}\n`));
  clearTimeout(late);
  return { status, output };
}

/** @param file name of the file with the counts, which .ci/run reads */
export function finish(file) {
  say(`${counts.numPassedTests} passed, ${counts.numFailedTests} failed`);
  const reports = process.env.TILLSEAL_TEST_REPORTS;
  if (reports !== undefined) writeFileSync(join(reports, file), JSON.stringify(counts));
  process.exit(counts.numFailedTests === 0 ? 0 : 1);
}
