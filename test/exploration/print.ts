/**
 * `npm run explore`: explores the protocol of a sale and prints promises, worlds and rules. The exit status is 1 when
 * a promise is broken.
 */
import { CONFIGURATIONS } from "./configurations.js";
import { explored, exploredWithout } from "./model.js";
import { RULE_NAMES, RULES } from "./rules.js";
import { RULES_OFF } from "./rules-off.js";
import { INVARIANTS } from "./violation.js";

const number = (value: number) => value.toLocaleString("en-US");

function failed(problem: string): void {
  console.error(problem);
  process.exitCode = 1;
}

const began = performance.now();
console.log(`The promises:\n${Object.values(INVARIANTS).join("\n")}\n\nThe worlds:`);
let [allStates, allTransitions] = [0, 0];
for (const configuration of CONFIGURATIONS) {
  const { name } = configuration;
  const { states, transitions, violation } = explored(configuration);
  allStates += states;
  allTransitions += transitions;
  console.log(`${name}: ${number(states)} states, ${number(transitions)} transitions`);
  if (violation) failed(`${name}: ${violation.message}\n  ${violation.trace.join("\n  ")}`);
}
console.log(`all of them: ${number(allStates)} states, ${number(allTransitions)} transitions\n\nWithout a rule:`);
for (const rule of RULE_NAMES) {
  const { violation } = await exploredWithout(rule);
  const { finds } = RULES_OFF[rule];
  console.log(`${rule} (${RULES[rule]})\n  ${violation?.trace.join("; ")}: ${violation?.message}`);
  if (violation?.invariant !== finds) failed(`without ${rule}: ${violation?.invariant ?? "nothing"}, not ${finds}`);
}
console.log(`\n${((performance.now() - began) / 1000).toFixed(1)} s`);
