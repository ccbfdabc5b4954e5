/** The record of changes as people see it: what holds until it changes is shown as the difference to what held before. */
import { toIso } from "../fiscal/time.js";
import { type ChangeFacts, type ChangeKind, type ChangeRow, factsIn, nameOfChange } from "../ledger/change-log.js";
import type { ShownChange, ShownFact } from "./shown-change.js";

/** What happened once, and does not hold until the next one. */
const EVENTS: readonly ChangeKind[] = ["clock", "erased"];

/** @param rows the whole record, in its order */
export function shownChanges(rows: readonly ChangeRow[]): readonly ShownChange[] {
  const before = new Map<ChangeKind, ChangeFacts>();
  return rows.map((row) => {
    const { id, at, kind } = row;
    const facts = factsIn(row.what);
    const earlier = EVENTS.includes(kind) ? {} : (before.get(kind) ?? {});
    before.set(kind, facts);
    return { id, at: toIso(at), kind, name: nameOfChange(row), facts: differences(earlier, facts) };
  });
}

function differences(from: ChangeFacts, to: ChangeFacts): readonly ShownFact[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names
    .filter((name) => from[name] !== to[name])
    .map((fact) => ({ fact, from: from[fact] ?? null, to: to[fact] ?? null }));
}
