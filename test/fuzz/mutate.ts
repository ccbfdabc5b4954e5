/** Nearly valid: one detail of a valid body is wrong. */
import type { Chance } from "../faults/chance.js";

/** Names that every object has. */
export const INHERITED = Object.getOwnPropertyNames(Object.prototype);

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.001,
  1e21,
  -0,
  1e-7,
  123456789012345,
  99999999999.999,
  2 ** 53,
  "",
  " ",
  "0",
  "-1",
  "1e5",
  "NaN",
  "x".repeat(5_000),
  "\u0000",
  "\ud800",
  "ЖЖЖ",
  "2026-13-45T99:99:99Z",
  ...INHERITED,
  [],
  {},
  [[]],
  [null],
  { length: -1 },
  { toString: 1 },
];
const ODD_TOKENS = [
  "NaN",
  "Infinity",
  "-",
  "01",
  "1.",
  ".5",
  "1e999",
  "0x10",
  "undefined",
  "'a'",
  "1_000",
  '"\\x"',
  "/**/1",
];

type Holder = Record<string, unknown> | unknown[];

export function mutated(value: unknown, chance: Chance): unknown {
  const copy = structuredClone(value);
  const holders: Holder[] = [];
  collect(copy, holders);
  if (holders.length === 0) return chance.pick(ODD_VALUES);
  const holder = chance.pick(holders);
  const names = Object.keys(holder);
  const name = names.length === 0 ? "0" : chance.pick(names);
  const at = holder as Record<string, unknown>;
  switch (chance.between(1, 5)) {
    case 1:
      delete at[name];
      break;
    case 2:
      at[`${name}${chance.pick(["", " ", "X"])}`.toUpperCase()] = at[name];
      break;
    case 3:
      at[chance.pick(["__proto__x", "extra", "ITEMS", ...INHERITED])] = chance.pick(ODD_VALUES);
      break;
    default:
      at[name] = chance.pick(ODD_VALUES);
  }
  return copy;
}

/** The same for the text, with what no serializer would write. */
export function mutatedText(text: string, chance: Chance): string {
  const at = chance.between(0, text.length);
  switch (chance.between(1, 6)) {
    case 1:
      return text.slice(0, at);
    case 2:
      return text + text;
    case 3:
      return text.replace(/\d+(\.\d+)?/, chance.pick(ODD_TOKENS));
    case 4:
      return text.replace("{", `{"items":[],"__proto__":{"invoiceType":"Normal"},`);
    case 5:
      return "[".repeat(chance.between(1, 2_000)) + text;
    default:
      return text.slice(0, at) + chance.pick(["\u0000", ",", "}", "\ufeff", "\\u12"]) + text.slice(at);
  }
}

function collect(value: unknown, holders: Holder[]): void {
  if (typeof value !== "object" || value === null) return;
  holders.push(value as Holder);
  for (const inner of Object.values(value)) collect(inner, holders);
}
