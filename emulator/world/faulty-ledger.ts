/** A ledger whose disk is full, read-only or broken on demand. */
import { ledgerError } from "../../src/ledger/faults.js";
import type { Change, Ledger, LedgerFault } from "../../src/ledger/ledger.js";
import type { FaultKind, StoreOperation } from "../faults/fault.js";
import { passTime, type Times } from "../faults/passing-time.js";

/** The operation that a fault names, for each kind of change. */
const OPERATION: Record<Change["kind"], StoreOperation> = {
  intent: "storeIntent",
  complete: "storeAnswer",
  abandon: "storeOutcome",
  lose: "storeOutcome",
  unproven: "storeOutcome",
  adopt: "storeOutcome",
  card: "storeCard",
  report: "storeReport",
  confirm: "storeReport",
};

const FAULT: Partial<Record<FaultKind, LedgerFault>> = {
  diskFull: "full",
  diskReadOnly: "read-only",
  diskError: "io",
};

const OUTCOMES: ReadonlySet<Change["kind"]> = new Set(["adopt", "lose", "unproven"]);

/**
 * Applies faults to every write of the port. A commit fails or waits as a whole if a fault is set for one of its changes.
 * @param flushCards makes the cards' signatures durable
 */
export function faultyLedger(ledger: Ledger, times: Times, dataDir: string, flushCards: () => void): Ledger {
  return {
    commit: async (changes) => {
      const operations = new Set(changes.map(({ kind: change }) => OPERATION[change]));
      const struck = [...operations].flatMap((operation) => times.faults.due(operation));
      for (const fault of struck) await passTime(fault, times);
      const fault = struck.map(({ kind }) => FAULT[kind]).find((one) => one !== undefined);
      if (fault !== undefined) throw ledgerError(fault, dataDir);
      // After these changes the store cannot restore the card's state: the card's file must have it.
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

/** @throws LedgerError while a disk fault is set that strikes each time, not by `nth` or `probability` */
export function tryWriting({ faults }: Pick<Times, "faults">, dataDir: string): void {
  for (const { kind, nth, probability = 1 } of faults.list) {
    const fault = FAULT[kind];
    if (fault !== undefined && nth === undefined && probability === 1) throw ledgerError(fault, dataDir);
  }
}
