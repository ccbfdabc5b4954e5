/** The results of the exploration as tables. */
import { table } from "../../build/docs/markdown.js";
import { CONFIGURATIONS } from "./configurations.js";
import type { Explored } from "./explore.js";
import { RULES, type Rule } from "./rules.js";
import { INVARIANTS } from "./violation.js";
import { type Configuration, EVENTS, nameOf } from "./world.js";

export interface Results {
  readonly worlds: readonly Explored[];
  readonly withoutRule: Readonly<Record<Rule, Explored>>;
}

function isRule(name: string): name is Rule {
  return Object.hasOwn(RULES, name);
}

export const RULE_NAMES: readonly Rule[] = Object.keys(RULES).filter(isRule);

export function invariants(): string {
  return Object.values(INVARIANTS)
    .map((sentence) => `- ${sentence}`)
    .join("\n");
}

export function worlds({ worlds: explorations }: Results): string {
  const rows = CONFIGURATIONS.map((configuration, i) => {
    const { states = 0, transitions = 0 } = explorations[i] ?? {};
    return [configuration.name, boundsOf(configuration), number(states), number(transitions)];
  });
  const sum = (of: (explored: Explored) => number) => number(explorations.reduce((total, one) => total + of(one), 0));
  const total = ["all of them", "", sum(({ states }) => states), sum(({ transitions }) => transitions)];
  return table(["World", "What may happen in it, and how often", "States", "Transitions"], [...rows, total]);
}

export function rules({ withoutRule }: Results): string {
  const rows = RULE_NAMES.map((rule) => {
    const { violation } = withoutRule[rule];
    const trace = violation ? `${violation.trace.join("; ")}: **${violation.message}**` : "nothing was found";
    return [`\`${rule}\``, RULES[rule], trace];
  });
  return table(["Rule", "What it says", "Without it"], rows);
}

function boundsOf({ tills, may }: Configuration): string {
  const posts = tills.map((_, i) => `${nameOf(i)} posts ${may.posts?.[i] === 1 ? "once" : "twice"}`);
  const events = Object.entries(EVENTS).flatMap(([event, [one, more]]) => {
    const times = may[event as keyof typeof EVENTS] ?? 0;
    return times === 0 ? [] : [`${times} ${times === 1 ? one : more}`];
  });
  return [...posts, ...events].join(", ");
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
