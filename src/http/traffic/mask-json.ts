/** Masks a JSON text and keeps it valid JSON. Fields that a schema describes are not masked. */

import { MOST_SEARCHED, maskedText, withoutDigits, withoutDigitsOrCodes } from "../../schema/mask-text.js";
import type { JsonSchema } from "../../schema/validator.js";
import { jsonSize } from "../body.js";
import { LIMITS } from "../limits.js";

/** How to treat a place in the text. */
interface Place {
  /** Whether texts, numbers and flags are kept unchanged. */
  readonly kept: boolean;
  /** Whether the place is below a name such as `pinCode`. All its digits are masked then. */
  readonly isPin?: boolean;
  /** Fields of the place, by their name in lower case: the service ignores the case of names. */
  readonly fields?: ReadonlyMap<string, Place>;
  readonly items?: Place;
}

const UNKNOWN: Place = { kept: false };
const PIN: Place = { kept: false, isPin: true };

/** The place for a schema. It keeps the values that the schema describes; values that are nested deeper are masked. */
export function placeOf({ properties, items }: JsonSchema): Place {
  if (items !== undefined) return { kept: false, items: placeOf(items as JsonSchema) };
  if (properties === undefined) return { kept: true };
  const fields = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
    ([name, field]) => [name.toLowerCase(), placeOf(field)] as const,
  );
  return { kept: false, fields: new Map(fields) };
}

/**
 * Masks a text. If it has over {@link MOST_SEARCHED} characters, all that the schema does not describe loses its
 * digits.
 * A text that is nested too deep, or has over {@link MOST_MASKED} values or places to mask, loses all its digits.
 * @returns undefined if the text is not JSON
 */
export function maskedJson(text: string, place: Place = UNKNOWN): string | undefined {
  const mark = text.startsWith("\uFEFF") ? 1 : 0;
  const json = text.slice(mark);
  const { depth, values } = jsonSize(json);
  if (depth > LIMITS.depth.value || values > MOST_MASKED) return withoutDigits(text);
  if (!isJson(json)) return undefined;
  const masked = new JsonMask(json).whole(place);
  return masked === undefined ? withoutDigits(text) : text.slice(0, mark) + masked;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Maximum number of values, and of places outside of the schema that are masked one by one; a name is a place, too.
 * 1,000 items with their documented fields and five other fields stay below this limit. The limit exists because
 * reading 16,000 names once more would keep other callers waiting.
 */
const MOST_MASKED = 10_000;

/** The white space of JSON that has the highest character code. */
const SPACE = 0x20;
const SPACES = /\s*/y;
const LITERAL = /[^\s,\]}]+/y;

/** Walks through a valid JSON text, and replaces the values and names that must be masked. */
class JsonMask {
  private at = 0;
  /** The masked text, up to {@link copied} in the original. */
  private readonly parts: string[] = [];
  private copied = 0;
  private readonly losesDigits: boolean;

  constructor(private readonly text: string) {
    this.losesDigits = text.length > MOST_SEARCHED;
  }

  /** The whole text, masked; undefined if there is too much to mask. */
  whole(place: Place): string | undefined {
    this.value(place);
    if (this.isTooMuch) return undefined;
    return this.parts.join("") + this.text.slice(this.copied);
  }

  private value(place: Place): void {
    this.space();
    const from = this.at;
    const first = this.text[from];
    if (first === "{") this.object(place);
    else if (first === "[") this.array(place);
    else if (first === '"') {
      const raw = this.string();
      if (!place.kept) this.replace(from, raw, hiddenString(raw, this.hide(place)));
    } else {
      const raw = this.take(LITERAL);
      if (!place.kept && !/^[a-z]/.test(raw)) this.replace(from, raw, hiddenNumber(raw, this.hide(place)));
    }
  }

  /** Whether too many places were masked. Each masked place adds two parts. */
  private get isTooMuch(): boolean {
    return this.parts.length > 2 * MOST_MASKED;
  }

  private replace(from: number, raw: string, hidden: string): void {
    if (hidden === raw) return;
    this.parts.push(this.text.slice(this.copied, from), hidden);
    this.copied = from + raw.length;
  }

  private hide({ isPin }: Place): Hide {
    if (this.losesDigits) return withoutDigitsOrCodes;
    return isPin ? withoutDigits : maskedText;
  }

  private object(place: Place): void {
    this.at++;
    const names = new Map<string, number>();
    while (!this.isTooMuch && !this.ends("}")) {
      const from = this.at;
      const name = this.string();
      const read = textOf(name);
      const known = place.fields?.get(read.toLowerCase());
      if (!known) this.replace(from, name, uniqueName(name, read, this.hide(place)(read), names));
      this.space();
      this.at++;
      this.value(known ?? (place.isPin || /pin/i.test(read) ? PIN : UNKNOWN));
    }
  }

  private array({ items, isPin }: Place): void {
    this.at++;
    while (!this.isTooMuch && !this.ends("]")) this.value(items ?? (isPin ? PIN : UNKNOWN));
  }

  /** Skips a comma or the closing bracket. @returns whether it was the bracket */
  private ends(bracket: string): boolean {
    this.space();
    const next = this.text[this.at];
    if (next === "," || next === bracket) this.at++;
    this.space();
    return next === bracket;
  }

  private space(): void {
    // Most JSON has no spaces, so run the pattern only if there is one.
    if (this.text.charCodeAt(this.at) <= SPACE) this.take(SPACES);
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text)?.[0] ?? "";
    this.at += match.length;
    return match;
  }

  /** Reads a string with its quotes. */
  private string(): string {
    let end = this.at + 1;
    while (this.text[end] !== '"') end += this.text[end] === "\\" ? 2 : 1;
    const quoted = this.text.slice(this.at, end + 1);
    this.at = end + 1;
    return quoted;
  }
}

type Hide = (text: string) => string;

/** The text of a JSON string. @param raw the string with its quotes */
function textOf(raw: string): string {
  return raw.includes("\\") ? (JSON.parse(raw) as string) : raw.slice(1, -1);
}

function hiddenString(raw: string, hide: Hide): string {
  const read = textOf(raw);
  const hidden = hide(read);
  return hidden === read ? raw : JSON.stringify(hidden);
}

/** Masks a number. A masked number becomes a text, because stars are not a number. */
function hiddenNumber(raw: string, hide: Hide): string {
  const shown = hide(raw);
  // A number in another notation, such as 7.531e3, may be a PIN, too.
  const hidden = shown === raw && /^\d{4}$/.test(String(Math.abs(Number(raw)))) ? withoutDigits(raw) : shown;
  return hidden === raw ? raw : JSON.stringify(hidden);
}

/**
 * Keeps masked names distinct.
 * @param raw a name with its quotes
 * @param names masked names of the object, with their counts
 */
function uniqueName(raw: string, read: string, hidden: string, names: Map<string, number>): string {
  if (hidden === read) return raw;
  const count = (names.get(hidden) ?? 0) + 1;
  names.set(hidden, count);
  return JSON.stringify(count === 1 ? hidden : hidden + inLetters(count));
}

/** Writes a number in letters, because digits could look like a PIN. */
function inLetters(count: number): string {
  let letters = "";
  for (let rest = count; rest > 0; rest = Math.floor(rest / 10)) letters = "abcdefghij".charAt(rest % 10) + letters;
  return letters;
}
