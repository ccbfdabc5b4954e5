/** Whether the record of changes is what was written, as far as the store itself can show it. */
import { type ChangeRow, hashOfChange, nameOfChange } from "../ledger/change-log.js";

/** What intents say of the record: `12.9f86d081884c7d65`, each with the id of an entry that says it. */
export type NamedChanges = ReadonlyMap<string, number>;

/** As an intent writes it; in a text of the POS the quotes would be escaped. */
const NAMED = /"change":"(\d+\.[0-9a-f]{16})"/;

/** The row that an intent names. @param intent JSON */
export function namedIn(intent: string): string | undefined {
  return NAMED.exec(intent)?.[1];
}

export function changeProblems(rows: readonly ChangeRow[], named: NamedChanges): readonly string[] {
  const problems: string[] = [];
  const names = new Map<string, string>();
  let before = new Uint8Array();
  let expected = 1;
  for (const row of rows) {
    const { id, hash, ...said } = row;
    if (id !== expected) problems.push(`${range(expected, id - 1)} of the record of changes is not there`);
    const fits = Buffer.from(hashOfChange(before, { id, ...said })).equals(hash);
    if (!fits && id === expected) problems.push(`row ${id} of the record of changes is not what was written`);
    names.set(String(id), nameOfChange(row));
    before = Uint8Array.from(hash);
    expected = id + 1;
  }
  for (const [name, entry] of named) {
    const id = name.split(".")[0] ?? "";
    const found = names.get(id);
    if (found === name) continue;
    const what = found === undefined ? "is not there" : "is not the one";
    problems.push(`row ${id} of the record of changes ${what} that was there when entry ${entry} was written`);
  }
  return problems;
}

function range(first: number, last: number): string {
  return first === last ? `row ${first}` : `rows ${first} to ${last}`;
}
