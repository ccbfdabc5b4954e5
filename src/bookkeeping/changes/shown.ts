/** Shows the record of changes to people. Lasting facts are shown as differences to their previous state. */
import { own } from "../../base/own.js";
import { toldApart } from "../../fiscal/look-alikes.js";
import { toIso } from "../../fiscal/time.js";
import { type ChangeFacts, type ChangeKind, type ChangeRow, factsIn } from "../../ledger/change-log.js";
import type { ShownChange, ShownFact } from "./shown-change.js";

/** Kinds that record a single event, not a lasting state. */
const EVENTS: readonly ChangeKind[] = ["clock", "erased", "card", "lost"];

/** The rows of the record for people. @param rows the whole record, oldest first */
export function shownChanges(rows: readonly ChangeRow[]): readonly ShownChange[] {
  const before = new Map<ChangeKind, ChangeFacts>();
  return rows.map((row) => {
    const { id, at, kind } = row;
    const facts = factsIn(row.what);
    const earlier = EVENTS.includes(kind) ? {} : (before.get(kind) ?? {});
    before.set(kind, facts);
    return { id, at: toIso(at), kind, facts: differences(earlier, facts) };
  });
}

function differences(from: ChangeFacts, to: ChangeFacts): readonly ShownFact[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  // The facts of rates have their labels as names.
  const shown = toldApart(names);
  return names
    .map((fact) => ({ fact: shown(fact), from: own(from, fact) ?? null, to: own(to, fact) ?? null }))
    .filter((one) => one.from !== one.to);
}
