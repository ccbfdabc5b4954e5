/** Patterns of `$match`. They run in linear time, so that none keeps the emulator busy (docs/decisions/README.md). */
import { RE2JS } from "re2js";
import { messageOf } from "../../src/base/thrown.js";
import { ConfigError } from "../../src/config/config-error.js";

/**
 * Maximum size of all patterns of an expectation. A repeated part counts as often as it may be repeated, because re2js
 * compiles each repetition. `(a?){1000}` 60 times would keep the emulator busy for a second, and 10,000 times end it.
 */
const MOST_SIZE = 2000;

/** Keeps compiled patterns, because all requests of a log are compared with the same pattern. */
const compiled = new Map<string, RE2JS>();
const MOST_COMPILED = 100;

/** Compiles a pattern, or returns it if it was compiled before. @throws ConfigError if the pattern cannot be used */
export function patternOf(text: string): RE2JS {
  const known = compiled.get(text);
  if (known) return known;
  const pattern = compile(text);
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  compiled.set(text, pattern);
  return pattern;
}

function compile(text: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(text));
  } catch (error) {
    const reason = messageOf(error).replace(/^error parsing regexp: /, "");
    const unknown = /\((\?=|\?!|\?<=|\?<!)|\\[1-9]/.test(text)
      ? "; patterns have neither lookaround nor references to groups"
      : "";
    throw new ConfigError(`$match: the pattern ${JSON.stringify(text)} cannot be used: ${reason}${unknown}`);
  }
}

/**
 * Checks the patterns of an expectation, so that a mistake is reported before requests come, and no pattern is compiled
 * if they are too large together. @throws ConfigError
 */
export function requirePatterns(patterns: readonly string[]): void {
  const size = patterns.reduce((sum, pattern) => sum + sizeOf(pattern), 0);
  if (size > MOST_SIZE) {
    throw new ConfigError(
      `$match: the patterns have the size ${size} with their repetitions, and at most ${MOST_SIZE}`,
    );
  }
  for (const pattern of patterns) patternOf(pattern);
}

const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gsu;

/** Number of tokens of a pattern. The tokens of a repeated group count for each repetition. */
function sizeOf(pattern: string): number {
  /** Sizes of the groups that are open, the innermost last. */
  const open = [0];
  let last = 0;
  const add = (size: number) => {
    open.push((open.pop() ?? 0) + size);
  };
  for (const [token, least, most] of pattern.matchAll(TOKEN)) {
    if (token === "(") open.push(0);
    else if (token === ")" && open.length > 1) {
      last = (open.pop() ?? 0) + 1;
      add(last);
    } else if (least !== undefined) {
      const times = Math.max(Number(most || least), 1);
      add(last * (times - 1));
      last *= times;
    } else {
      // One of * + ? belongs to the part before it.
      last = /^[*+?]$/.test(token) ? last + 1 : 1;
      add(1);
    }
  }
  return open.reduce((sum, size) => sum + size, 0);
}
