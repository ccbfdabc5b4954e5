/** A ledger with faults, such as a disk that is full, read-only or broken. */
import { ledgerError } from "../../src/ledger/faults.js";
import type { Change, Ledger, LedgerFault } from "../../src/ledger/ledger.js";
import type { FaultKind, StoreOperation } from "./fault.js";
import { passTime, type Times } from "./passing-time.js";

const OPERATION: Record<Change["kind"], StoreOperation> = {
  intent: "storeIntent",
  complete: "storeAnswer",
  abandon: "storeOutcome",
  lose: "storeOutcome",
  unproven: "storeOutcome",
  adopt: "storeOutcome",
  card: "storeCard",
  refused: "storeCard",
  accepted: "storeCard",
  report: "storeReport",
  confirm: "storeReport",
};

const FAULT: Partial<Record<FaultKind, LedgerFault>> = {
  diskFull: "full",
  diskReadOnly: "read-only",
  diskError: "io",
};

const OUTCOMES: ReadonlySet<Change["kind"]> = new Set(["adopt", "lose", "unproven"]);

/** If a fault strikes one change of a commit, the whole commit fails or waits. */
export function faultyLedger(ledger: Ledger, times: Times, dataDir: string, flushCards: () => void): Ledger {
  return {
    commit: async (changes) => {
      const operations = new Set(changes.map(({ kind: change }) => OPERATION[change]));
      const struck = [...operations].flatMap((operation) => times.faults.due({ on: operation }));
      for (const fault of struck) await passTime(fault, times);
      const fault = struck.map(({ kind }) => FAULT[kind]).find((one) => one !== undefined);
      if (fault !== undefined) throw ledgerError(fault, dataDir);
      // Write the card's state to its file, because the store cannot restore the state after these changes.
      if (changes.some(({ kind: change }) => OUTCOMES.has(change))) flushCards();
      return ledger.commit(changes);
    },
    byRequestId: (requestId) => ledger.byRequestId(requestId),
    byNumber: (number) => ledger.byNumber(number),
    last: (uid) => ledger.last(uid),
    openIntents: (uid) => ledger.openIntents(uid),
    card: (uid) => ledger.card(uid),
    reports: () => ledger.reports(),
  };
}

/**
 * Emulates an attempt to write to the disk. The service tries this only after a commit has failed.
 * @throws LedgerError if a disk fault has struck that strikes every time, without `nth` or `probability`. A fault that
 * has not struck concerns other operations than the failed one.
 */
export function tryWriting({ faults }: Pick<Times, "faults">, dataDir: string): void {
  for (const { kind, nth, probability = 1, struck } of faults.list) {
    const fault = FAULT[kind];
    if (fault !== undefined && struck > 0 && nth === undefined && probability === 1) throw ledgerError(fault, dataDir);
  }
}
