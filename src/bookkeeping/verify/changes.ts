/** Checks the record of changes for manipulation, as far as the store itself can show it. */
import { type ChangeRow, hashOfChange, nameOfChange } from "../../ledger/change-log.js";

/** Names of rows that intents contain, such as `12.9f86d081884c7d65`, each with the id of an entry that contains it. */
export type NamedChanges = ReadonlyMap<string, number>;

/**
 * Matches the name of a row in the JSON of an intent. A text of the POS cannot match, because its quotes are escaped.
 */
const NAMED = /"change":"(\d+\.[0-9a-f]{16})"/;

/** The name of the row that an intent contains; undefined without one. @param intent JSON */
export function namedIn(intent: string): string | undefined {
  return NAMED.exec(intent)?.[1];
}

export function changeProblems(rows: readonly ChangeRow[], named: NamedChanges): readonly string[] {
  const problems: string[] = [];
  const names = new Map<string, string>();
  let before = new Uint8Array();
  let expected = 1;
  for (const row of rows) {
    const { id, hash, ...content } = row;
    if (id !== expected) problems.push(`${range(expected, id - 1)} of the record of changes is missing`);
    const fits = Buffer.from(hashOfChange(before, { id, ...content })).equals(hash);
    if (!fits && id === expected) problems.push(`row ${id} of the record of changes is damaged or was edited`);
    names.set(String(id), nameOfChange(row));
    before = Uint8Array.from(hash);
    expected = id + 1;
  }
  for (const [name, entry] of named) {
    const id = name.split(".")[0] ?? "";
    const stored = names.get(id);
    if (stored === name) continue;
    const problem = stored === undefined ? "is missing; it was there" : "is not the one that was there";
    problems.push(`row ${id} of the record of changes ${problem} when entry ${entry} was written`);
  }
  return problems;
}

function range(first: number, last: number): string {
  return first === last ? `row ${first}` : `rows ${first} to ${last}`;
}
