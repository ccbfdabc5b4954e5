/** Checks that a store has every invoice that its cards have counted, or a report about it. */
import { invoiceNumber } from "../../fiscal/counters.js";
import { toIso } from "../../fiscal/time.js";
import type { Report, ReportKind } from "../../ledger/ledger.js";
import type { CountedEntry, StoreReading } from "../../ledger/store-reading.js";
import type { EntryFinding } from "./entry.js";

/** Kinds of reports after which a counter may occur twice. */
const TWICE: readonly ReportKind[] = ["back", "swapped"];
/** Kinds of reports that say which counters the store does not have. */
const MISSING: readonly ReportKind[] = ["behind", "swapped", "lost", "unproven", "decided"];

interface Counters {
  readonly uncounted: readonly Pick<CountedEntry, "id" | "uid">[];
  readonly reports: readonly Report[];
  /** The counter of each card's first stored receipt by UID, from the record of changes. */
  readonly first: ReadonlyMap<string, number>;
}

/** A missing or repeated counter. It is `explained` if a report covers it. */
interface CounterFinding extends EntryFinding {
  readonly explained: boolean;
}

export function* counterFindings(store: StoreReading, firstOf: Counters["first"]): Generator<CounterFinding> {
  const counters: Counters = { uncounted: store.uncounted(), reports: store.reports(), first: firstOf };
  const cards = store.cards();
  const highest = new Map<string, CountedEntry>();
  for (const entry of store.counted()) {
    const before = highest.get(entry.uid);
    highest.set(entry.uid, entry);
    if (!before) {
      // A card may have signed elsewhere before its first receipt in this store, as a report says.
      const first = firstOf.get(entry.uid) ?? entry.totalCounter;
      const reported = firstReported(entry.uid, counters.reports) ?? first;
      for (const finding of missingBetween(entry.uid, reported, first - 1, entry.id, counters.reports)) {
        if (finding.explained) yield finding;
      }
      yield* missingBetween(entry.uid, first, entry.totalCounter - 1, entry.id, counters.reports);
    } else if (entry.totalCounter === before.totalCounter) yield twice(entry, before, counters);
    else yield* gap(entry, before, counters);
  }
  const uids = new Set([...cards.map(({ uid }) => uid), ...firstOf.keys()]);
  for (const uid of uids) {
    const lastCounter = cards.find((card) => card.uid === uid)?.lastCounter;
    yield* cardFindings({ uid, lastCounter }, highest.get(uid), counters);
  }
}

function twice(entry: CountedEntry, before: CountedEntry, { reports }: Counters): CounterFinding {
  const { id, uid, totalCounter } = entry;
  const back = reports.find((report) => report.uid === uid && TWICE.includes(report.kind));
  const problem = `the entries ${before.id} and ${id} have the same counter`;
  return { id, number: invoiceNumber(uid, uid, totalCounter), ...withReport(problem, back) };
}

function* gap(entry: CountedEntry, before: CountedEntry, counters: Counters): Generator<CounterFinding> {
  const { uid, id } = entry;
  const [first, last] = [Math.min(before.id, id), Math.max(before.id, id)];
  const lost = counters.uncounted.filter((one) => one.uid === uid && one.id > first && one.id < last);
  const missing = entry.totalCounter - before.totalCounter - 1;
  if (missing > 0 && missing <= lost.length) {
    const ids = lost.map((one) => one.id).join(", ");
    const problem = `${range(before.totalCounter + 1, entry.totalCounter - 1)} of ${uid}: the invoice was lost (entry ${ids})`;
    yield { id, number: invoiceNumber(uid, uid, before.totalCounter + 1), problem, explained: true };
    return;
  }
  yield* missingBetween(uid, before.totalCounter + 1, entry.totalCounter - 1, id, counters.reports);
}

function* cardFindings(
  { uid, lastCounter = 0 }: { readonly uid: string; readonly lastCounter: number | undefined },
  last: CountedEntry | undefined,
  { reports, first }: Counters,
): Generator<CounterFinding> {
  const stored = last?.totalCounter;
  if (stored === undefined) {
    const from = first.get(uid) ?? firstReported(uid, reports);
    if (from !== undefined) yield* missingBetween(uid, from, Math.max(from, lastCounter), undefined, reports);
    return;
  }
  if (lastCounter === 0) return;
  if (lastCounter > stored) yield* missingBetween(uid, stored + 1, lastCounter, undefined, reports);
  if (lastCounter < stored) {
    const back = reports.find((report) => report.uid === uid && TWICE.includes(report.kind));
    const problem = `the card ${uid} is said to have counted to ${lastCounter}, and the store has ${stored}`;
    yield { id: last?.id, number: invoiceNumber(uid, uid, stored), ...withReport(problem, back) };
  }
}

/**
 * The lowest missing counter that a report of this card names. After the loss of a store, a report names all counters
 * of the card.
 */
function firstReported(uid: string, reports: readonly Report[]): number | undefined {
  const from = reports
    .filter((report) => report.uid === uid && MISSING.includes(report.kind))
    .map((report) => report.from);
  return from.filter((counter) => counter !== null).toSorted((a, b) => a - b)[0];
}

/** Runs of missing counters, each with the report that names it. */
function* missingBetween(
  uid: string,
  first: number,
  last: number,
  id: number | undefined,
  reports: readonly Report[],
): Generator<CounterFinding> {
  const about = reports.filter((report) => report.uid === uid && MISSING.includes(report.kind) && report.from !== null);
  for (let at = first; at <= last; ) {
    const report = about.find(({ from, to }) => (from ?? 0) <= at && at <= (to ?? from ?? 0));
    const next = about.map(({ from }) => from ?? 0).filter((from) => from > at);
    const end = report
      ? Math.min(last, report.to ?? report.from ?? at)
      : Math.min(last, ...next.map((from) => from - 1));
    const problem = `${range(at, end)} of ${uid} ${at === end ? "is" : "are"} not in the store`;
    yield { id, number: invoiceNumber(uid, uid, at), ...withReport(problem, report) };
    at = end + 1;
  }
}

function withReport(problem: string, report: Report | undefined): { problem: string; explained: boolean } {
  if (!report) return { problem: `${problem}, and no report says why`, explained: false };
  const confirmed = report.confirmedAt === null ? "not confirmed yet" : `confirmed on ${toIso(report.confirmedAt)}`;
  return { problem: `${problem}: reported on ${toIso(report.at)} as "${report.kind}", ${confirmed}`, explained: true };
}

function range(first: number, last: number): string {
  return first === last ? `counter ${first}` : `counters ${first} to ${last}`;
}
