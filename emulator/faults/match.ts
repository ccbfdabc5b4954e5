/** Compares an actual value with an expected value. The expected value may be a subset of an object, or a matcher. */
import { didYouMean } from "../../src/base/did-you-mean.js";
import { own } from "../../src/base/own.js";
import { printableText } from "../../src/base/printable.js";
import { ConfigError } from "../../src/config/config-error.js";
import { parseTime } from "../../src/fiscal/time.js";
import { isObject } from "../../src/schema/decimal.js";
import { patternOf, requirePatterns } from "./pattern.js";

export interface Difference {
  /** Place of the value, such as `modelState[0].errors[0]`; "" for the whole value. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

type Matcher = (parameter: unknown, actual: unknown) => boolean;

const isWanted = (parameter: unknown): boolean => parameter !== false;
const isNumber = (value: unknown): value is number => typeof value === "number";

/** A matcher is an object with one key that begins with a dollar sign, such as `{ $match: "^A" }`. */
const MATCHERS: Readonly<Record<string, { readonly says: string; readonly matches: Matcher }>> = {
  $any: { says: "any value", matches: (wanted, actual) => (actual !== undefined) === isWanted(wanted) },
  $absent: { says: "no value", matches: (wanted, actual) => (actual === undefined) === isWanted(wanted) },
  $not: { says: "anything but", matches: (other, actual) => differences(other, actual).length > 0 },
  $same: { says: "exactly", matches: (same, actual) => JSON.stringify(same) === JSON.stringify(actual) },
  $type: { says: "a value of type", matches: (type, actual) => typeOf(actual) === type },
  $match: {
    says: "a text that matches",
    matches: (pattern, actual) => typeof actual === "string" && patternOf(String(pattern)).test(actual),
  },
  $range: {
    says: "a number in",
    matches: (range, actual) => {
      const [from, to] = Array.isArray(range) ? (range as unknown[]) : [];
      return isNumber(actual) && isNumber(from) && isNumber(to) && actual >= from && actual <= to;
    },
  },
  $time: {
    says: "an ISO time",
    matches: (wanted, actual) =>
      (typeof actual === "string" && actual.includes("T") && parseTime(actual) !== undefined) === isWanted(wanted),
  },
  $contains: {
    says: "something that contains",
    matches: (part, actual) =>
      typeof actual === "string"
        ? actual.includes(String(part))
        : Array.isArray(actual) && actual.some((entry) => differences(part, entry).length === 0),
  },
  // A text is compared line by line; this is for what is no text.
  $lines: { says: "a text of these lines, each ended by CRLF:", matches: () => false },
  $length: {
    says: "something of length",
    matches: (length, actual) => (Array.isArray(actual) || typeof actual === "string") && actual.length === length,
  },
};

const MATCHER_NAMES = Object.keys(MATCHERS);

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Compares objects as subsets, and lists entry by entry. Returns an empty list if everything matches. */
export function differences(expected: unknown, actual: unknown, path = ""): Difference[] {
  const matcher = matcherOf(expected);
  if (matcher) {
    const { name, parameter } = matcher;
    const rule = MATCHERS[name];
    if (!rule) return [{ path, actual: show(actual), expected: notKnown(name) }];
    if (name === "$lines" && Array.isArray(parameter) && typeof actual === "string") {
      return lineDifferences(parameter, actual, path);
    }
    if (rule.matches(parameter, actual)) return [];
    return [{ path, expected: `${rule.says} ${show(parameter)}`, actual: show(actual) }];
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return listDifferences(expected, actual, (i) => `${path}[${i}]`);
  }
  if (isObject(expected) && isObject(actual)) {
    return Object.entries(expected).flatMap(([key, value]) =>
      differences(value, own(actual, key), path === "" ? key : `${path}.${key}`),
    );
  }
  return Object.is(expected, actual) ? [] : [{ path, expected: show(expected), actual: show(actual) }];
}

function listDifferences(expected: readonly unknown[], actual: readonly unknown[], placeOf: (i: number) => string) {
  const longest = Math.max(expected.length, actual.length);
  return Array.from({ length: longest }, (_, i) => differences(expected[i], actual[i], placeOf(i))).flat();
}

const LINE_END = "\r\n";

/** Compares line by line, so that the report names the line that differs, such as `journal line 3`. */
function lineDifferences(expected: readonly unknown[], actual: string, path: string): Difference[] {
  const lines = actual.split(LINE_END);
  const rest = lines.pop() ?? "";
  if (rest !== "") lines.push(`${rest} (without CRLF)`);
  return listDifferences(expected, lines, (i) => `${path} line ${i + 1}`.trim());
}

const notKnown = (name: string) =>
  `a known matcher, not ${name}: ${MATCHER_NAMES.join(", ")}${didYouMean(name, MATCHER_NAMES)}`;

/** Refuses an expectation that could never match. @throws ConfigError if a matcher or a pattern cannot be used */
export function requireMatchers(expected: unknown): void {
  const matchers = matchersIn(expected);
  const unknown = matchers.find(({ name }) => !MATCHERS[name]);
  if (unknown) throw new ConfigError(`expected ${notKnown(unknown.name)}`);
  requirePatterns(matchers.flatMap(({ name, parameter }) => (name === "$match" ? [String(parameter)] : [])));
}

function matchersIn(expected: unknown): readonly { name: string; parameter: unknown }[] {
  if (typeof expected !== "object" || expected === null) return [];
  const matcher = matcherOf(expected);
  if (matcher?.name === "$same") return [];
  return [...(matcher ? [matcher] : []), ...Object.values(expected).flatMap(matchersIn)];
}

export function matcherOf(expected: unknown): { name: string; parameter: unknown } | undefined {
  if (!isObject(expected)) return undefined;
  const entries = Object.entries(expected);
  const [first] = entries;
  return entries.length === 1 && first?.[0].startsWith("$") ? { name: first[0], parameter: first[1] } : undefined;
}

const LONGEST = 300;

export function show(value: unknown): string {
  if (value === undefined) return "nothing";
  return cut(asJson(value), LONGEST);
}

export function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch (error) {
    // JSON.stringify throws RangeError if the JSON of another service is nested too deeply for the stack.
    if (error instanceof RangeError) return "a value that is nested too deeply to show";
    throw error;
  }
}

const LONGEST_VALUE = 80;
const LONGEST_BODY = 4000;

/** Writes a body for people: a line for each field of JSON, long values cut, control characters escaped. */
export function showBody(text: string): string {
  const shorter = (_key: string, value: unknown) => (typeof value === "string" ? cut(value, LONGEST_VALUE) : value);
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), shorter, 2);
  } catch {
    // The text is not JSON, so we do not change its form.
  }
  return cut(printableText(shown), LONGEST_BODY);
}

/** Returns the value at a place such as `taxItems[0].label`, or undefined if the place does not exist. */
export function valueAt(body: unknown, path: string): unknown {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== "");
  return keys.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? own(value as Record<string, unknown>, key) : undefined,
    body,
  );
}

/** Returns every place, such as `taxItems[0].label`, where {@link valueAt} finds no object and no list. */
export function placesIn(body: unknown, path = ""): string[] {
  if (typeof body !== "object" || body === null) return path === "" ? [] : [path];
  return Object.entries(body).flatMap(([key, value]) => {
    if (Array.isArray(body)) return placesIn(value, `${path}[${key}]`);
    return placesIn(value, path === "" ? key : `${path}.${key}`);
  });
}
