/**
 * Patterns of the matcher `$match`. They run in linear time, so no pattern and no text keeps the emulator busy
 * (docs/decisions/0030-re2js.md).
 */
import { RE2JS } from "re2js";
import { messageOf } from "../../src/base/thrown.js";

/** Error for a pattern that cannot be used. The message says why. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

export interface Pattern {
  /** Whether a part of the text matches the pattern. */
  test(text: string): boolean;
}

/** Keeps compiled patterns, because all requests of a log are compared with the same pattern. */
const compiled = new Map<string, Pattern>();
const MOST_COMPILED = 100;

/** Compiles a pattern, or returns it if it was compiled before. @throws PatternError if the pattern cannot be used */
export function patternOf(text: string): Pattern {
  const known = compiled.get(text);
  if (known) return known;
  const pattern = compile(text);
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  compiled.set(text, pattern);
  return pattern;
}

function compile(text: string): Pattern {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(text));
  } catch (error) {
    const reason = messageOf(error).replace(/^error parsing regexp: /, "");
    const unknown = /\((\?=|\?!|\?<=|\?<!)|\\[1-9]/.test(text)
      ? "; patterns have neither lookaround nor references to groups"
      : "";
    throw new PatternError(`$match: the pattern ${JSON.stringify(text)} cannot be used: ${reason}${unknown}`);
  }
}

/** Checks every pattern of an expectation, so that a mistake is reported before requests come. @throws PatternError */
export function requirePatterns(expected: unknown): void {
  if (typeof expected !== "object" || expected === null) return;
  for (const [key, value] of Object.entries(expected)) {
    if (key === "$match") patternOf(String(value));
    else requirePatterns(value);
  }
}
