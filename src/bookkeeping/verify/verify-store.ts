/** Checks everything about a store that needs no card. */
import { count } from "../../base/count.js";
import { checksumOfChange, factsIn } from "../../ledger/change-log.js";
import { StoreError } from "../../ledger/database.js";
import { checksumOfErased } from "../../ledger/erasing.js";
import type { EntryState } from "../../ledger/ledger.js";
import type { StoreReading } from "../../ledger/store-reading.js";
import { counterFindings } from "./counters.js";
import { cardKeys, type EntryFinding, problemsOf } from "./entry.js";

export interface StoreVerdict {
  entries: number;
  /** Number of erased entries whose rest is undamaged. */
  erased: number;
  readonly findings: EntryFinding[];
  /** Known irregularities, and what could not be checked. */
  readonly notes: EntryFinding[];
}

/** Shows progress. @param done number of checked entries @param of number of all entries */
export type Progress = (done: number, of: number) => void;

/** Number of entries between progress reports. */
const STEP = 1_000;

/** Texts for states of an entry that people should know. The status reports these states, too. */
const NOTES: Readonly<Record<EntryState, string | undefined>> = {
  complete: undefined,
  adopted: undefined,
  erased: undefined,
  intent: "the card is signing it now, or it is in doubt: tillseal incidents lists those in doubt",
  lost: "the card has counted it, or may have, and its signature is lost",
  unproven: "the card's certificate does not prove its signature",
};

export function verifyStore(store: StoreReading, progress: Progress): StoreVerdict {
  const verdict: StoreVerdict = { entries: 0, erased: 0, findings: [], notes: [] };
  for (const check of [checkFile, checkEntries, checkErased, checkChanges, checkCounters, checkRows]) {
    try {
      check(store, verdict, progress);
    } catch (error) {
      // A damaged file may interrupt one check, so go on with the other checks.
      if (!(error instanceof StoreError)) throw error;
      verdict.findings.push(whole(error.message));
    }
  }
  return verdict;
}

function checkFile(store: StoreReading, { findings }: StoreVerdict): void {
  findings.push(...store.integrity().map((line) => whole(`SQLite says: ${line}`)));
  for (const name of store.foreignObjects()) {
    findings.push(
      whole(`the file has the ${name}, which tillseal did not create like this: another program changed it`),
    );
  }
}

function checkEntries(store: StoreReading, verdict: StoreVerdict, progress: Progress): void {
  const { keys, damaged } = cardKeys(store);
  verdict.findings.push(...damaged.map((uid) => whole(`the certificate of the card ${uid} is damaged`)));
  const unchecked = new Map<string, number>();
  const of = store.count();
  let last = 0;
  try {
    for (const entry of store.entries()) {
      last = entry.id;
      const place = { id: entry.id, number: entry.number ?? undefined };
      const problems = problemsOf(entry, keys.get(entry.uid) ?? []);
      verdict.findings.push(...problems.map((problem) => ({ ...place, problem })));
      const known = NOTES[entry.state];
      if (known !== undefined) verdict.notes.push({ ...place, problem: known });
      if (entry.signature !== null && !keys.has(entry.uid)) {
        unchecked.set(entry.uid, (unchecked.get(entry.uid) ?? 0) + 1);
      }
      if (++verdict.entries % STEP === 0) progress(verdict.entries, of);
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(`the entries after ${last} cannot be read: ${error.message}`);
  }
  for (const [uid, entries] of unchecked) {
    const some = count(entries, "entry", "entries");
    const problem = `signature not checked: the store has no certificate of the card ${uid} (${some})`;
    verdict.notes.push(whole(problem));
  }
}

/**
 * Checks erased entries. If there are more than the record of changes announces, the others are missing, not erased.
 */
function checkErased(store: StoreReading, verdict: StoreVerdict): void {
  const announced = store
    .changes()
    .filter(({ kind }) => kind === "erased")
    .reduce((sum, { what }) => sum + (Number(factsIn(what).receipts) || 0), 0);
  let counted = 0;
  for (const { checksum, ...entry } of store.erased()) {
    counted++;
    if (Buffer.from(checksum).equals(checksumOfErased(entry))) verdict.erased++;
    else verdict.findings.push({ ...whole("the rest of an erased receipt is damaged"), id: entry.id });
  }
  if (counted <= announced) return;
  verdict.findings.push(
    whole(`the store has ${count(counted, "erased receipt")}, but the record of changes announces ${announced}`),
  );
}

function checkChanges(store: StoreReading, { findings }: StoreVerdict): void {
  let expected = 1;
  for (const { checksum, ...row } of store.changes()) {
    if (row.id !== expected) findings.push(whole(`row ${expected} of the record of changes is missing`));
    if (!Buffer.from(checksum).equals(checksumOfChange(row))) {
      findings.push(whole(`row ${row.id} of the record of changes is damaged or was edited`));
    }
    expected = row.id + 1;
  }
}

function checkCounters(store: StoreReading, { findings, notes }: StoreVerdict): void {
  for (const { explained, ...finding } of counterFindings(store, firstCounters(store))) {
    (explained ? notes : findings).push(finding);
  }
}

/** The counter of each card's first stored receipt, by UID. */
function firstCounters(store: StoreReading): Map<string, number> {
  const rows = store.changes().filter(({ kind }) => kind === "card");
  const facts = rows.map(({ what }) => factsIn(what));
  return new Map(
    facts.map(({ uid = "", firstCounter }) => [uid, Number(firstCounter)] as const).filter(([, n]) => n > 0),
  );
}

/** Reports damaged rows about cards, reports, audits, and what the tax authority sent. */
function checkRows(store: StoreReading, { findings }: StoreVerdict): void {
  for (const { table, row } of store.damagedRows()) {
    findings.push(whole(`row ${row} of the table ${table} is damaged or was edited`));
  }
}

function whole(problem: string): EntryFinding {
  return { id: undefined, number: undefined, problem };
}
