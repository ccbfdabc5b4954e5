/** Masks a JSON text and keeps it valid JSON; fields in a schema are not masked. */

import { MASKED, maskedText, withoutDigits } from "../../schema/mask-text.js";
import type { JsonSchema } from "../../schema/validator.js";
import { refusalOf } from "../body.js";

/** How to treat a place in the text. */
interface Place {
  /** Whether texts, numbers and flags are kept unchanged. */
  readonly kept: boolean;
  readonly hide: (text: string) => string;
  /** Fields by lower-case name, as the service reads them. */
  readonly fields?: ReadonlyMap<string, Place>;
  readonly items?: Place;
}

const UNKNOWN: Place = { kept: false, hide: maskedText };
/** Below a name such as `pinCode`: all digits are masked. */
const PIN: Place = { kept: false, hide: withoutDigits };

/** Keeps everything that a schema describes, and nothing below that. */
export function placeOf({ properties, items }: JsonSchema): Place {
  if (items !== undefined) return { kept: false, hide: maskedText, items: placeOf(items as JsonSchema) };
  if (properties === undefined) return { kept: true, hide: maskedText };
  const fields = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
    ([name, field]) => [name.toLowerCase(), placeOf(field)] as const,
  );
  return { kept: false, hide: maskedText, fields: new Map(fields) };
}

/** Undefined if the text is not JSON, or more than the service reads. */
export function maskedJson(text: string, place: Place = UNKNOWN): string | undefined {
  const mark = text.startsWith("\uFEFF") ? 1 : 0;
  const json = text.slice(mark);
  if (refusalOf(json) || !isJson(json)) return undefined;
  return text.slice(0, mark) + new JsonMask(json).whole(place);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Walks through a valid JSON text. */
class JsonMask {
  private at = 0;
  private readonly parts: string[] = [];

  constructor(private readonly text: string) {}

  whole(place: Place): string {
    this.value(place);
    this.space();
    return this.parts.join("");
  }

  private value(place: Place): void {
    this.space();
    const first = this.text[this.at];
    if (first === "{") this.object(place);
    else if (first === "[") this.array(place);
    else if (first === '"') this.parts.push(hiddenString(this.string(), place));
    else this.parts.push(hiddenLiteral(this.take(/[^\s,\]}]+/y), place));
  }

  private object(place: Place): void {
    this.sign();
    const names = new Map<string, number>();
    while (!this.ends("}")) {
      const name = this.string();
      const read = JSON.parse(name) as string;
      const known = place.fields?.get(read.toLowerCase());
      this.parts.push(known ? name : uniqueName(name, place.hide, names));
      this.space();
      this.sign();
      this.value(known ?? (place.hide === withoutDigits || /pin/i.test(read) ? PIN : UNKNOWN));
    }
  }

  private array({ items, hide }: Place): void {
    this.sign();
    while (!this.ends("]")) this.value(items ?? (hide === withoutDigits ? PIN : UNKNOWN));
  }

  /** Skips a comma or the closing bracket. @returns whether it was the bracket */
  private ends(bracket: string): boolean {
    this.space();
    const next = this.text[this.at];
    if (next === "," || next === bracket) this.sign();
    this.space();
    return next === bracket;
  }

  private sign(): void {
    this.parts.push(this.text[this.at++] ?? "");
  }

  private space(): void {
    this.parts.push(this.take(/\s*/y));
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

function hiddenString(raw: string, { kept, hide }: Place): string {
  if (kept) return raw;
  const read = JSON.parse(raw) as string;
  const hidden = hide(read);
  return hidden === read ? raw : JSON.stringify(hidden);
}

/** A masked number becomes a text, because stars are not a number. */
function hiddenLiteral(raw: string, { kept, hide }: Place): string {
  if (kept || /^[a-z]/.test(raw)) return raw;
  // 7.531e3 may be a PIN too.
  const isWhole = hide === withoutDigits || (!FOUR_DIGITS.test(raw) && /^\d{4}$/.test(String(Math.abs(Number(raw)))));
  const hidden = isWhole ? raw.replaceAll(/\d/g, MASKED) : raw.replace(new RegExp(FOUR_DIGITS, "g"), MASKED.repeat(4));
  return hidden === raw ? raw : JSON.stringify(hidden);
}

const FOUR_DIGITS = /(?<!\d)\d{4}(?!\d)/;

/** Keeps masked names distinct. @param names of the object, with their counts */
function uniqueName(raw: string, hide: Place["hide"], names: Map<string, number>): string {
  const read = JSON.parse(raw) as string;
  const hidden = hide(read);
  if (hidden === read) return raw;
  const count = (names.get(hidden) ?? 0) + 1;
  names.set(hidden, count);
  return JSON.stringify(count === 1 ? hidden : hidden + inLetters(count));
}

/** A number in letters: digits could look like a PIN. */
function inLetters(count: number): string {
  return String(count).replaceAll(/\d/g, (digit) => "abcdefghij".charAt(Number(digit)));
}
