/**
 * Keeps what a schema describes of a JSON text, as it was written: a parser would change numbers. Other values are
 * hidden, and their names stay.
 */
import { MASKED, withoutPin } from "../../schema/mask-text.js";
import type { JsonSchema } from "../../schema/validator.js";

/** A place that a schema describes; a place without fields and items has a text, a number or a flag. */
export interface Place {
  /** By their name in lower case: the service ignores the case of names. */
  readonly fields?: ReadonlyMap<string, Place>;
  readonly items?: Place;
}

export function placeOf({ properties, items }: JsonSchema): Place {
  if (items !== undefined) return { items: placeOf(items as JsonSchema) };
  if (properties === undefined) return {};
  const fields = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
  return { fields: new Map(fields.map(([name, field]) => [name.toLowerCase(), placeOf(field)])) };
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;
const HIDDEN = JSON.stringify(MASKED.repeat(4));
/** Names of unknown fields that are kept. A typing mistake makes few, and each one costs time. */
const MOST_UNKNOWN = 100;

/** @param json valid JSON */
export function knownJson(json: string, whole: Place): string {
  const tokens = json.match(TOKEN) ?? [];
  let at = 0;
  let unknown = 0;
  const hidden = (): string => {
    let depth = 0;
    do {
      const token = tokens[at++];
      if (token === "{" || token === "[") depth++;
      else if (token === "}" || token === "]") depth--;
    } while (depth > 0);
    return HIDDEN;
  };
  const list = (end: string, part: () => string | undefined): string => {
    const parts: string[] = [];
    for (at++; tokens[at] !== end; ) {
      if (tokens[at] === ",") at++;
      const kept = part();
      if (kept !== undefined) parts.push(kept);
    }
    at++;
    return parts.join(",");
  };
  const value = ({ fields, items }: Place): string => {
    const token = tokens[at] ?? "";
    if (token === "{" && fields) return `{${list("}", () => field(fields))}}`;
    if (token === "[" && items) return `[${list("]", () => value(items))}]`;
    if (token === "{" || token === "[" || fields || items) return hidden();
    at++;
    return token;
  };
  const field = (fields: ReadonlyMap<string, Place>): string | undefined => {
    const raw = tokens[at] ?? "";
    const name = raw.includes("\\") ? (JSON.parse(raw) as string) : raw.slice(1, -1);
    at += 2;
    const place = fields.get(name.toLowerCase());
    if (place) return `${raw}:${value(place)}`;
    const text = hidden();
    if (++unknown > MOST_UNKNOWN) return undefined;
    const shown = withoutPin(name);
    return `${shown === name ? raw : JSON.stringify(shown)}:${text}`;
  };
  return value(whole);
}
