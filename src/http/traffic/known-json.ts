/** Writes what a schema describes of JSON, numbers as they were sent. Of other values only the names stay. */
import { parse } from "lossless-json";
import { isObject, JsonNumber } from "../../schema/decimal.js";
import { MASKED, withoutPin } from "../../schema/mask-text.js";
import type { JsonSchema } from "../../schema/validator.js";

/** A place that a schema describes; a place without fields and items has a text, a number or a flag. */
export interface KnownPlace {
  /** By their name in lower case: the service ignores the case of names. */
  readonly fields?: ReadonlyMap<string, KnownPlace>;
  readonly items?: KnownPlace;
}

export function placeOf({ properties, items }: JsonSchema): KnownPlace {
  if (items !== undefined) return { items: placeOf(items as JsonSchema) };
  if (properties === undefined) return {};
  const fields = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
  return { fields: new Map(fields.map(([name, field]) => [name.toLowerCase(), placeOf(field)])) };
}

const HIDDEN = JSON.stringify(MASKED.repeat(4));
/** Names of unknown fields that are kept. A typing mistake makes few, and each one costs time. */
const MOST_UNKNOWN = 100;

/** The values of a name that occurs more than once in an object. The service refuses it, and people must see why. */
class Repeated {
  constructor(readonly values: unknown[]) {}
}

/** @throws SyntaxError if the text is not JSON */
export function knownJson(json: string, whole: KnownPlace): string {
  const parsed = parse(json, null, {
    parseNumber: (number) => new JsonNumber(number),
    onDuplicateKey: ({ oldValue, newValue }) => {
      if (!(oldValue instanceof Repeated)) return new Repeated([oldValue, newValue]);
      // A copy for each of 16,000 values would take a second.
      oldValue.values.push(newValue);
      return oldValue;
    },
  });
  let unknown = 0;
  const shown = (value: unknown, { fields, items }: KnownPlace): string => {
    if (items && Array.isArray(value)) return `[${value.map((entry) => shown(entry, items)).join(",")}]`;
    if (fields && isObject(value)) {
      const parts: string[] = [];
      for (const [name, entry] of Object.entries(value)) {
        const place = fields.get(name.toLowerCase());
        for (const one of entry instanceof Repeated ? entry.values : [entry]) {
          if (place) parts.push(`${JSON.stringify(name)}:${shown(one, place)}`);
          else if (++unknown <= MOST_UNKNOWN) parts.push(`${JSON.stringify(withoutPin(name))}:${HIDDEN}`);
        }
      }
      return `{${parts.join(",")}}`;
    }
    if (fields || items || Array.isArray(value) || isObject(value)) return HIDDEN;
    return value instanceof JsonNumber ? value.text : JSON.stringify(value);
  };
  return shown(parsed, whole);
}
