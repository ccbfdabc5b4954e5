/** Judges a run from outside: the card's log against the store, the answers of the POS and the reports. */

import { verifyStore } from "../../src/bookkeeping/verify/verify-store.js";
import type { Entry, Report } from "../../src/ledger/ledger.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import type { CardSignature } from "./slot.js";

/** The code of a test card in `mssc`. */
const TEST_CARD = "9002";

export interface Evidence {
  readonly dataDir: string;
  readonly signatures: readonly CardSignature[];
  readonly answers: ReadonlyMap<string, string>;
  /** RequestId by the amount that the card has signed. */
  readonly requestIds: ReadonlyMap<bigint, string>;
  readonly mssc: readonly string[];
  /** Whether a receipt may be reported instead of stored, because the fault leaves no other way. */
  readonly mayReport: boolean;
  /** Whether the card answers nonsense: what it repeats is reported without a counter. */
  readonly oddAnswers: boolean;
}

/** The problems found; empty when the run is correct. */
export function verdictOf(evidence: Evidence): string[] {
  const reading = StoreReading.open(evidence.dataDir);
  try {
    const entries = [...reading.entries()];
    const stored = grouped(entries, ({ signature }) => Buffer.from(signature ?? []).toString("hex"));
    const sold = grouped(entries, ({ requestId }) => requestId ?? "");
    const reports = reading.reports();
    const { findings } = verifyStore(reading, () => undefined);
    return [
      ...findings.map(({ problem }) => `verify: ${problem}`),
      ...evidence.signatures.flatMap((signature) => lostSignature(signature, stored, reports, evidence)),
      ...signedTwice(evidence, reports),
      ...[...evidence.answers].flatMap(([id, text]) => forgottenAnswer(id, text, sold.get(id), reports, evidence)),
      ...reportProblems(entries, reports, evidence),
    ];
  } finally {
    reading.close();
  }
}

/** A soak test has too many entries to search all of them for each one. */
function grouped(entries: readonly Entry[], keyOf: (entry: Entry) => string): ReadonlyMap<string, readonly Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}

function isReported(totalCounter: number, reports: readonly Report[]): boolean {
  return reports.some(({ kind, from, to }) => {
    if (from === null || to === null) return false;
    return kind !== "decided" && Math.min(from, to) <= totalCounter && totalCounter <= Math.max(from, to);
  });
}

/** Every signature has exactly one stored answer with the same bytes, or is openly reported. */
function lostSignature(
  { totalCounter, amount, bytes, by }: CardSignature,
  stored: ReadonlyMap<string, readonly Entry[]>,
  reports: readonly Report[],
  { requestIds, mayReport }: Evidence,
): string[] {
  const id = requestIds.get(amount);
  const what = `signature ${totalCounter} (${by === "other" ? "of another program" : (id ?? "no RequestId")})`;
  const [entry, ...others] = stored.get(bytes) ?? [];
  if (others.length > 0) return [`${what} is stored ${others.length + 1} times`];
  if (entry?.state === "complete") {
    return entry.requestId === id ? [] : [`${what} is stored under ${entry.requestId}`];
  }
  const reported = isReported(totalCounter, reports) || reports.some((report) => report.requestId === id);
  if (!reported) return [`${what} is neither stored nor reported`];
  return mayReport ? [] : [`${what} is only reported, and nothing has kept it from being stored`];
}

function signedTwice({ signatures, requestIds, mayReport }: Evidence, reports: readonly Report[]): string[] {
  const counters = new Map<bigint, number[]>();
  for (const { amount, totalCounter, by } of signatures) {
    if (by === "service") counters.set(amount, [...(counters.get(amount) ?? []), totalCounter]);
  }
  return [...counters].flatMap(([amount, all]) => {
    // A restored store does not know its own sales: all but the last must be reported.
    const known = mayReport && all.slice(0, -1).every((counter) => isReported(counter, reports));
    return all.length === 1 || known ? [] : [`${requestIds.get(amount)} was signed as ${all.join(" and ")}`];
  });
}

/** What a POS has printed is in the store, unchanged. */
function forgottenAnswer(
  id: string,
  text: string,
  entries: readonly Entry[] = [],
  reports: readonly Report[],
  { mayReport }: Evidence,
): string[] {
  const { totalCounter, signature } = JSON.parse(text) as { totalCounter: number; signature: string };
  const entry = entries.find((one) => one.totalCounter === totalCounter);
  if (!entry) {
    return mayReport && isReported(totalCounter, reports) ? [] : [`the answer of ${id} is not in the store`];
  }
  const stored = entry.answer === null ? undefined : (JSON.parse(entry.answer) as { signature: string }).signature;
  return stored === signature ? [] : [`the store has another answer of ${id} than the POS`];
}

/** Reports are visible in status, and are true. */
function reportProblems(entries: readonly Entry[], reports: readonly Report[], evidence: Evidence): string[] {
  const open = reports.filter(({ confirmedAt, kind }) => confirmedAt === null && kind !== "decided");
  const doubts = entries.filter(({ state }) => state === "intent");
  const problems: string[] = [];
  if (open.length > 0 && !evidence.mssc.some((code) => code !== TEST_CARD))
    problems.push("there are reports, and status does not show them");
  if (doubts.length > 0 && !evidence.mssc.includes("9003")) problems.push("a sale is in doubt, and status hides it");
  if (evidence.mayReport) return problems;
  return [
    ...problems,
    ...open
      .filter(({ kind, from }) => !(evidence.oddAnswers && kind === "unproven" && from === null))
      .map(({ kind, from, to }) => `reported without need: ${kind} ${from} to ${to}`),
    ...doubts.map(({ requestId }) => `${requestId} is still in doubt`),
  ];
}
