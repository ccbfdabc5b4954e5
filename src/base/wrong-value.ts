/** Where a value stands in a record, and what is wrong with it. */

/** Names and indexes from the outermost value to the value itself. */
export type ValuePath = readonly (string | number)[];

export interface WrongValue {
  readonly path: ValuePath;
  /** One sentence for people, which begins with the path. */
  readonly says: string;
}

/** Writes a path for people: `items[0].labels[1]`. */
export function pathText(path: ValuePath): string {
  return path.map((part, i) => (typeof part === "number" ? `[${part}]` : i === 0 ? part : `.${part}`)).join("");
}
