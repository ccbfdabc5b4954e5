/** The store with a disk that is full on demand. */
import type { Db } from "../../src/ledger/database.js";
import { type Completion, InvoiceStore, type NewIntent } from "../../src/store/invoice-store.js";
import type { Faults } from "../faults/faults.js";

export class FaultyStore extends InvoiceStore {
  constructor(
    db: Db,
    private readonly faults: Faults,
  ) {
    super(db);
  }

  override begin(intent: NewIntent): number {
    this.strike("storeIntent");
    return super.begin(intent);
  }

  override complete(id: number, completion: Completion, settled?: { abandon?: number[]; lose?: number[] }): void {
    this.strike("storeAnswer");
    super.complete(id, completion, settled);
  }

  private strike(operation: "storeIntent" | "storeAnswer"): void {
    for (const { kind } of this.faults.due(operation)) if (kind === "diskFull") throw diskFull();
  }
}

/** A disk that is full every time stays full until the fault is taken away. Throws while it is. */
export function tryWriting(faults: Faults): void {
  const lasts = faults.list.some(
    ({ kind, nth, probability = 1 }) => kind === "diskFull" && nth === undefined && probability === 1,
  );
  if (lasts) throw diskFull();
}

function diskFull(): Error {
  return Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
}
