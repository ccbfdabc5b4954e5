/**
 * `npm run explore`: explores the protocol of a sale and prints promises, worlds and rules. The exit status is 1 when
 * a promise is broken.
 */
import { CONFIGURATIONS } from "./configurations.js";
import type { Explored } from "./explore.js";
import { explored, exploredWithout } from "./model.js";
import { RULES_OFF } from "./rules-off.js";
import { invariants, type Results, RULE_NAMES, rules, worlds } from "./tables.js";

function failed(problem: string): void {
  console.error(problem);
  process.exitCode = 1;
}

const began = performance.now();
const explorations = CONFIGURATIONS.map((configuration): Explored => {
  const result = explored(configuration);
  const { violation } = result;
  if (violation) failed(`${configuration.name}: ${violation.message}\n  ${violation.trace.join("\n  ")}`);
  return result;
});
const without: (readonly [string, Explored])[] = [];
for (const rule of RULE_NAMES) {
  const result = await exploredWithout(rule);
  const { violation } = result;
  const { finds } = RULES_OFF[rule];
  if (violation?.invariant !== finds) failed(`without ${rule}: ${violation?.invariant ?? "nothing"}, not ${finds}`);
  without.push([rule, result]);
}
const seconds = (performance.now() - began) / 1000;
const results: Results = { worlds: explorations, withoutRule: Object.fromEntries(without) as Results["withoutRule"] };
console.log(`${invariants()}\n\n${worlds(results)}\n\n${rules(results)}\n\n${seconds.toFixed(1)} s`);
