/** Finds the fields in which two JSON texts differ. */
import { isLosslessNumber, parse } from "lossless-json";

export interface JsonDifference {
  /** Path of the field, such as `items[0].quantity`; "" for the whole text. */
  readonly path: string;
  /** The value as the first text has it; undefined if the field is missing there. */
  readonly one: string | undefined;
  readonly other: string | undefined;
}

/** Finds the differences between two texts. A text that is not JSON is compared as a whole. */
export function jsonDifference(one: string, other: string): readonly JsonDifference[] {
  const [first, second] = [fieldsOf(one), fieldsOf(other)];
  const paths = [...new Set([...first.keys(), ...second.keys()])];
  return paths
    .map((path) => ({ path, one: first.get(path), other: second.get(path) }))
    .filter((difference) => difference.one !== difference.other);
}

function fieldsOf(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  if (text === "") return fields;
  try {
    collect(parse(text), "", fields);
  } catch {
    fields.set("", text);
  }
  return fields;
}

function collect(value: unknown, path: string, into: Map<string, string>): void {
  if (Array.isArray(value) && value.length > 0) {
    for (const [i, item] of value.entries()) collect(item, `${path}[${i}]`, into);
  } else if (isFilled(value)) {
    for (const [name, field] of Object.entries(value)) collect(field, path === "" ? name : `${path}.${name}`, into);
  } else {
    // Keep a number as it was written, because 1.0 and 1 differ.
    into.set(path, isLosslessNumber(value) ? value.toString() : JSON.stringify(value));
  }
}

function isFilled(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isLosslessNumber(value) && Object.keys(value).length > 0;
}
